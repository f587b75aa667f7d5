// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/file_drops.h"
#include "app/go_to_box.h"
#include "app/notice_area.h"
#include "app/status_line.h"
#include "app/tab_order.h"
#include "app/tab_titles.h"
#include "app/table_columns.h"
#include "app/tour.h"
#include "app/view_accessible.h"
#include "app/welcome_page.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/common/cell_keys.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/help_dock.h"
#include "widgets/common/line_icon.h"
#include "widgets/common/plain_labels.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/theme.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/patch/patches_dock.h"
#include "widgets/weight/inspector_dock.h"
#include "widgets/weight/weight_dock.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QMenuBar>
#include <QMessageBox>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace kernscope::app {

namespace {

/// The size that window.md's drawings are made for, in pixels of a 96 dpi screen.
constexpr QSize kFirstSize(1400, 900);

} // namespace

MainWindow::MainWindow(Settings &settings, QWidget *parent)
    : QMainWindow(parent), m_settings(settings), m_theme(settings), m_document(m_session)
{
    setObjectName(QStringLiteral("kernscope"));
    setAccessibleName(tr("Kernscope"));
    new FileDrops(this, [this](const QStringList &paths) { openPaths(paths); });
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
        statusBar()->clearMessage(); // it would hide the line
        m_status->showMessage(text);
    });
    buildMenus();
    connectSession();
    connectDocument();
    keepPairs();
    m_tour = new Tour(*this);
    connect(m_tour, &Tour::runningChanged, this, &MainWindow::onTourChanged);
    fillRecent();
    showState();
    resize(sizeHint());
    restoreGeometry(m_settings.windowGeometry());
    setProperty(ui::kDialogFolder, m_settings.lastFolder());
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

/// Files and folders that the window shows: the two of the session, and builds that were added.
std::vector<std::filesystem::path> MainWindow::shownPaths() const
{
    std::vector<std::filesystem::path> paths;
    if (!m_document.inMemory() && m_session.bundle())
        paths.push_back(m_session.bundle()->path());
    if (!m_document.otherPath().isEmpty() && m_session.other())
        paths.push_back(m_session.other()->path());
    if (const auto *builds =
            qobject_cast<ui::BuildsDock *>(m_docks->dock(QStringLiteral("builds"))))
        for (const BundlePtr &build : builds->added())
            paths.push_back(build->path());
    return paths;
}

QSize MainWindow::sizeHint() const
{
    // The frame that the desktop puts around is not known before the window is shown.
    const int edge = ui::theme::em(this, 0.5), title = ui::theme::em(this, 3);
    const QScreen *at = screen();
    return at ? kFirstSize.boundedTo(at->availableSize() - QSize(2 * edge, title + edge))
              : kFirstSize;
}

void MainWindow::buildCentre()
{
    auto *centre = new QWidget(this);
    auto *rows = new QVBoxLayout(centre);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
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
        for (QAction *action : m_layoutGroup->actions())
            action->setChecked(action->data().toInt() == static_cast<int>(layout));
        if (auto *weight = qobject_cast<ui::WeightDock *>(m_docks->dock(QStringLiteral("weight"))))
            weight->enlargeGrid(layout == Layout::Patch);
    });
}

