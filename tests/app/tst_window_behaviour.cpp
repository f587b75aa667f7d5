// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "tests/app/main_window_fixture.h"
#include "tests/core/container/section/made_section.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/weight/weight_dock.h"

using app::Layout;

/// What stays in place and what comes to the front in the window.
class TestWindowBehaviour : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void hiddenDocksComeBackAsWide()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        for (const char *id : {"bundle", "inspector", "hex"}) {
            const QSize before = dock(id)->size();
            dock(id)->close();
            QVERIFY(m_window->settle());
            app::DockSet::reveal(dock(id));
            QTRY_VERIFY2(std::abs(dock(id)->width() - before.width()) < 8, id);
            QTRY_VERIFY2(std::abs(dock(id)->height() - before.height()) < 8, id);
        }
    }

    /// A hidden dock computes nothing (the plan of a large bundle takes minutes) until its tab is
    /// shown.
    void docksBehindTabsWait()
    {
        QVERIFY(m_window->open({}));
        (*m_window)->showLayout(app::Layout::Performance);
        QVERIFY(m_window->settle());
        QVERIFY(dock("stream")->onView() && dock("stream")->showsContent());
        QVERIFY(!dock("plan")->onView());
        QVERIFY(!dock("plan")->showsContent() && !dock("plan")->busy());
        dock("plan")->raise();
        QVERIFY(QTest::qWaitFor([this] { return dock("plan")->showsContent(); }, 30000));
        QVERIFY(dock("plan")->onView() && !dock("stream")->onView());
        // A place chosen meanwhile is followed once the dock is back.
        session().goToWeight(1);
        dock("stream")->raise();
        QVERIFY(m_window->settle());
        auto *stream = VERIFIED(qobject_cast<ui::StreamDock *>(dock("stream")));
        QTRY_COMPARE(stream->matrix().currentIndex().row(), 1);
    }

    void sectionsShowTheirGroups()
    {
        const QString section = writeSection();
        QVERIFY(!section.isEmpty());
        QVERIFY(m_window->open({section}));
        QCOMPARE(layouts().current(), Layout::Hardware);
        const QAction *relocate = VERIFIED(action(u"Relocate the Section\u2026"_s));
        QVERIFY(relocate->isEnabled());
        QTRY_VERIFY(dock("groups")->isVisible());
        QVERIFY(m_window->settle());
        QVERIFY(dock("groups")->showsContent());
        app::DockSet::reveal(dock("descriptor"));
        QVERIFY(m_window->settle());
        QVERIFY(dock("descriptor")->showsContent());
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QCOMPARE(layouts().current(), Layout::Inspect);
        QVERIFY(!relocate->isEnabled()); // before its dialog asks for addresses
    }

    void tabsKeepTheirNames()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        layouts().show(Layout::Hardware);
        const auto tabsOf = [this] {
            QList<QTabBar *> found;
            for (QTabBar *tabs : (*m_window)->findChildren<QTabBar *>()) {
                if (qobject_cast<QMainWindow *>(tabs->parent()))
                    found << tabs;
            }
            return found;
        };
        QTRY_VERIFY(!tabsOf().isEmpty());
        QCoreApplication::processEvents();
        for (const QTabBar *tabs : tabsOf())
            QCOMPARE(tabs->elideMode(), Qt::ElideNone);
    }

    /// Docks in tabs have no title bars; what stands in one stands at the end of the row of tabs.
    void tabsStandForTitles()
    {
        (*m_window)->resize(1400, 900); // where the pickers of Bytes have room beside the tabs
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        ui::Dock *hex = dock("hex"), *sections = dock("layout"), *inspector = dock("inspector");
        const auto titleOf = [](ui::Dock *of) { return of->titleBarWidget()->height(); };
        app::DockSet::reveal(hex);
        QTRY_COMPARE(titleOf(hex), 0);
        QVERIFY(titleOf(inspector) > 0); // stands alone
        const auto barOf = [](ui::Dock *of) {
            for (QTabBar *tabs : of->parentWidget()->findChildren<QTabBar *>()) {
                for (const auto *bar : tabs->findChildren<ui::DockTitleBar *>()) {
                    if (bar->isVisible() && bar->findChild<QToolButton *>()->defaultAction() ==
                                                of->standingActions()[0])
                        return true;
                }
            }
            return false;
        };
        QTRY_VERIFY(barOf(hex));
        QVERIFY(!barOf(sections));
        app::DockSet::reveal(sections);
        QTRY_VERIFY(barOf(sections));
        QVERIFY(!barOf(hex));
        // Pin, float and hide by the keyboard; floating it has its own title bar again.
        QVERIFY(activate());
        press(Qt::Key_P, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(sections->pinned());
        press(Qt::Key_P, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(!sections->pinned());
        sections->standingActions()[1]->trigger();
        QTRY_VERIFY(sections->isFloating());
        QTRY_VERIFY(titleOf(sections) > 0);
        sections->standingActions()[1]->trigger();
        QTRY_VERIFY(!sections->isFloating());
        QTRY_COMPARE(titleOf(sections), 0);
        sections->standingActions()[2]->trigger();
        QTRY_VERIFY(sections->isHidden());
        QTRY_COMPARE(titleOf(hex), 0);
    }

    /// A dock taken out of its tabs has a title again, by which it is moved, pinned and closed.
    void floatingDocksHaveTitles()
    {
        auto &window = **m_window;
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        int floated = 0;
        for (const app::Layout layout : app::kLayouts) {
            if (layout == app::Layout::Compare)
                continue;
            window.layouts().show(layout);
            QVERIFY(m_window->settle());
            for (const auto &entry : window.docks().entries()) {
                const auto *host = qobject_cast<QMainWindow *>(entry.dock->parentWidget());
                if (entry.dock->isHidden() || !host ||
                    host->tabifiedDockWidgets(entry.dock).isEmpty())
                    continue;
                ++floated;
                entry.dock->setFloating(true);
                entry.dock->raise();
                QVERIFY(m_window->settle());
                const QWidget *title = entry.dock->titleBarWidget();
                QTRY_VERIFY2(title->isVisible() && title->height() > 10,
                             qPrintable(entry.dock->id()));
                entry.dock->setFloating(false);
                QVERIFY(m_window->settle());
            }
            window.layouts().reset();
        }
        QVERIFY(floated > 20);
    }

    /// A table or a program that the workspace does not show has no room in the panel at the side.
    void wideDocksOpenInTheMiddle()
    {
        auto &window = **m_window;
        window.resize(1400, 900);
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        const QStringList narrow{u"help"_s,     u"inspector"_s, u"assessment"_s,
                                 u"codebook"_s, u"mask"_s,      u"bundle"_s};
        for (const app::Layout layout :
             {app::Layout::Inspect, app::Layout::Patch, app::Layout::Performance}) {
            window.layouts().show(layout);
            QVERIFY(m_window->settle());
            for (const auto &entry : window.docks().entries()) {
                if (!entry.dock->isHidden())
                    continue;
                app::DockSet::reveal(entry.dock);
                QVERIFY(m_window->settle());
                const int width = entry.dock->width();
                QVERIFY2(narrow.contains(entry.dock->id()) ? width < 500 : width > 500,
                         qPrintable(u"%1: %2"_s.arg(entry.dock->id()).arg(width)));
                entry.dock->hide();
            }
        }
    }

    void patchLayoutHasALargeGrid()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        const QWidget *grid = &dynamic_cast<ui::WeightDock &>(*dock("weight")).grid().table();
        QVERIFY(goToWeight(0));
        const int before = grid->height();
        layouts().show(Layout::Patch);
        QTRY_VERIFY(grid->height() > before * 5 / 4);
        layouts().show(Layout::Inspect);
        QTRY_VERIFY(std::abs(grid->height() - before) < before / 4);
    }

    /// Ctrl+F of a dock puts the cursor where one types what to find.
    void everyDockFindsByKey()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(activate());
        int found = 0;
        for (const auto &entry : docks().entries()) {
            app::DockSet::reveal(entry.dock);
            QVERIFY(m_window->settle());
            for (QAction *action : entry.menuActions) {
                if (action->shortcut() != QKeySequence(QKeySequence::Find) ||
                    !entry.dock->showsContent())
                    continue;
                action->trigger();
                ++found;
                QTRY_VERIFY2(qobject_cast<QLineEdit *>(QApplication::focusWidget()),
                             qPrintable(entry.dock->id()));
            }
        }
        QVERIFY(found > 5);
    }

    /// A pair that was made or taken apart by hand is so for Builds as well.
    void buildsKnowThePairsByHand()
    {
        QVERIFY(m_window->open({sample(u"dense"_s), sample(u"sparse"_s)}));
        auto *builds = qobject_cast<ui::BuildsDock *>(dock("builds"));
        app::DockSet::reveal(builds);
        builds->figure()->setCurrentIndex(static_cast<int>(ui::MatrixFigure::Verdict));
        QVERIFY(m_window->settle());
        const auto cell = [&](std::size_t weight) {
            return builds->model().index(builds->model().rowOfWeight(weight), 2).data().toString();
        };
        QVERIFY(cell(0) != u"only in the first"_s);
        ui::PairChoices choices;
        choices.leaveDocumentAlone(
            QString::fromStdString(session().bundle()->weights()[0].findableName()));
        docks().compare()->pairs().setChoices(choices);
        QVERIFY(m_window->settle());
        QCOMPARE(cell(0), u"only in the first"_s);
        docks().compare()->pairs().setChoices({});
        QVERIFY(m_window->settle());
        QVERIFY(cell(0) != u"only in the first"_s);
    }

    void partnersAreAskedForOnce_data() { addEach<const char *>({"opened", "cancelled", "busy"}); }

    /// "Compare This Weight with…" asks for the partner once that file is there, and never later:
    /// the next file that is opened beside the document has nothing to do with it.
    void partnersAreAskedForOnce()
    {
        const auto [what] = fetched<QString>();
        const QString dense = sample(u"dense"_s);
        const QString sparse = sample(u"sparse"_s);
        const QString palette = sample(u"palette"_s);
        ui::TaskManager &tasks = session().tasks();
        QVERIFY(m_window->open({dense}));
        session().goToWeight(0);
        QAction *compare = VERIFIED(action(u"Compare This"_s, false));
        QVERIFY(compare->isEnabled());
        compare->trigger();
        auto *asked = VERIFIED(qobject_cast<QInputDialog *>(test::dialog()));
        if (what == u"busy"_s)
            document().openOther(palette);
        if (what == u"cancelled"_s)
            connect(
                &tasks, &ui::TaskManager::changed, &tasks, [&] { tasks.cancelAll(); },
                static_cast<Qt::ConnectionType>(Qt::AutoConnection | Qt::SingleShotConnection));
        Q_EMIT asked->textValueSelected(sparse);
        asked->reject();
        QVERIFY(m_window->settle());
        const auto partners = [&] { return (*m_window)->findChildren<ui::PairDialog *>().size(); };
        if (what == u"opened"_s) {
            QCOMPARE(partners(), 1);
            (*m_window)->findChild<ui::PairDialog *>()->reject();
            QTRY_COMPARE(partners(), 0);
        }
        if (what == u"busy"_s)
            QCOMPARE(partners(), 0);
        document().openOther(what == u"busy"_s ? sparse : palette);
        QVERIFY(m_window->settle());
        QVERIFY(session().other());
        QCOMPARE(partners(), 0);
    }

private:
    ui::Dock *dock(const char *id) { return docks().dock(QString::fromLatin1(id)); }
    /// A dense weight of 16x4 for two cores.
    QString writeSection()
    {
        const auto made = section::made_sections::make(u"dense"_s, {16, 4, 1, 1}, 8, false, 2);
        const QString path = m_folder->filePath(u"w.ksec"_s);
        return made && put(path, made->bytes) ? path : QString();
    }
};

KERNSCOPE_TEST(TestWindowBehaviour, QApplication)
#include "tst_window_behaviour.moc"
