// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"
#include "main_window_fixture.h"

/// The Compare menu: everything that the docks of a comparison can do, by what it is for.
class TestCompareMenu : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void fitsASmallScreen()
    {
        QVERIFY(menu());
        constexpr int kLeastScreen = 800, kMenuBar = 60;
        QList<QMenu *> menus{menu()};
        for (QMenu *part : menu()->findChildren<QMenu *>(Qt::FindDirectChildrenOnly))
            menus << part;
        QVERIFY(menus.size() > 6);
        for (const QMenu *each : std::as_const(menus)) {
            QVERIFY2(!each->isEmpty(), qPrintable(each->title()));
            QVERIFY2(each->sizeHint().height() < kLeastScreen - kMenuBar,
                     qPrintable(each->title()));
        }
        QVERIFY(menu()->actions().size() < 24);
    }

    /// No action of the docks is lost, none stands twice, and the search box finds it by its name.
    void holdsEveryAction()
    {
        QList<QAction *> held;
        for (const QMenu *part : menu()->findChildren<QMenu *>(Qt::FindDirectChildrenOnly))
            held += part->actions();
        int looked = 0;
        for (const app::DockSet::Entry &entry : docks().entries()) {
            if (!QStringList{u"compare"_s, u"places"_s, u"codebooks"_s, u"builds"_s, u"bytes"_s,
                             u"ranges"_s}
                     .contains(entry.dock->id()))
                continue;
            for (QAction *action : entry.menuActions) {
                QVERIFY2(held.count(action) == 1, qPrintable(action->text()));
                ++looked;
            }
        }
        QVERIFY(looked > 30);
        QCOMPARE(action(u"Next Difference"_s)->shortcut(), QKeySequence(Qt::Key_F8));
        QVERIFY(m_window->open({sample(u"dense"_s), sample(u"sparse"_s)}));
        auto *box = VERIFIED((*m_window)->findChild<app::GoToBox *>());
        QVERIFY(activate());
        box->setFocus();
        QTest::keyClicks(box, u"export worst elements"_s);
        QTRY_VERIFY(box->hits().hits().rowCount() > 0);
        QVERIFY(
            box->hits().hits().index(0, 0).data().toString().contains(u"Export Worst Elements"_s));
    }

    /// The keys that go to a difference work wherever the focus is, as long as their dock is on
    /// view.
    void largestFromEveryDock()
    {
        QVERIFY(m_window->open({sample(u"dense"_s), sample(u"sparse"_s)}));
        (*m_window)->showLayout(app::Layout::Compare);
        QVERIFY(m_window->settle());
        QVERIFY(activate());
        const auto &session = this->session();
        QVERIFY(!session.place().element);
        ui::Dock *bytes = dock(u"bytes"_s);
        QVERIFY(bytes && bytes->onView());
        bytes->findChild<QAbstractScrollArea *>()->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F8, Qt::ControlModifier);
        QTRY_VERIFY(session.place().element.has_value());
    }

private:
    QMenu *menu() const
    {
        for (QAction *action : (*m_window)->menuBar()->actions()) {
            if (action->text().remove(QLatin1Char('&')) == QLatin1String("Compare"))
                return action->menu();
        }
        return nullptr;
    }
};

KERNSCOPE_TEST(TestCompareMenu, QApplication)
#include "tst_compare_menu.moc"
