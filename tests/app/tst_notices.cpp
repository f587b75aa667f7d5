// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/main_window_fixture.h"

using app::NoticeArea;

/// Notices lie over the window: nothing moves, and all of them can be read, answered and left.
class TestNotices : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openWindow();
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(area().texts().isEmpty());
    }

    void cleanup()
    {
        m_window.reset();
        QApplication::setLayoutDirection(Qt::LeftToRight);
    }

    void nothingMoves()
    {
        const auto before = places();
        QVERIFY(before.size() > 2);
        addLong(u"one"_s);
        addLong(u"two"_s);
        QVERIFY(m_window->settle());
        QCOMPARE(places(), before);
        area().findChild<QPushButton *>()->click();
        QVERIFY(m_window->settle());
        QCOMPARE(area().texts().size(), 1);
        area().remove(u"two"_s);
        QVERIFY(!area().isVisible());
        QCOMPARE(places(), before);
    }

    void allIsRead_data()
    {
        QTest::addColumn<QSize>("size");
        addRow("small", QSize(1280, 800));
        addRow("usual", QSize(1400, 900));
        addRow("large", QSize(2560, 1440));
    }

    /// The corner is taken again after the window's size changed, and four notices fit in it.
    void allIsRead()
    {
        QFETCH(QSize, size);
        for (int i = 0; i < NoticeArea::kMaxNotices; ++i)
            addLong(QString::number(i));
        (*m_window)->resize(size);
        QVERIFY(m_window->settle());
        const QWidget *centre = area().parentWidget();
        QVERIFY(area().isVisible());
        QVERIFY(centre->rect().contains(area().geometry()));
        QVERIFY(area().width() * 3 < centre->width()); // a corner, no more
        for (const QLabel *label : area().findChildren<QLabel *>()) {
            QVERIFY(label->height() >= label->heightForWidth(label->width()));
            QVERIFY(label->width() >= label->minimumSizeHint().width());
            QCOMPARE(label->visibleRegion().boundingRect(), label->rect());
        }
        for (const QPushButton *button : area().findChildren<QPushButton *>()) {
            QVERIFY(button->width() >= button->sizeHint().width());
            QCOMPARE(button->visibleRegion().boundingRect(), button->rect());
        }
    }

    void escapeDismisses()
    {
        addLong(u"one"_s);
        QVERIFY(m_window->settle());
        auto *button = area().findChild<QPushButton *>();
        button->setFocus();
        QTest::keyClick(button, Qt::Key_Escape);
        QVERIFY(area().texts().isEmpty());
        QTRY_VERIFY(!area().isVisible());
    }

    void mirrors()
    {
        QApplication::setLayoutDirection(Qt::RightToLeft);
        addLong(u"one"_s);
        QVERIFY(m_window->settle());
        QVERIFY(area().geometry().center().x() > area().parentWidget()->width() / 2);
    }

private:
    QMap<QString, QRect> places() const
    {
        QMap<QString, QRect> found;
        for (const auto &entry : docks().entries()) {
            if (entry.dock->isVisible())
                found[entry.dock->id()] =
                    QRect(entry.dock->mapTo(&**m_window, QPoint()), entry.dock->size());
        }
        return found;
    }

    NoticeArea &area() const { return notices(); }

    void addLong(const QString &topic) const
    {
        area().add(
            NoticeArea::Kind::Error, topic,
            QStringLiteral("Not saved. The folder of a_bundle_with_quite_a_long_name.mlmodelc "
                           "may not be written by this user: its owner is another one."),
            {{u"Save As\u2026"_s, [] {}},
             {u"Reload and Edit Again"_s, [] {}},
             {u"Reload without Edits"_s, [] {}}});
    }
};

KERNSCOPE_TEST(TestNotices, QApplication)
#include "tst_notices.moc"