void MainWindow::connectSession()
{
    connect(&m_session, &ui::Session::bundleChanged, this, &MainWindow::showState);
    connect(&m_session, &ui::Session::otherChanged, this, &MainWindow::showState);
    connect(&m_session, &ui::Session::historyChanged, this, &MainWindow::showState);
    connect(&m_session, &ui::Session::placeChanged, this, &MainWindow::onPlaceChanged);
    connect(&m_session, &ui::Session::placeConfirmed, this, &MainWindow::onPlaceChanged);
    connect(&m_session, &ui::Session::editsRefused, this, &MainWindow::onRefused);
    connect(&m_session, &ui::Session::patchingEnabledChanged, this, [this](bool enabled) {
        m_patching->setChecked(enabled);
        m_patching->setIcon(
            ui::lineIcon(enabled ? QStringLiteral("unlock") : QStringLiteral("lock")));
        if (enabled)
            m_notices->remove(QStringLiteral("edit"));
    });
    // An edit that was made answers the one that was not.
    connect(&m_session, &ui::Session::bytesChanged, this, [this] {
        if (m_document.keptEdits().empty())
            m_notices->remove(QStringLiteral("edit"));
    });
    connectDocks();
    connect(m_goTo, &GoToBox::left, this, [this] {
        if (ui::Dock *dock = m_docks->dock(QStringLiteral("weight")); dock && dock->isVisible())
            dock->setFocus(Qt::OtherFocusReason);
        else
            m_host->setFocus(Qt::OtherFocusReason);
    });
    connect(m_goTo, &GoToBox::registerChosen, this, &MainWindow::showRegister);
    connect(m_welcome, &WelcomePage::openFolderClicked, this, &MainWindow::openFolder);
    connect(m_welcome, &WelcomePage::openFileClicked, this, &MainWindow::openFile);
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
    connect(m_status, &StatusLine::lockClicked, this, &MainWindow::togglePatching);
    if (auto *plan = qobject_cast<ui::PlanDock *>(m_docks->dock(QStringLiteral("plan"))))
        connect(plan, &ui::PlanDock::shapesAsked, this, &MainWindow::askShapes);
    auto *inspector = qobject_cast<ui::InspectorDock *>(m_docks->dock(QStringLiteral("inspector")));
    if (auto *overview =
            qobject_cast<ui::OverviewDock *>(m_docks->dock(QStringLiteral("overview"))))
        connect(overview, &ui::OverviewDock::baseWanted, this, &MainWindow::openBase);
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

void MainWindow::togglePatching()
{
    if (!m_document.isOpen())
        return;
    const bool enable = !m_session.patchingEnabled();
    m_session.setPatchingEnabled(enable);
    if (!enable)
        return;
    if (m_document.inMemory() || !m_document.writable())
        m_status->showMessage(tr("Patching is enabled. This file cannot be written in place: "
                                 "use Save As."));
    else
        m_status->showMessage(tr("Patching is enabled. Nothing is written before Save."));
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
        m_docks->dock(QStringLiteral("weight"))->raise();
}

void MainWindow::chooseLayout(Layout layout)
{
    m_layoutByHand = true;
    if (m_session.bundle() && isContainer(*m_session.bundle()) && layout != Layout::Compare)
        m_settings.setContainerLayout(layoutId(layout));
    ui::Dock *focused = m_docks->focused();
    showLayout(layout);
    focusWorkspace(focused);
}

/// A weight section has no tasks and no commands, but groups and a descriptor.
void MainWindow::raiseForOpened()
{
    if (m_layouts->current() == Layout::Inspect && m_session.place() == ui::Place())
        m_docks->dock(QStringLiteral("overview"))->raise();
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
    const QString kept = m_settings.containerLayout();
    for (const Layout layout : kLayouts) {
        if (layoutId(layout) == kept)
            return layout;
    }
    return Layout::Hardware;
}

void MainWindow::showHelp()
{
    const ui::Dock *focused = m_docks->focused();
    ui::HelpDock *help = m_docks->help();
    if (!focused && m_session.bundle())
        focused = m_layouts->mainDock();
    showWelcome(false);
    // Without a bundle no layout was shown yet, and the help would have no place.
    m_layouts->show(m_layouts->current());
    if (focused && focused != help)
        help->showPage(focused->id());
    else
        help->showPage(QStringLiteral("index"));
    DockSet::reveal(help);
}

void MainWindow::stepWeight(int direction)
{
    const BundlePtr &bundle = m_session.bundle();
    if (!bundle || bundle->weights().empty())
        return;
    const std::size_t count = bundle->weights().size(), now = m_session.place().weight;
    if (now >= count)
        m_session.goToWeight(direction > 0 ? 0 : count - 1);
    else if (direction > 0 ? now + 1 < count : now > 0)
        m_session.goToWeight(direction > 0 ? now + 1 : now - 1);
}

void MainWindow::showTitle()
{
    QString title = m_document.name();
    if (m_session.other())
        title += QStringLiteral(" \u21C4 ") + m_document.otherName();
    title.replace(QLatin1String("[*]"), QLatin1String("[*][*]")); // Qt's place for the mark
    setWindowModified(m_document.modified());
    setWindowTitle(title.isEmpty() ? tr("Kernscope") : tr("%1[*] \u2014 Kernscope").arg(title));
    setWindowFilePath(m_document.path());
    // A file path makes Qt put its own title together where none is set; ours stays.
}

void MainWindow::showState()
{
    const bool open = m_document.isOpen(), other = m_session.other() != nullptr;
    for (QAction *action : std::as_const(m_needBundle))
        action->setEnabled(open);
    for (QAction *action : std::as_const(m_needOther))
        action->setEnabled(other);
    for (QAction *action : std::as_const(m_needChanges))
        action->setEnabled(m_document.modified());
    m_back->setEnabled(m_session.canGoBack());
    m_forward->setEnabled(m_session.canGoForward());
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
        whenKept([this] {
            m_closing = true;
            close();
        });
        return;
    }
    m_document.forgetEdits(); // saved, or discarded by the user
    m_settings.setWindowGeometry(saveGeometry());
    m_settings.setLastFolder(ui::dialogFolder(this));
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
