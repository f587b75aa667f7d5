// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/access.h"
#include "app/bookmarks_dock.h"
#include "app/compare_menu.h"
#include "app/dock_set.h"
#include "app/edit_menu.h"
#include "app/export_menu.h"
#include "app/go_to_box.h"
#include "app/notice_area.h"
#include "app/open_controller.h"
#include "app/save_controller.h"
#include "app/session_controller.h"
#include "app/status_line.h"
#include "app/texts.h"
#include "app/tour.h"
#include "app/welcome_page.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/common/controls.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/help_dock.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/patch/patches_dock.h"
#include "widgets/weight/inspector_dock.h"
#include "widgets/weight/weight_dock.h"

namespace kernscope::app {

namespace {

/// The size that window.md's drawings are made for, in pixels of a 96 dpi screen.
constexpr QSize kFirstSize(1400, 900);

} // namespace

MainWindow::MainWindow(Settings &settings, QWidget *parent)
    : QMainWindow(parent), m_settings(settings), m_theme(settings), m_document(m_session)
{
    setObjectName(u"kernscope"_s);
    setAccessibleName(tr("Kernscope"));
    new FileDrops(this, [this](const QStringList &paths) {
        // One file, where a comparison is on view or about to be: its other side.
        if (paths.size() == 1 && m_session.bundle() && m_layouts->current() == Layout::Compare &&
            !isSessionPath(paths.first()))
            m_compareMenu->compareWith(paths.first());
        else
            openPaths(paths);
    });
    ui::showLabelsPlain();
    installViewAccessibility();
    buildCentre();
    m_status = new StatusLine(m_session, this);
    statusBar()->addWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
    // What a field says of a number that it does not take.
    connect(statusBar(), &QStatusBar::messageChanged, this, [this](const QString &text) {
        if (text.isEmpty())
            return;
        m_status->showMessage(text); // which is the bar's own: first
        statusBar()->clearMessage(); // it would hide the line
    });
    buildControllers();
    buildMenus();
    connectSession();
    connectDocument();
    m_compareMenu->keepPairs();
    m_tour = new Tour(*this);
    fillRecent();
    showState();
    resize(sizeHint());
    restoreGeometry(m_settings.get(Settings::kWindowGeometry));
    setProperty(ui::kDialogFolder, m_settings.get(Settings::kLastFolder));
    ui::setShownInputs(this, [this] { return shownPaths(); });
}

MainWindow::~MainWindow()
{
    // Members go before children do: what uses the session must not outlive it.
    m_session.tasks().quiesce();
    m_session.disconnect();
    m_session.undoStack().disconnect();
    delete takeCentralWidget();
    delete m_status;
}

QSize MainWindow::sizeHint() const
{
    // The frame that the desktop puts around is not known before the window is shown.
    const int edge = ui::theme::em(this, 0.5), title = ui::theme::em(this, 3);
    const QScreen *at = screen();
    return at ? kFirstSize.boundedTo(at->availableSize() - QSize(2 * edge, title + edge))
              : kFirstSize;
}

/// Files and folders that the window shows: the two of the session, and builds that were added.
std::vector<std::filesystem::path> MainWindow::shownPaths() const
{
    std::vector<std::filesystem::path> paths;
    if (!m_document.inMemory() && m_session.bundle())
        paths.push_back(m_session.bundle()->path());
    if (!m_document.otherPath().isEmpty() && m_session.other())
        paths.push_back(m_session.other()->path());
    if (const auto *builds = qobject_cast<ui::BuildsDock *>(m_docks->dock(u"builds"_s)))
        for (const BundlePtr &build : builds->added())
            paths.push_back(build->path());
    return paths;
}

void MainWindow::buildCentre()
{
    auto *centre = new QWidget(this);
    auto *rows = ui::withoutMargins(new QVBoxLayout(centre), 0);
    m_notices = new NoticeArea(centre); // over the rest, in no layout
    m_centre = new QStackedWidget(centre);
    rows->addWidget(m_centre, 1);

    m_welcome = new WelcomePage(m_centre);
    m_centre->addWidget(m_welcome);
    m_host = new QMainWindow(m_centre);
    m_host->setWindowFlags(Qt::Widget);
    m_host->setDockNestingEnabled(true);
    m_host->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks |
                           QMainWindow::AnimatedDocks);
    m_host->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_centre->addWidget(m_host);
    setCentralWidget(centre);

