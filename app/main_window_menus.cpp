// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/dock_set.h"
#include "app/line_keys.h"
#include "app/notice_area.h"
#include "app/recent_text.h"
#include "app/status_line.h"
#include "app/table_columns.h"
#include "app/tour.h"
#include "app/welcome_page.h"
#include "widgets/common/help_dock.h"
#include "widgets/common/line_icon.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/patch/patches_dock.h"

#include <QAbstractItemView>
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QInputDialog>
#include <QMenu>
#include <QMenuBar>
#include <QUndoStack>

namespace kernscope::app {

QAction *MainWindow::add(QMenu *menu, const QString &text, const QKeySequence &key,
                         std::function<void()> run)
{
    QAction *action = menu->addAction(text);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    return action;
}

void MainWindow::buildMenus()
{
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildGoMenu();
    buildCompareMenu();
    buildTaskMenus();
    buildHelpMenu();

    buildToolBar();
}

void MainWindow::buildFileMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&File"));
    menu->setObjectName(QStringLiteral("file"));
    m_open =
        add(menu, tr("&Open Bundle Folder\u2026"), QKeySequence::Open, [this] { openFolder(); });
    m_open->setIcon(ui::lineIcon(QStringLiteral("open")));
    add(menu, tr("Open &File\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_O, [this] { openFile(); });
    m_recentMenu = menu->addMenu(tr("Open &Recent"));
    QMenu *samples = menu->addMenu(tr("Open Sa&mple"));
    for (const auto &[text, name] :
         {std::pair{tr("&Dense"), QStringLiteral("sample-dense.mlmodelc")},
          std::pair{tr("&Sparse"), QStringLiteral("sample-sparse.mlmodelc")},
          std::pair{tr("&Palette"), QStringLiteral("sample-palette.mlmodelc")}})
        add(samples, text, {}, [this, sample = name] { openSample(sample); });
    menu->addSeparator();
    m_save = add(menu, tr("&Save\u2026"), QKeySequence::Save, [this] { save(); });
    m_save->setIcon(ui::lineIcon(QStringLiteral("save")));
    m_needChanges << m_save;
    m_needBundle << add(menu, tr("Save &As\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_S,
                        [this] { saveAs(); });
    m_needBundle << add(menu, tr("Re&load from Disk"), QKeySequence::Refresh, [this] { revert(); });
    buildSessionActions(menu);
    buildExportActions(menu);
    menu->addSeparator();
    m_needBundle << add(menu, tr("&Close Bundle"), QKeySequence::Close, [this] { closeBundle(); });
    add(menu, tr("&Quit"), QKeySequence::Quit, [this] { close(); });
}

void MainWindow::fillRecent()
{
    const QList<Settings::Recent> entries = m_settings.recent();
    m_welcome->setRecent(entries);
    m_recentMenu->clear();
    m_recentMenu->setEnabled(!entries.isEmpty());
    for (const Settings::Recent &entry : entries) {
        const QString text = recentText(entry);
        QStringList paths{entry.path};
        if (!entry.other.isEmpty())
            paths << entry.other;
        QAction *action =
            add(m_recentMenu, QString(text).replace(QLatin1Char('&'), QLatin1String("&&")), {},
                [this, paths] { openPaths(paths); });
        action->setToolTip(paths.join(QLatin1Char('\n')));
        action->setStatusTip(paths.join(QStringLiteral("  ")));
    }
    m_recentMenu->setToolTipsVisible(true);
    m_recentMenu->addSeparator();
    add(m_recentMenu, tr("&Clear List"), {}, [this] {
        m_settings.clearRecent();
        fillRecent();
    });
}

void MainWindow::buildEditMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Edit"));
    buildUndoActions(menu);
    menu->addSeparator();
    buildCopyActions(menu);
    menu->addSeparator();
    m_patching = add(menu, tr("Enable &Patching"), Qt::CTRL | Qt::Key_E, [this] {
        m_patching->setChecked(m_session.patchingEnabled());
        togglePatching();
    });
    m_patching->setObjectName(QStringLiteral("patching"));
    m_patching->setCheckable(true);
    m_patching->setIcon(ui::lineIcon(QStringLiteral("lock")));
    m_needBundle << m_patching;
    m_needBundle << add(menu, tr("&Add Edit\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, [this] {
        showWelcome(false);
        m_docks->patches()->beginEdit();
    });
    addPatchFileAction(menu);
    add(menu, tr("&Tolerance\u2026"), {}, [this] { askTolerance(); });
    menu->addSeparator();
    m_needBundle << add(menu, tr("&Shapes of Inputs\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_I,
                        [this] { askShapes(); });
}

void MainWindow::buildUndoActions(QMenu *menu)
{
    QUndoStack &stack = m_session.undoStack();
    m_undo = stack.createUndoAction(this, tr("&Undo"));
    m_undo->setShortcut(QKeySequence::Undo);
    m_undo->setIcon(ui::lineIcon(QStringLiteral("undo")));
    m_redo = stack.createRedoAction(this, tr("&Redo"));
    m_redo->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    m_redo->setIcon(ui::lineIcon(QStringLiteral("redo")));
    new LineKeys(stack, this);
    // Large steps are tasks of the document; the stack keeps texts and states of the actions.
    for (const auto &[action, by] : {std::pair(m_undo, -1), {m_redo, 1}}) {
        disconnect(action, &QAction::triggered, &stack, nullptr);
        connect(action, &QAction::triggered, this,
                [this, &stack, by = by] { m_document.goToStep(stack.index() + by); });
    }
    menu->addActions({m_undo, m_redo});
}

/// What the docks do with keys of their own: copy, find, search.
void MainWindow::buildCopyActions(QMenu *menu)
{
    // The keys are the docks' own; here they are found.
    m_needBundle << add(menu, tr("&Copy in This Dock") + QStringLiteral("\tCtrl+C"), {},
                        [this] { runInFocus(QKeySequence::Copy); });
    QMenu *copyAs = menu->addMenu(tr("Copy Rows &As"));
    const auto addCopy = [this, copyAs](const QString &text, Qt::Key key, ui::TableFormat format) {
        add(copyAs, text, QKeySequence(Qt::CTRL | Qt::SHIFT | key),
            [this, format] { copyRowsAs(format); });
    };
    addCopy(tr("&Tab-Separated with Titles"), Qt::Key_C, ui::TableFormat::TabSeparated);
    addCopy(tr("&Markdown"), Qt::Key_M, ui::TableFormat::Markdown);
    addCopy(tr("&JSON"), Qt::Key_J, ui::TableFormat::Json);
    m_needBundle << copyAs->menuAction()
                 << add(menu, tr("&Find in This Dock") + QStringLiteral("\tCtrl+F"), {},
                        [this] { runInFocus(QKeySequence::Find); });
    for (const DockSet::Entry &entry : m_docks->entries()) {
        if (entry.dock->id() != QLatin1String("search"))
            continue;
        QAction *search =
            menu->addAction(tr("Searc&h in the Bundle\u2026") + QStringLiteral("\tCtrl+Shift+F"));
        connect(search, &QAction::triggered, entry.show, &QAction::trigger);
        m_needBundle << search;
    }
}

/// Of the table that holds the focus.
void MainWindow::copyRowsAs(ui::TableFormat format)
{
    const auto *view = qobject_cast<const QAbstractItemView *>(QApplication::focusWidget());
    const QString text = view ? copiedTable(*view, format) : QString();
    if (text.isEmpty()) {
        m_status->showMessage(tr("Select rows of a table first."));
        return;
    }
    QGuiApplication::clipboard()->setText(text);
    m_status->showMessage(tr("Copied."));
}

void MainWindow::buildViewMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&View"));
    m_layoutGroup = new QActionGroup(this);
    int key = Qt::Key_1;
    for (const Layout layout : kLayouts) {
        QAction *action =
            add(menu, layoutTitle(layout), QKeySequence(Qt::CTRL | static_cast<Qt::Key>(key++)),
                [this, layout] { chooseLayout(layout); });
        action->setCheckable(true);
        action->setData(static_cast<int>(layout));
        m_layoutGroup->addAction(action);
        m_needBundle << action;
    }
    m_needBundle << add(menu, tr("&Reset Layout"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, [this] {
        showWelcome(false);
        m_layouts->reset();
    });
    menu->addSeparator();
    buildDockMenu(menu->addMenu(tr("&Docks")));
    buildFocusMenu(menu->addMenu(tr("Dock in &Focus")));
    buildColumnMenu(menu->addMenu(tr("&Columns of the Table in Focus")));
    buildAppearanceMenus(menu);
    m_needBundle << add(menu, tr("&Cancel What Is Running"), Qt::CTRL | Qt::Key_Period,
                        [this] { m_session.tasks().cancelAll(); });
    QAction *full = add(menu, tr("&Full Screen"), QKeySequence(Qt::Key_F11),
                        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    full->setStatusTip(tr("Fill the screen, or go back to a window"));
}

void MainWindow::buildDockMenu(QMenu *menu)
{
    for (const DockSet::Entry &entry : m_docks->entries()) {
        menu->addAction(entry.show);
        connect(entry.show, &QAction::triggered, this, [this] { showWelcome(false); });
        m_needBundle << entry.show;
    }
}

/// What stands in the title bar of the dock in focus, or at the end of its row of tabs.
void MainWindow::buildFocusMenu(QMenu *menu)
{
    const auto addStanding = [this, menu](const QString &text, Qt::Key key, qsizetype which) {
        m_needBundle << add(menu, text, QKeySequence(Qt::CTRL | Qt::ALT | key), [this, which] {
            if (ui::Dock *dock = m_docks->focused())
                dock->standingActions()[which]->trigger();
            else
                m_status->showMessage(tr("No dock holds the focus."));
        });
    };
    addStanding(tr("&Pin or Unpin"), Qt::Key_P, 0);
    addStanding(tr("&Float or Dock"), Qt::Key_F, 1);
    addStanding(tr("&Hide"), Qt::Key_W, 2);
}

/// The same as the context menu of the table's header, for the keyboard.
void MainWindow::buildColumnMenu(QMenu *menu)
{
    m_needBundle << menu->menuAction();
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        m_columns->fillMenu(menu, m_columns->current());
        if (menu->isEmpty())
            menu->addAction(tr("Go to a table first"))->setEnabled(false);
    });
}

void MainWindow::buildAppearanceMenus(QMenu *menu)
{
    QMenu *themes = menu->addMenu(tr("&Theme"));
    auto *group = new QActionGroup(this);
    const auto addTheme = [&](const QString &text, ThemeChoice choice) {
        QAction *action = add(themes, text, {}, [this, choice] { m_theme.choose(choice); });
        action->setCheckable(true);
        action->setChecked(m_theme.choice() == choice);
        group->addAction(action);
    };
    addTheme(tr("&System"), ThemeChoice::System);
    addTheme(tr("&Light"), ThemeChoice::Light);
    addTheme(tr("&Dark"), ThemeChoice::Dark);
    QMenu *text = menu->addMenu(tr("Te&xt Size"));
    add(text, tr("&Larger"), Qt::CTRL | Qt::ALT | Qt::Key_Plus, [this] { m_theme.changeFont(1); });
    add(text, tr("&Smaller"), Qt::CTRL | Qt::ALT | Qt::Key_Minus,
        [this] { m_theme.changeFont(-1); });
    add(text, tr("&As the System Has It"), Qt::CTRL | Qt::ALT | Qt::Key_0,
        [this] { m_theme.changeFont(0); });
}

/// What the docks can do, by what one is at work on.
void MainWindow::buildTaskMenus()
{
    const auto ids = [](const char *names) {
        return QString::fromLatin1(names).split(QLatin1Char(' '));
    };
    addDockActions(menuBar()->addMenu(tr("&Weights")),
                   ids("bundle overview weight inspector codebook mask"));
    addDockActions(menuBar()->addMenu(tr("&Bytes")),
                   ids("hex layout search program graph patches diagnostics bookmarks"));
    addDockActions(
        menuBar()->addMenu(tr("Chip&s")),
        ids("stream assessment roofline timeline calibration geometry plan choose targets formats "
            "reduction collective"));
    addDockActions(menuBar()->addMenu(tr("Har&dware")),
                   ids("tasks groups relocations commands descriptor activation"));
}

/// Those of one dock at once, those of several under the docks' names.
void MainWindow::addDockActions(QMenu *menu, const QStringList &ids)
{
    m_needBundle << menu->menuAction();
    for (const QString &id : ids) {
        for (const DockSet::Entry &entry : m_docks->entries()) {
            if (entry.dock->id() != id || entry.menuActions.isEmpty())
                continue;
            QMenu *own = menu->addMenu(entry.dock->windowTitle());
            own->addActions(entry.menuActions);
        }
    }
}

void MainWindow::buildHelpMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Help"));
    add(menu, tr("&Help on This Dock"), QKeySequence::HelpContents, [this] { showHelp(); });
    add(menu, tr("Take the &Tour"), Qt::CTRL | Qt::Key_F1, [this] { m_tour->start(); });
    menu->addActions(m_docks->help()->menuActions());
    menu->addSeparator();
    add(menu, tr("&Welcome Page"), {}, [this] { showWelcome(true); });
    add(menu, tr("&About Kernscope"), {}, [this] { about(); });
    add(menu, tr("About &Qt"), {}, [] { QApplication::aboutQt(); });
}

} // namespace kernscope::app
