// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tour.h"
#include "tests/app/main_window_fixture.h"

using app::Tour;

/// The tour: every step points at something that is there, by mouse and by keys, and leaves
/// everything as it was.
class TestTour : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

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
        addRow("1280x800", QSize(1280, 800));
        addRow("1920x1080", QSize(1920, 1080));
    }

    void everyStepPoints()
    {
        QFETCH(QSize, size);
        (*m_window)->resize(size);
        tour().start();
        for (std::size_t step = 0; step < tour().steps().size(); ++step) {
            QVERIFY2(settled(), qPrintable(tour().steps()[step].title));
            QCOMPARE(tour().at(), step);
            const app::TourStep &now = tour().steps()[step];
            if (now.layout)
                QCOMPARE(layouts().current(), *now.layout);
            if (!now.bundle.isEmpty()) {
                QCOMPARE(document().name(), now.bundle);
                QCOMPARE(document().otherName(), now.other);
            }
            if (!now.place.isEmpty()) {
                const std::size_t weight = session().place().weight;
                QVERIFY(weight < session().bundle()->weights().size());
                QCOMPARE(QString::fromStdString(session().bundle()->weights()[weight].name),
                         now.place);
            }
            // The box lies in the window and leaves most of what it speaks of in sight.
            const QRect panel = tour().panel()->geometry(), target = tour().target();
            QVERIFY(tour().panel()->isVisible() && tour().frame()->isVisible());
            QVERIFY2((*m_window)->rect().contains(panel), qPrintable(now.title));
            const QRect hidden = panel.intersected(target);
            QVERIFY2(hidden.width() * hidden.height() * 3 < target.width() * target.height(),
                     qPrintable(now.title));
            // Each shown text fits its place.
            for (const QLabel *label : tour().panel()->findChildren<QLabel *>())
                QVERIFY2(label->heightForWidth(label->width()) <= label->height() ||
                             !label->wordWrap(),
                         qPrintable(label->text()));
            QTest::mouseClick(tour().panel()->nextButton(), Qt::LeftButton);
        }
        QVERIFY(!tour().running());
        QVERIFY(tour().panel()->isHidden() && tour().frame()->isHidden());
        QVERIFY(!document().modified());
    }

    void byKeys()
    {
        (*m_window)->activateWindow();
        press(Qt::Key_F1, Qt::ControlModifier); // the shortcut of the menu
        if (!tour().running()) // a platform without shortcuts of windows that are not active
            tour().start();
        QVERIFY(settled());
        app::TourPanel &panel = *tour().panel();
        QCOMPARE((*m_window)->focusWidget(), panel.nextButton());
        QTest::keyClick(panel.nextButton(), Qt::Key_Return);
        QVERIFY(settled());
        QCOMPARE(tour().at(), 1);
        QTest::keyClick((*m_window)->focusWidget(),
                        Qt::Key_Right); // not taken by the button itself
        QVERIFY(settled());
        QCOMPARE(tour().at(), 2);
        QCOMPARE((*m_window)->focusWidget(), panel.nextButton()); // the step took no focus
        QTest::keyClick((*m_window)->focusWidget(), Qt::Key_Left);
        QTest::keyClick(&panel, Qt::Key_Left);
        QCOMPARE(tour().at(), 0);
        QTest::keyClick(&panel, Qt::Key_Left); // nothing before the first
        QCOMPARE(tour().at(), 0);
        QVERIFY(!panel.backButton()->isEnabled());
        QTest::keyClick(panel.nextButton(), Qt::Key_Tab);
        QVERIFY(panel.isAncestorOf((*m_window)->focusWidget()));
        QTest::keyClick((*m_window)->focusWidget(), Qt::Key_Escape);
        QVERIFY(!tour().running() && panel.isHidden());
    }

    void isReadAloud()
    {
        tour().start();
        QVERIFY(settled());
        const app::TourStep &first = tour().steps().front();
        QVERIFY(tour().panel()->accessibleName().contains(first.title));
        QVERIFY(tour().panel()->accessibleName().contains(QString::number(tour().steps().size())));
        QCOMPARE(tour().panel()->accessibleDescription(), first.text);
        QVERIFY(tour().panel()->nextButton()->accessibleDescription().contains(first.text));
    }

    void blocksNothing()
    {
        tour().start();
        QVERIFY(settled());
        QVERIFY(!QApplication::activeModalWidget());
        session().goToWeight(2);
        QCOMPARE(session().place().weight, std::size_t{2});
        // What is pointed at goes away: the frame too, the step stays.
        docks().dock(u"overview"_s)->hide();
        QTRY_VERIFY(tour().frame()->isHidden());
        QVERIFY(tour().panel()->isVisible());
        (*m_window)->resize(1000, 640);
        QTRY_VERIFY((*m_window)->rect().contains(tour().panel()->geometry()));
        tour().end();
        QVERIFY(tour().panel()->isHidden());
    }

    /// Opening another build asks first; the step waits, and what was edited is there still.
    void editsAreKept()
    {
        QVERIFY(m_window->open({}));
        session().setPatchingEnabled(true);
        edit(1, 0, 0.5);
        QVERIFY(m_window->settle());
        QVERIFY(document().modified());
        tour().start();
        while (tour().steps()[tour().at()].other.isEmpty())
            tour().next();
        QWidget *asked = VERIFIED(test::dialog());
        QTest::keyClick(asked, Qt::Key_Escape);
        QVERIFY(m_window->settle());
        QVERIFY(document().modified());
        QVERIFY(tour().running() && tour().frame()->isHidden());
        tour().end();
    }

    void isOfferedOnce()
    {
        QVERIFY(m_window->open({}));
        QPushButton *button = VERIFIED(offer());
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(settled());
        QVERIFY(tour().running());
        QVERIFY(notices().texts().isEmpty());
        tour().end();
        m_window->restart();
        QVERIFY(m_window->open({}));
        QVERIFY(!offer());
        QVERIFY(!notices().texts().isEmpty()); // the note on the sample itself
    }

    void leadsBack()
    {
        const QString path = sample(u"palette"_s);
        QVERIFY(m_window->open({path}));
        tour().start();
        QVERIFY(settled());
        QVERIFY(document().inMemory());
        tour().end();
        const auto buttons = notices().findChildren<QPushButton *>();
        const auto again = std::ranges::find_if(buttons, [&path](const QPushButton *button) {
            return button->text().contains(QFileInfo(path).fileName());
        });
        QVERIFY(again != buttons.end());
        (*again)->click();
        QVERIFY(m_window->settle());
        QCOMPARE(document().path(), path);
    }

private:
    QPushButton *offer() const { return answerButton(u"Take the Tour"_s); }
    Tour &tour() { return (*m_window)->tour(); }

    bool settled()
    {
        if (!m_window->settle())
            return false;
        QCoreApplication::sendPostedEvents();
        return QTest::qWaitFor(
            [this] {
                return !tour().running() || (!tour().target().isEmpty() &&
                                             tour().frame()->geometry().contains(
                                                 tour().target().intersected((*m_window)->rect())));
            },
            10000);
    }
};

KERNSCOPE_TEST(TestTour, QApplication)
#include "tst_tour.moc"