    m_docks = new DockSet(m_session, m_host, this);
    m_docks->bookmarks()->setStore(m_settings.stateFolder());
    m_document.keepEditsIn(m_settings.stateFolder());
    new TabTitles(m_host, *m_docks, this);
    new TabOrder(this);
    m_columns = new TableColumns(*m_docks, m_settings, this);
    m_layouts = new LayoutKeeper(m_host, *m_docks, m_settings, this);
    connect(m_layouts, &LayoutKeeper::currentChanged, this, [this](Layout layout) {
        for (QAction *action : m_viewMenu->layouts()->actions())
            action->setChecked(action->data().toInt() == static_cast<int>(layout));
        if (auto *weight = qobject_cast<ui::WeightDock *>(m_docks->dock(u"weight"_s)))
            weight->enlargeGrid(layout == Layout::Patch);
    });
}

void MainWindow::buildControllers()
{
    m_actions = new MenuActions(this);
    WindowParts parts{*this,   m_document, m_session, m_settings, m_notices,
                      m_docks, m_layouts,  nullptr,   m_actions};
    parts.saving = m_saving = new SaveController(parts);
    m_opener = new OpenController(parts);
    m_sessions = new SessionController(parts);
    m_said = new DocumentNotices(parts);
    m_editMenu = new EditMenu(parts);
    m_viewMenu = new ViewMenu(parts, *m_columns, m_theme);
    m_goMenu = new GoMenu(parts);
    m_compareMenu = new CompareMenu(parts);
    m_exportMenu = new ExportMenu(parts);

    connect(m_saving, &SaveController::saved, this, [this](const QString &target) {
        addRecent({target, {}});
        showState();
    });
    connect(m_saving, &SaveController::warned, m_docks->diagnostics(),
            &ui::DiagnosticsDock::addRow);
    connect(m_saving, &SaveController::reloadAsked, this, &MainWindow::revert);
    connect(m_opener, &OpenController::sessionAsked, m_sessions,
            qOverload<const QString &>(&SessionController::open));
    connect(m_opener, &OpenController::begins, m_sessions, &SessionController::forget);
    connect(m_opener, &OpenController::sampleMissing, m_sessions,
            &SessionController::sampleMissing);
    connect(m_sessions, &SessionController::openAsked, m_opener, &OpenController::openSession);
    connect(m_sessions, &SessionController::recentChanged, this, &MainWindow::fillRecent);
    connect(m_sessions, &SessionController::restoreAsked, this, [this] {
        showWelcome(false);
        if (const auto &layout = m_opener->wanted().layout)
            m_layouts->restore(*layout);
    });
    connect(m_said, &DocumentNotices::openAsked, this,
            [this](const QString &path) { openPaths({path}); });
    connect(m_said, &DocumentNotices::patchingAsked, m_editMenu, &EditMenu::togglePatching);
    connectMenus();
}

