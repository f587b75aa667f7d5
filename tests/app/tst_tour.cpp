// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tour.h"
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"

using namespace kernscope;
using app::Tour;

/// The tour: every step points at something that is there, by mouse and by keys, and leaves
/// everything as it was.
class TestTour : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stepsAreShort()
    {
        const auto steps = app::tourSteps();
        QVERIFY(steps.size() >= 8);
        QStringList layouts;
        for (const app::TourStep &step : steps) {
            QVERIFY(!step.title.isEmpty());
            const auto sentences = step.text.count(QRegularExpression(u"[.!?](\\s|$)"_s));
            QVERIFY2(sentences == 2, qPrintable(step.text));
            QVERIFY2(step.text.size() < 150, qPrintable(step.text));
            QVERIFY(step.layout || step.bundle.isEmpty());
            if (step.layout && !layouts.contains(app::layoutId(*step.layout)))
                layouts += app::layoutId(*step.layout);
        }
        QCOMPARE(layouts, QStringList({u"inspect"_s, u"compare"_s, u"patch"_s}));
    }

    void everyStepPoints_data()
    {
        QTest::addColumn<QSize>("size");
        test::addRow("1280x800", QSize(1280, 800));
        test::addRow("1920x1080", QSize(1920, 1080));
    }

    void everyStepPoints()
    {
        QFETCH(QSize, size);
        test::TestWindow window;
        window->resize(size);
        QVERIFY(QTest::qWaitForWindowExposed(&*window));
        Tour &tour = window->tour();
        tour.start();
        for (std::size_t step = 0; step < tour.steps().size(); ++step) {
            QVERIFY2(settled(window), qPrintable(tour.steps()[step].title));
            QCOMPARE(tour.at(), step);
            const app::TourStep &now = tour.steps()[step];
            if (now.layout)
                QCOMPARE(window->layouts().current(), *now.layout);
            if (!now.bundle.isEmpty()) {
                QCOMPARE(window->document().name(), now.bundle);
                QCOMPARE(window->document().otherName(), now.other);
            }
            if (!now.place.isEmpty()) {
                const std::size_t weight = window->session().place().weight;
                QVERIFY(weight < window->session().bundle()->weights().size());
                QCOMPARE(QString::fromStdString(window->session().bundle()->weights()[weight].name),
                         now.place);
            }
            // The box lies in the window and leaves most of what it speaks of in sight.
            const QRect panel = tour.panel()->geometry(), target = tour.target();
            QVERIFY(tour.panel()->isVisible() && tour.frame()->isVisible());
            QVERIFY2(window->rect().contains(panel), qPrintable(now.title));
            const QRect hidden = panel.intersected(target);
            QVERIFY2(hidden.width() * hidden.height() * 3 < target.width() * target.height(),
                     qPrintable(now.title));
            // Each shown text fits its place.
            for (const QLabel *label : tour.panel()->findChildren<QLabel *>())
                QVERIFY2(label->heightForWidth(label->width()) <= label->height() ||
                             !label->wordWrap(),
                         qPrintable(label->text()));
            QTest::mouseClick(tour.panel()->nextButton(), Qt::LeftButton);
        }
        QVERIFY(!tour.running());
        QVERIFY(tour.panel()->isHidden() && tour.frame()->isHidden());
        QVERIFY(!window->document().modified());
    }

    void byKeys()
    {
        test::TestWindow window;
        QVERIFY(QTest::qWaitForWindowExposed(&*window));
        window->activateWindow();
        QTest::keyClick(&*window, Qt::Key_F1, Qt::ControlModifier); // the shortcut of the menu
        Tour &tour = window->tour();
        if (!tour.running()) // a platform without shortcuts of windows that are not active
            tour.start();
        QVERIFY(settled(window));
        app::TourPanel &panel = *tour.panel();
        QCOMPARE(window->focusWidget(), panel.nextButton());
        QTest::keyClick(panel.nextButton(), Qt::Key_Return);
        QVERIFY(settled(window));
        QCOMPARE(tour.at(), 1);
        QTest::keyClick(window->focusWidget(), Qt::Key_Right); // not taken by the button itself
        QVERIFY(settled(window));
        QCOMPARE(tour.at(), 2);
        QCOMPARE(window->focusWidget(), panel.nextButton()); // the step took no focus
        QTest::keyClick(window->focusWidget(), Qt::Key_Left);
        QTest::keyClick(&panel, Qt::Key_Left);
        QCOMPARE(tour.at(), 0);
        QTest::keyClick(&panel, Qt::Key_Left); // nothing before the first
        QCOMPARE(tour.at(), 0);
        QVERIFY(!panel.backButton()->isEnabled());
        QTest::keyClick(panel.nextButton(), Qt::Key_Tab);
        QVERIFY(panel.isAncestorOf(window->focusWidget()));
        QTest::keyClick(window->focusWidget(), Qt::Key_Escape);
        QVERIFY(!tour.running() && panel.isHidden());
    }

    void isReadAloud()
    {
        test::TestWindow window;
        window->tour().start();
        QVERIFY(settled(window));
        const Tour &tour = window->tour();
        const app::TourStep &first = tour.steps().front();
        QVERIFY(tour.panel()->accessibleName().contains(first.title));
        QVERIFY(tour.panel()->accessibleName().contains(QString::number(tour.steps().size())));
        QCOMPARE(tour.panel()->accessibleDescription(), first.text);
        QVERIFY(tour.panel()->nextButton()->accessibleDescription().contains(first.text));
    }

    void blocksNothing()
    {
        test::TestWindow window;
        QVERIFY(QTest::qWaitForWindowExposed(&*window));
        Tour &tour = window->tour();
        tour.start();
        QVERIFY(settled(window));
        QVERIFY(!QApplication::activeModalWidget());
        window->session().goToWeight(2);
        QCOMPARE(window->session().place().weight, std::size_t{2});
        // What is pointed at goes away: the frame too, the step stays.
        window->docks().dock(u"overview"_s)->hide();
        QTRY_VERIFY(tour.frame()->isHidden());
        QVERIFY(tour.panel()->isVisible());
        window->resize(1000, 640);
        QTRY_VERIFY(window->rect().contains(tour.panel()->geometry()));
        tour.end();
        QVERIFY(tour.panel()->isHidden());
    }

    /// Opening another build asks first; the step waits, and what was edited is there still.
    void editsAreKept()
    {
        test::TestWindow window;
        QVERIFY(window.open({}));
        window->session().setPatchingEnabled(true);
        Edit edit;
        edit.weight = window->session().bundle()->weights()[1].name;
        edit.indices = {IndexRange{0, 1, false, true}};
        edit.value = 0.5;
        window->session().requestEdits({edit}, {});
        QVERIFY(window.settle());
        QVERIFY(window->document().modified());
        window->tour().start();
        while (window->tour().steps()[window->tour().at()].other.isEmpty())
            window->tour().next();
        QWidget *asked = VERIFIED(test::dialog());
        QTest::keyClick(asked, Qt::Key_Escape);
        QVERIFY(window.settle());
        QVERIFY(window->document().modified());
        QVERIFY(window->tour().running() && window->tour().frame()->isHidden());
        window->tour().end();
    }

    void isOfferedOnce()
    {
        test::TestWindow window;
        QVERIFY(window.open({}));
        QPushButton *button = VERIFIED(offer(window));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(settled(window));
        QVERIFY(window->tour().running());
        QVERIFY(window->notices().texts().isEmpty());
        window->tour().end();
        window.restart();
        QVERIFY(window.open({}));
        QVERIFY(!offer(window));
        QVERIFY(!window->notices().texts().isEmpty()); // the note on the sample itself
    }

    void leadsBack()
    {
        QTemporaryDir folder;
        const QString path = test::writeSample(folder.path(), u"palette"_s);
        test::TestWindow window;
        QVERIFY(window.open({path}));
        window->tour().start();
        QVERIFY(settled(window));
        QVERIFY(window->document().inMemory());
        window->tour().end();
        QPushButton *again = nullptr;
        for (QPushButton *button : window->notices().findChildren<QPushButton *>()) {
            if (button->text().contains(QFileInfo(path).fileName()))
                again = button;
        }
        QVERIFY(again);
        again->click();
        QVERIFY(window.settle());
        QCOMPARE(window->document().path(), path);
    }

private:
    static QPushButton *offer(test::TestWindow &window)
    {
        for (QPushButton *button : window->notices().findChildren<QPushButton *>()) {
            if (button->isVisible() && button->text() == QLatin1String("Take the Tour"))
                return button;
        }
        return nullptr;
    }
    static bool settled(test::TestWindow &window)
    {
        if (!window.settle())
            return false;
        QCoreApplication::sendPostedEvents();
        return QTest::qWaitFor(
            [&window] {
                const Tour &tour = window->tour();
                return !tour.running() ||
                       (!tour.target().isEmpty() && tour.frame()->geometry().contains(
                                                        tour.target().intersected(window->rect())));
            },
            10000);
    }
};

KERNSCOPE_TEST(TestTour, QApplication)
#include "tst_tour.moc"