void MainWindow::connectMenus()
{
    const auto showDocks = [this] { showWelcome(false); };
    connect(m_editMenu, &EditMenu::docksAsked, this, showDocks);
    connect(m_editMenu, &EditMenu::shapesAsked, m_said, &DocumentNotices::askShapes);
    connect(m_editMenu, &EditMenu::refused, m_said, &DocumentNotices::refused);
    connect(m_viewMenu, &ViewMenu::docksAsked, this, showDocks);
    connect(m_viewMenu, &ViewMenu::layoutChosen, this, &MainWindow::chooseLayout);
    connect(m_viewMenu, &ViewMenu::resetAsked, this, [this] {
        showWelcome(false);
        m_layouts->reset();
    });
    connect(m_goMenu, &GoMenu::docksAsked, this, showDocks);
    connect(m_goMenu, &GoMenu::searchAsked, this, [this] {
        m_goTo->setFocus(Qt::ShortcutFocusReason);
        m_goTo->selectAll();
    });
    connect(m_compareMenu, &CompareMenu::compareAsked, this,
            [this] { m_opener->wanted().layout = Layout::Compare; });
    connect(m_compareMenu, &CompareMenu::layoutAsked, this, &MainWindow::showLayout);
    connect(m_compareMenu, &CompareMenu::samplesAsked, this, &MainWindow::openSample);
    connect(m_compareMenu, &CompareMenu::stopped, this, [this] {
        if (m_layouts->current() == Layout::Compare)
            showLayout(Layout::Inspect);
    });
    connect(m_exportMenu, &ExportMenu::docksAsked, this, showDocks);
}

void MainWindow::buildMenus()
{
    const auto menu = [this](const QString &title) { return menuBar()->addMenu(title); };
    QMenu *file = menu(tr("&File"));
    file->setObjectName(u"file"_s);
    buildFileMenu(file);
    m_editMenu->fill(menu(tr("&Edit")));
    m_viewMenu->fill(menu(tr("&View")));
    m_goMenu->fill(menu(tr("&Go")));
    m_compareMenu->fill(menu(tr("&Compare")), m_editMenu->applyPatches());
    m_exportMenu->fillMake(menu(tr("&Tools")));
    buildHelpMenu(menu(tr("&Help")));
    buildToolBar();
}

void MainWindow::buildFileMenu(QMenu *menu)
{
    m_open = m_actions->add(menu, tr("&Open Bundle Folder\u2026"), QKeySequence::Open,
                            [this] { m_opener->openFolder(); });
    m_open->setIcon(ui::lineIcon(u"open"_s));
    m_actions->add(menu, tr("Open &File\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_O,
                   [this] { m_opener->openFile(); });
    m_recentMenu = menu->addMenu(tr("Open &Recent"));
    QMenu *samples = menu->addMenu(tr("Open Sa&mple"));
    for (const auto &[text, name] : {std::pair{tr("&Dense"), u"sample-dense.mlmodelc"_s},
                                     std::pair{tr("&Sparse"), u"sample-sparse.mlmodelc"_s},
                                     std::pair{tr("&Palette"), u"sample-palette.mlmodelc"_s},
                                     std::pair{tr("&Core AI"), u"sample-coreai.aimodel"_s}})
        m_actions->add(samples, text, {}, [this, sample = name] { openSample(sample); });
    menu->addSeparator();
    m_save = m_actions->add(menu, tr("&Save\u2026"), QKeySequence::Save, Needs::Changes,
                            [this] { m_saving->save(); });
    m_save->setIcon(ui::lineIcon(u"save"_s));
    m_actions->add(menu, tr("Save &As\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, Needs::Bundle,
                   [this] { m_saving->saveAs(); });
    m_actions->add(menu, tr("Re&load from Disk"), QKeySequence::Refresh, Needs::Bundle,
                   [this] { revert(); });
    m_sessions->addActions(menu);
    m_exportMenu->fill(menu);
    menu->addSeparator();
    m_actions->add(menu, tr("&Close Bundle"), QKeySequence::Close, Needs::Bundle,
                   [this] { m_saving->whenKept([this] { m_document.close(); }); });
    m_actions->add(menu, tr("&Quit"), QKeySequence::Quit, [this] { close(); });
}

void MainWindow::fillRecent()
{
    const QList<Settings::Recent> entries = m_settings.recent();
    m_welcome->setRecent(entries);
    // What a comparison may begin with: two buttons, and the last pairs.
    constexpr qsizetype kBeginnings = 6;
    QList<QAction *> begin = m_compareMenu->compareWith();
    m_docks->dock(u"compare"_s)->setMessageActions(begin); // those of the list go
    m_recentMenu->clear();
    m_recentMenu->setEnabled(!entries.isEmpty());
    for (const Settings::Recent &entry : entries) {
        const QString text = recentText(entry);
        QStringList paths{entry.path};
        if (!entry.other.isEmpty())
            paths << entry.other;
        QAction *action =
            m_actions->add(m_recentMenu, QString(text).replace(QLatin1Char('&'), "&&"_L1), {},
                           [this, paths] { openPaths(paths); });
        action->setToolTip(paths.join(QLatin1Char('\n')));
        action->setStatusTip(paths.join(u"  "_s));
        if (paths.size() > 1 && begin.size() < kBeginnings)
            begin += action;
    }
    m_docks->dock(u"compare"_s)->setMessageActions(begin);
    m_recentMenu->setToolTipsVisible(true);
    m_recentMenu->addSeparator();
    m_actions->add(m_recentMenu, tr("&Clear List"), {}, [this] {
        m_settings.clearRecent();
        fillRecent();
    });
}

void MainWindow::addRecent(const Settings::Recent &entry)
{
    m_settings.addRecent(entry);
    fillRecent();
}

void MainWindow::buildHelpMenu(QMenu *menu)
{
    m_actions->add(menu, tr("&Help on This Dock"), QKeySequence::HelpContents,
                   [this] { showHelp(); });
    m_actions->add(menu, tr("Take the &Tour"), Qt::CTRL | Qt::Key_F1, [this] { m_tour->start(); });
    menu->addActions(m_docks->help()->menuActions());
    menu->addSeparator();
    m_actions->add(menu, tr("&Welcome Page"), {}, [this] { showWelcome(true); });
    m_actions->add(menu, tr("&About Kernscope"), {}, [this] { about(); });
    m_actions->add(menu, tr("About &Qt"), {}, [] { QApplication::aboutQt(); });
}

/// The workspaces, what one does most, and the box that finds everything: always in sight.
void MainWindow::buildToolBar()
{
    auto *bar = addToolBar(tr("Workspaces and tools"));
    bar->setObjectName(u"tools"_s);
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    const int side = ui::theme::em(this, 1.2);
    bar->setIconSize(QSize(side, side));
    auto *workspaces = new ui::Segmented(tr("Workspace"), bar);
    for (QAction *action : m_viewMenu->layouts()->actions())
        workspaces->add(action);
    bar->addWidget(workspaces);
    const auto addGroup = [bar](std::initializer_list<QAction *> actions) {
        bar->addSeparator();
        for (QAction *action : actions)
            bar->addAction(action);
    };
    addGroup({m_open, m_save});
    addGroup({m_editMenu->undo(), m_editMenu->redo()});
    addGroup({m_editMenu->patching(), m_compareMenu->compareWith().first()});
    addGroup({m_goMenu->back(), m_goMenu->forward()});
    for (QAction *action : {m_goMenu->back(), m_goMenu->forward()}) {
        auto *button = qobject_cast<QToolButton *>(bar->widgetForAction(action));
        auto *menu = new QMenu(button);
        const bool back = action == m_goMenu->back();
        connect(menu, &QMenu::aboutToShow, this,
                [this, menu, back] { m_goMenu->fillHistory(menu, back); });
        button->setMenu(menu);
        button->setPopupMode(QToolButton::DelayedPopup);
    }
    for (QToolButton *button : bar->findChildren<QToolButton *>()) {
        if (button->parentWidget() != workspaces) // Tab comes to the chosen one of those only
            button->setFocusPolicy(Qt::TabFocus);
    }
    auto *spring = new QWidget(bar);
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(spring);
    m_goTo = new GoToBox(m_session, bar);
    auto *found = new PaletteSource(*menuBar(), m_session, *m_docks, this);
    m_goTo->setSource([found](PaletteIndex &index) { found->fill(index); });
    connect(found, &PaletteSource::helpChosen, this, &MainWindow::showPage);
    connect(found, &PaletteSource::chipChosen, this, [this] {
        if (m_session.bundle())
            showLayout(Layout::Performance);
    });
    bar->addWidget(m_goTo);
}

void MainWindow::openPaths(const QStringList &paths)
{
    m_opener->openPaths(paths);
}

void MainWindow::openSample(const QString &name, const QString &other)
{
    m_opener->openSample(name, other);
}

void MainWindow::saveSession(const QString &path)
{
    m_sessions->save(path);
}

void MainWindow::openSession(const QString &path)
{
    m_sessions->open(path);
}

void MainWindow::connectSession()
{
    connect(&m_session, &ui::Session::bundleChanged, this, &MainWindow::showState);
    connect(&m_session, &ui::Session::otherChanged, this, &MainWindow::showState);
    connect(&m_session, &ui::Session::historyChanged, this, &MainWindow::showState);
    connect(&m_session, &ui::Session::placeChanged, this, &MainWindow::onPlaceChanged);
    connect(&m_session, &ui::Session::placeConfirmed, this, &MainWindow::onPlaceChanged);
    connectDocks();
    connect(m_goTo, &GoToBox::left, this, [this] {
        if (ui::Dock *dock = m_docks->dock(u"weight"_s); dock && dock->isVisible())
            dock->setFocus(Qt::OtherFocusReason);
        else
            m_host->setFocus(Qt::OtherFocusReason);
    });
    connect(m_goTo, &GoToBox::registerChosen, this, &MainWindow::showRegister);
    connect(m_welcome, &WelcomePage::openFolderClicked, m_opener, &OpenController::openFolder);
    connect(m_welcome, &WelcomePage::openFileClicked, m_opener, &OpenController::openFile);
    connect(m_welcome, &WelcomePage::sampleClicked, this, [this] { openPaths({}); });
    connect(m_welcome, &WelcomePage::recentClicked, this, [this](const Settings::Recent &entry) {
        openPaths(entry.other.isEmpty() ? QStringList{entry.path}
                                        : QStringList{entry.path, entry.other});
    });
}

void MainWindow::connectDocks()
{
    ui::PatchesDock *patches = m_docks->patches();
    connect(patches, &ui::PatchesDock::stepWanted, &m_document, &Document::goToStep);
    connect(patches, &ui::PatchesDock::switchWanted, &m_document, &Document::switchEdit);
    connect(patches, &ui::PatchesDock::noteWritten, &m_document, &Document::setEditNote);
    connect(m_status, &StatusLine::lockClicked, m_editMenu, &EditMenu::togglePatching);
    if (auto *plan = qobject_cast<ui::PlanDock *>(m_docks->dock(u"plan"_s))) {
        connect(plan, &ui::PlanDock::shapesAsked, m_said, &DocumentNotices::askShapes);
        connect(plan, &ui::PlanDock::openWanted, this, [this](const QString &path, bool beside) {
            if (!beside)
                return openPaths({path});
            m_opener->wanted().layout = Layout::Compare;
            m_document.openOther(path);
        });
    }
    auto *inspector = qobject_cast<ui::InspectorDock *>(m_docks->dock(u"inspector"_s));
    if (auto *overview = qobject_cast<ui::OverviewDock *>(m_docks->dock(u"overview"_s)))
        connect(overview, &ui::OverviewDock::baseWanted, m_opener, &OpenController::openBase);
    connect(inspector, &ui::InspectorDock::nextRequested, this, &MainWindow::doNext);
    ui::DiagnosticsDock *diagnostics = m_docks->diagnostics();
    connect(m_status, &StatusLine::diagnosticsClicked, this, [this, diagnostics] {
        showWelcome(false);
        DockSet::reveal(diagnostics);
    });
    connect(diagnostics, &ui::DiagnosticsDock::countsChanged, this, [this, diagnostics] {
        m_status->setCounts(diagnostics->countOf(Severity::Error),
                            diagnostics->countOf(Severity::Warning));
    });
}

void MainWindow::connectDocument()
{
    connect(&m_document, &Document::opened, this, &MainWindow::onOpened);
    connect(&m_document, &Document::otherOpened, this, &MainWindow::onOtherOpened);
    connect(&m_document, &Document::openFailed, this, &MainWindow::onOpenFailed);
    connect(&m_document, &Document::closed, this, [this] {
        m_notices->clear();
        if (m_status->message() == m_openedText)
            m_status->showMessage({}); // of what was open
        showWelcome(true);
        showState();
    });
    connect(&m_document, &Document::cancelled, this, &MainWindow::onCancelled);
    connect(&m_document, &Document::modifiedChanged, this, &MainWindow::showState);
}

void MainWindow::onOtherOpened()
{
    const bool session = m_sessions->opening();
    if (!m_document.inMemory() && !session)
        addRecent({m_document.path(), m_document.otherPath()});
    const bool stays = std::exchange(m_opener->wanted().layoutStays, false);
    if (session || stays) // a session says itself what it shows
        return;
    const bool turns = m_layouts->current() != Layout::Compare;
    showLayout(Layout::Compare);
    if (turns)
        focusOpened();
}

void MainWindow::onCancelled(Document::Busy what)
{
    m_sessions->forget();
    m_opener->wanted().anew = false;
    m_status->showMessage(what == Document::Busy::Saving ? tr("Cancelled: nothing was written.")
                          : what == Document::Busy::Opening
                              ? tr("Cancelled: nothing was opened.")
                              : tr("Cancelled: nothing was changed."));
}

void MainWindow::onOpened(bool recovered)
{
    m_notices->clear();
    if (!m_document.inMemory())
        ui::setDialogFolder(this, QFileInfo(m_document.path()).absolutePath());
    if (!m_document.inMemory() && !m_sessions->opening()) {
        if (!m_session.other())
            m_settings.addRecent({m_document.path(), {}});
        fillRecent();
    }
    showLayout(m_opener->wanted().layout.value_or(layoutForOpened()));
    m_opener->finish();
    showState();
    if (std::exchange(m_opener->wanted().anew, false))
        focusOpened();
    if (m_document.inMemory() && !m_sessions->opening())
        m_tour->offer(m_settings);
    m_said->opened(recovered);
    const bool open = !m_document.openInputs().empty() && !m_session.bundle()->shapeBindings();
    m_openedText = (open ? tr("Opened %1, which leaves shapes of inputs open "
                              "(Ctrl+Shift+I gives them)")
                         : tr("Opened %1"))
                       .arg(m_document.name());
    m_status->showMessage(m_openedText);
    if (m_sessions->opening()) // once the other bundle has said that it is open, too
        QMetaObject::invokeMethod(m_sessions, &SessionController::finish, Qt::QueuedConnection);
}

void MainWindow::onOpenFailed(const QString &path, const Error &error)
{
    m_opener->wanted().layoutStays = m_opener->wanted().anew = false;
    m_sessions->failed(path);
    if (error.code == "bundle.several" && QFileInfo(path).isDir()) {
        m_notices->add(NoticeArea::Kind::Note, u"open:"_s + path,
                       tr("%1 is a folder of several bundles.").arg(path),
                       {{tr("Choose One\u2026"), [this, path] { m_opener->offerBundles(path); }}});
        m_opener->offerBundles(path);
        return;
    }
    m_notices->add(NoticeArea::Kind::Error, u"open:"_s + path, openingFault(path, error));
    m_docks->diagnostics()->addRow({Severity::Error, error});
    m_settings.removeRecent({path, {}});
    fillRecent();
}

void MainWindow::revert()
{
    m_saving->whenKept([this] {
        m_opener->wanted().layout = m_layouts->current();
        m_document.reload();
    });
}

/// A link of the overview's inspector.
void MainWindow::doNext(const QString &what)
{
    if (what == "compare"_L1)
        m_compareMenu->compareWith().first()->trigger();
    else if (what == "report"_L1)
        m_exportMenu->report()->trigger();
    else if (what == "plan"_L1) {
        showLayout(Layout::Performance);
        DockSet::reveal(m_docks->dock(u"plan"_s));
    }
}

void MainWindow::showWelcome(bool welcome)
{
    if (welcome) {
        m_centre->setCurrentWidget(m_welcome);
        return;
    }
    // At once, not with the next event: layouts are measured by it.
    m_host->setGeometry(m_centre->contentsRect());
    m_centre->setCurrentWidget(m_host);
}

void MainWindow::showLayout(Layout layout)
{
    showWelcome(false);
    m_layouts->show(layout);
    if (m_session.bundle())
        raiseForOpened();
    if (layout == Layout::Inspect && std::exchange(m_weightChosenElsewhere, false))
        m_docks->dock(u"weight"_s)->raise();
}

void MainWindow::chooseLayout(Layout layout)
{
    m_layoutByHand = true;
    if (m_session.bundle() && isContainer(*m_session.bundle()) && layout != Layout::Compare)
        m_settings.set(Settings::kContainerLayout, layoutId(layout));
    ui::Dock *focused = m_docks->focused();
    showLayout(layout);
    focusWorkspace(focused);
}

/// A weight section has no tasks and no commands, but groups and a descriptor. Patch has no
/// overview: where the whole bundle is chosen, its first weight is.
void MainWindow::raiseForOpened()
{
    if (m_layouts->current() == Layout::Patch && m_session.place() == ui::Place() &&
        !m_session.bundle()->weights().empty())
        m_session.goToWeight(0);
    if (m_layouts->current() == Layout::Inspect && m_session.place() == ui::Place())
        m_docks->dock(u"overview"_s)->raise();
    if (m_layouts->current() == Layout::Inspect && m_session.bundle()->compiled())
        DockSet::reveal(m_docks->dock(u"compiled"_s));
    if (m_layouts->current() != Layout::Hardware || !m_session.bundle()->section())
        return;
    const auto raise = [this](const char *empty, const char *wanted) {
        if (m_docks->dock(QString::fromLatin1(empty))->isVisible())
            m_docks->dock(QString::fromLatin1(wanted))->raise();
    };
    // Where all of them are tabs of one place the groups are in front.
    raise("commands", "descriptor");
    raise("tasks", "groups");
}

/// Containers have a layout of their own, unless another one was chosen by hand.
Layout MainWindow::layoutForOpened() const
{
    const Layout now = m_layouts->current();
    const bool comparing = now == Layout::Compare;
    if (m_layoutByHand)
        return comparing ? Layout::Inspect : now;
    if (!isContainer(*m_session.bundle()))
        return comparing || now == Layout::Hardware ? Layout::Inspect : now;
    const QString kept = m_settings.get(Settings::kContainerLayout);
    for (const Layout layout : kLayouts) {
        if (layoutId(layout) == kept)
            return layout;
    }
    return Layout::Hardware;
}

/// The overview makes room for the first weight that is chosen: at once where both are on view,
/// else as soon as Inspect is shown.
void MainWindow::onPlaceChanged()
{
    ui::Dock *overview = m_docks->dock(u"overview"_s);
    ui::Dock *weight = m_docks->dock(u"weight"_s);
    const ui::Place &place = m_session.place();
    const bool chosen = m_session.bundle() && place.weight < m_session.bundle()->weights().size();
    m_weightChosenElsewhere = chosen && m_layouts->current() != Layout::Inspect;
    if (!m_host->tabifiedDockWidgets(overview).contains(weight))
        return;
    if (chosen && overview->isVisible() && !overview->visibleRegion().isEmpty()) {
        weight->raise();
        // Not for the second click of a double click that chose it.
        weight->setAttribute(Qt::WA_TransparentForMouseEvents);
        QTimer::singleShot(QApplication::doubleClickInterval(), weight, [weight] {
            weight->setAttribute(Qt::WA_TransparentForMouseEvents, false);
        });
    } else if (place == ui::Place())
        overview->raise();
}

/// The keyboard goes on in what the workspace is about, once its docks have their places: where
/// `before`, the dock that had it, is out of view now.
void MainWindow::focusWorkspace(ui::Dock *before)
{
    QTimer::singleShot(0, this, [this, before] {
        if (!before)
            return;
        // A dock that both workspaces show loses the keyboard where it is hidden in between.
        ui::Dock *dock = before->onView() ? before : m_layouts->mainDock();
        if (dock && m_docks->focused() != dock)
            dock->setFocus(Qt::ShortcutFocusReason);
    });
}

/// The tasks come into view, and follow to the register that was chosen.
void MainWindow::showRegister()
{
    showLayout(Layout::Hardware);
    DockSet::reveal(m_docks->dock(u"tasks"_s));
}

/// The keyboard begins in the navigator, or where the workspace has none in what it is about.
void MainWindow::focusOpened()
{
    QTimer::singleShot(0, this, [this] { // once the docks have their places
        const bool typing = m_goTo->hasFocus() && !m_goTo->text().isEmpty();
        if (typing || m_tour->running())
            return;
        ui::Dock *dock = m_docks->dock(u"bundle"_s);
        if (!dock->onView())
            dock = m_layouts->mainDock();
        if (dock)
            dock->setFocus(Qt::OtherFocusReason);
    });
}

void MainWindow::showHelp()
{
    const ui::Dock *focused = m_docks->focused();
    if (!focused && m_session.bundle())
        focused = m_layouts->mainDock();
    showPage(focused && focused != m_docks->help() ? focused->id() : u"index"_s);
}

void MainWindow::showPage(const QString &page)
{
    showWelcome(false);
    // Without a bundle no layout was shown yet, and the help would have no place.
    m_layouts->show(m_layouts->current());
    m_docks->help()->showPage(page);
    DockSet::reveal(m_docks->help());
}

void MainWindow::showTitle()
{
    QString title = m_document.name();
    if (m_session.other())
        title += u" \u21C4 "_s + m_document.otherName();
    title.replace("[*]"_L1, "[*][*]"_L1); // Qt's place for the mark
    setWindowModified(m_document.modified());
    setWindowTitle(title.isEmpty() ? tr("Kernscope") : tr("%1[*] \u2014 Kernscope").arg(title));
    setWindowFilePath(m_document.path());
    // A file path makes Qt put its own title together where none is set; ours stays.
}

void MainWindow::showState()
{
    const bool open = m_document.isOpen(), other = m_session.other() != nullptr;
    m_actions->enable(open, open && m_session.bundle()->section() != nullptr, other,
                      m_document.modified());
    m_goMenu->back()->setEnabled(m_session.canGoBack());
    m_goMenu->forward()->setEnabled(m_session.canGoForward());
    m_status->setModified(m_document.modified());
    showTitle();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!m_closing && m_document.busy() == Document::Busy::Saving) {
        m_status->showMessage(tr("Saving: wait a moment, or cancel."));
        event->ignore();
        return;
    }
    ui::finishEditing();
    if (!m_closing && (m_document.modified() || m_document.busy() == Document::Busy::Planning)) {
        event->ignore();
        m_saving->whenKept([this] {
            m_closing = true;
            close();
        });
        return;
    }
    m_document.forgetEdits(); // saved, or discarded by the user
    m_settings.set(Settings::kWindowGeometry, saveGeometry());
    m_settings.set(Settings::kLastFolder, ui::dialogFolder(this));
    m_layouts->keep();
    m_settings.sync();
    QMainWindow::closeEvent(event);
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    m_closing = false;
}

void MainWindow::about()
{
    auto *box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Kernscope"),
        tr("<h3>Kernscope %1</h3>"
           "<p>Inspector for compiled neural-network weights: opens what a "
           "compiler wrote, compares two builds, patches in place.</p>"
           "<p>GPL-3.0-or-later. Made with Qt %2.</p>")
            .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())),
        QMessageBox::Close, this);
    box->setTextFormat(Qt::RichText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace kernscope::app

#include "moc_main_window.cpp"
