// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dock_set.h"

#include "app/bookmarks_dock.h"
#include "app/bundle_watch.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/layout_dock.h"
#include "widgets/chips/assessment_dock.h"
#include "widgets/chips/calibration_dock.h"
#include "widgets/chips/choose_dock.h"
#include "widgets/chips/engine_docks.h"
#include "widgets/chips/formats_dock.h"
#include "widgets/chips/geometry_dock.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/chips/timeline_dock.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/common/help_dock.h"
#include "widgets/common/qt.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/compare/bytes_dock.h"
#include "widgets/compare/compare_copies.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/compare/pair_dock.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/ranges_dock.h"
#include "widgets/hardware/activation_dock.h"
#include "widgets/hardware/container_docks.h"
#include "widgets/hardware/descriptor_dock.h"
#include "widgets/hardware/field_panel.h"
#include "widgets/hardware/groups_dock.h"
#include "widgets/hardware/tasks_dock.h"
#include "widgets/models/theme.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/patch/patches_dock.h"
#include "widgets/program/compiled_dock.h"
#include "widgets/program/graph_dock.h"
#include "widgets/program/operation_panel.h"
#include "widgets/program/program_dock.h"
#include "widgets/search/search_dock.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/weight_dock.h"

namespace kernscope::app {

TabTitles::TabTitles(QMainWindow *host, const DockSet &docks, QObject *parent)
    : QObject(parent), m_host(host), m_docks(docks)
{
    host->installEventFilter(this);
    for (const DockSet::Entry &entry : docks.entries()) {
        entry.dock->installEventFilter(this);
        connect(entry.dock, &QDockWidget::topLevelChanged, this, &TabTitles::schedule);
        connect(entry.dock, &QDockWidget::dockLocationChanged, this, &TabTitles::schedule);
    }
    for (QTabBar *tabs : host->findChildren<QTabBar *>(QString(), Qt::FindDirectChildrenOnly))
        watch(tabs);
}

void TabTitles::watch(QTabBar *tabs)
{
    tabs->installEventFilter(this);
    tabs->setAccessibleName(DockSet::tr("Docks of this place"));
    connect(tabs, &QTabBar::currentChanged, this, &TabTitles::schedule, Qt::UniqueConnection);
    schedule();
}

bool TabTitles::eventFilter(QObject *watched, QEvent *event)
{
    auto *tabs = qobject_cast<QTabBar *>(watched);
    switch (event->type()) {
    case QEvent::ChildPolished:
        if (watched == m_host) {
            if (auto *child = qobject_cast<QTabBar *>(static_cast<QChildEvent *>(event)->child()))
                watch(child);
        }
        break;
    case QEvent::Resize:
    case QEvent::LayoutRequest:
        if (tabs)
            schedule();
        break;
    case QEvent::Show:
    case QEvent::Hide:
        if (watched != m_host)
            schedule();
        break;
    case QEvent::ContextMenu:
        if (tabs) {
            const auto *asked = static_cast<QContextMenuEvent *>(event);
            if (ui::Dock *dock = dockOf(tabs, tabs->tabAt(asked->pos()))) {
                auto *menu = new QMenu(tabs);
                menu->setAttribute(Qt::WA_DeleteOnClose);
                menu->addActions(dock->standingActions());
                menu->popup(asked->globalPos());
            }
            return true;
        }
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

/// Qt moves docks and makes tabs in several steps: once, after all of them.
void TabTitles::schedule()
{
    if (m_scheduled)
        return;
    m_scheduled = true;
    QTimer::singleShot(0, this, [this] {
        m_scheduled = false;
        update();
    });
}

/// Qt keeps the address of each dock in the data of its tab.
ui::Dock *TabTitles::dockOf(const QTabBar *tabs, int index) const
{
    const auto address = tabs->tabData(index).value<quintptr>();
    for (const DockSet::Entry &entry : m_docks.entries()) {
        if (reinterpret_cast<quintptr>(static_cast<QWidget *>(entry.dock)) == address)
            return entry.dock;
    }
    return nullptr;
}

void TabTitles::update()
{
    QList<ui::Dock *> placed;
    for (QTabBar *tabs : m_host->findChildren<QTabBar *>(QString(), Qt::FindDirectChildrenOnly)) {
        if (tabs->isVisible() && tabs->count() > 1)
            updateRow(tabs, placed);
    }
    for (const DockSet::Entry &entry : m_docks.entries()) {
        if (!placed.contains(entry.dock))
            entry.dock->standInTabs(nullptr, {}, false);
    }
}

void TabTitles::updateRow(QTabBar *tabs, QList<ui::Dock *> &placed)
{
    QRect used;
    for (int i = 0; i < tabs->count(); ++i)
        used |= tabs->tabRect(i);
    QRect room = tabs->rect();
    if (tabs->layoutDirection() == Qt::RightToLeft)
        room.setRight(used.left() - 1);
    else
        room.setLeft(used.right() + 1);
    for (int i = 0; i < tabs->count(); ++i) {
        ui::Dock *dock = dockOf(tabs, i);
        // A row that Qt keeps for later still names the docks that have left it for a window of
        // their own, where they need their title.
        if (dock && !dock->isFloating() && dock->standInTabs(tabs, room, i == tabs->currentIndex()))
            placed += dock;
    }
}

/// Watches the builds that were added in Builds: one that another program changes is opened again.
class BuildWatches : public QObject
{
    Q_OBJECT

public:
    explicit BuildWatches(ui::BuildsDock &builds);

private:
    void watchAdded();

    ui::BuildsDock &m_builds;
    std::vector<std::unique_ptr<BundleWatch>> m_watches; ///< in the order of the builds
};

namespace {

constexpr double kLeastWidth = 8, kLeastHeight = 5; // in ems

} // namespace

BuildWatches::BuildWatches(ui::BuildsDock &builds) : QObject(&builds), m_builds(builds)
{
    connect(&builds, &ui::BuildsDock::addedChanged, this, &BuildWatches::watchAdded);
}

void BuildWatches::watchAdded()
{
    // A watch may be what tells of the change: it goes once it has told.
    for (auto &watch : m_watches)
        watch.release()->deleteLater();
    m_watches.clear();
    for (const BundlePtr &bundle : m_builds.added()) {
        m_watches.push_back(std::make_unique<BundleWatch>());
        BundleWatch *watch = m_watches.back().get();
        watch->watch(bundle);
        connect(watch, &BundleWatch::changed, &m_builds,
                [this, bundle] { m_builds.reopen(bundle); });
    }
}

DockSet::DockSet(ui::Session &session, QMainWindow *host, QObject *parent)
    : QObject(parent), m_host(host)
{
    host->installEventFilter(this);
    add<ui::BundleDock>(session, host, Qt::ALT | Qt::Key_1);
    add<ui::WeightDock>(session, host, Qt::ALT | Qt::Key_2);
    add<ui::OverviewDock>(session, host, Qt::ALT | Qt::Key_O);
    auto *inspector = add<ui::InspectorDock>(session, host, Qt::ALT | Qt::Key_I);
    inspector->addPanel(new ui::FieldPanel(session, inspector), 100);
    inspector->addPanel(new ui::OperationPanel(session, inspector), 0);
    add<ui::CodebookDock>(session, host, Qt::ALT | Qt::Key_3);
    add<ui::MaskDock>(session, host, Qt::ALT | Qt::Key_4);
    add<ui::LayoutDock>(session, host, Qt::ALT | Qt::Key_5);
    add<ui::HexDock>(session, host, Qt::ALT | Qt::Key_6);
    add<ui::SearchDock>(session, host, Qt::CTRL | Qt::SHIFT | Qt::Key_F);
    m_bookmarks = add<BookmarksDock>(session, host, Qt::CTRL | Qt::SHIFT | Qt::Key_D);
    add<ui::ProgramDock>(session, host, Qt::ALT | Qt::Key_P);
    add<ui::GraphDock>(session, host, Qt::ALT | Qt::Key_R);
    add<ui::CompiledDock>(session, host, Qt::CTRL | Qt::ALT | Qt::Key_6);
    addComparing(session, host);
    m_patches = add<ui::PatchesDock>(session, host, Qt::ALT | Qt::Key_9);
    m_diagnostics = add<ui::DiagnosticsDock>(session, host, Qt::ALT | Qt::Key_0);
    add<ui::TasksDock>(session, host, Qt::CTRL | Qt::ALT | Qt::Key_1);
    add<ui::RelocationsDock>(session, host, Qt::CTRL | Qt::ALT | Qt::Key_2);
    add<ui::CommandsDock>(session, host, Qt::CTRL | Qt::ALT | Qt::Key_3);
    add<ui::DescriptorDock>(session, host, Qt::CTRL | Qt::ALT | Qt::Key_4);
    add<ui::GroupsDock>(session, host, Qt::CTRL | Qt::ALT | Qt::Key_5);
    addChips(session, host);
    m_help = add<ui::HelpDock>(session, host, Qt::SHIFT | Qt::Key_F1);
}

/// What chips do with the weights.
void DockSet::addChips(ui::Session &session, QMainWindow *host)
{
    add<ui::StreamDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_1);
    add<ui::AssessmentDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_I);
    add<ui::RooflineDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_2);
    add<ui::GeometryDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_3);
    add<ui::TargetsDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_4);
    add<ui::PlanDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_P);
    add<ui::ChooseDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_5);
    add<ui::CollectiveDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_6);
    add<ui::TimelineDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_7);
    add<ui::CalibrationDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_8);
    add<ui::ReductionDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_9);
    add<ui::ActivationDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_A);
    add<ui::FormatsDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_F);
}

/// The docks of a comparison, and what they tell each other.
void DockSet::addComparing(ui::Session &session, QMainWindow *host)
{
    m_compare = add<ui::CompareDock>(session, host, Qt::ALT | Qt::Key_7);
    ui::BytesDock *bytes = add<ui::BytesDock>(session, host, Qt::ALT | Qt::Key_8);
    connect(m_compare, &ui::CompareDock::swappedChanged, bytes, &ui::BytesDock::setSwapped);
    connect(&m_compare->pairs(), &ui::HandPairs::choicesChanged, bytes, &ui::BytesDock::setChoices);
    connect(m_compare, &ui::CompareDock::placesChanged, bytes,
            [bytes](const ui::PairPlaces &places) {
                bytes->setPair(places.subject.sides.a, places.subject.sides.b);
            });
    auto *ranges = add<ui::RangesDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_R);
    connect(bytes, &ui::BytesDock::differencesChanged, ranges, &ui::RangesDock::setDifferences);
    connect(bytes, &ui::BytesDock::comparisonCancelled, ranges, &ui::RangesDock::setCancelled);
    connect(ranges, &ui::RangesDock::differencesWanted, bytes, &ui::BytesDock::compareHidden);
    connect(ranges, &ui::RangesDock::rangeWanted, bytes, &ui::BytesDock::goToRange);
    add<ui::PairDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_J)->inspect(*m_compare);
    auto *places = add<ui::PlacesDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_C);
    connect(m_compare, &ui::CompareDock::placesChanged, places, &ui::PlacesDock::setPlaces);
    connect(places, &ui::PlacesDock::copyWanted, &m_compare->copies(),
            &ui::CompareCopies::copyChosen);
    auto *codebooks = add<ui::CodebooksDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_B);
    connect(m_compare, &ui::CompareDock::placesChanged, codebooks, &ui::CodebooksDock::setPlaces);
    auto *builds = add<ui::BuildsDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_M);
    connect(&m_compare->pairs(), &ui::HandPairs::choicesChanged, builds,
            &ui::BuildsDock::setChoices);
    connect(m_compare, &ui::CompareDock::placesChanged, builds,
            [builds](const ui::PairPlaces &shown) {
                builds->propose(shown.documentIsB ? shown.subject.sides.b : shown.subject.sides.a);
            });
    connect(m_compare, &ui::CompareDock::thirdBuildWanted, builds, [builds](bool folder) {
        reveal(builds);
        builds->menuActions().at(folder ? 1 : 0)->trigger();
    });
    new BuildWatches(*builds); // goes with the dock
    // One chip is chosen in the whole window.
    ui::ChipState &chips = ui::ChipState::of(session);
    m_compare->setChip(chips.target());
    connect(&chips, &ui::ChipState::targetChanged, m_compare,
            [this, &chips] { m_compare->setChip(chips.target()); });
    connect(m_compare, &ui::CompareDock::chipChosen, this,
            [&chips](std::size_t chip) { chips.setTarget(target::targets()[chip]); });
}

template <class T>
T *DockSet::add(ui::Session &session, QMainWindow *host, const QKeySequence &key)
{
    auto *dock = new T(session, host);
    dock->setAllowedAreas(Qt::AllDockWidgetAreas);
    // What a dock would like to have at least must not push the window off a small screen.
    dock->widget()->setMinimumSize(ui::theme::em(dock, kLeastWidth),
                                   ui::theme::em(dock, kLeastHeight));
    auto *action = new QAction(dock->windowTitle(), this);
    action->setCheckable(true);
    action->setChecked(!dock->isHidden());
    action->setShortcut(key);
    connect(dock->toggleViewAction(), &QAction::toggled, action, &QAction::setChecked);
    connect(action, &QAction::triggered, dock, [this, dock, action] {
        [[maybe_unused]] const bool inFocus = focused() == dock && dock->isVisible();
        if constexpr (requires { dock->begin(); }) { // who searches again wants to type
            reveal(dock);
            dock->begin();
        } else if (inFocus) {
            dock->close();
        } else {
            reveal(dock);
        }
        action->setChecked(!dock->isHidden());
    });
    connect(dock, &ui::Dock::raiseRequested, this, [this](const QString &id) {
        if (ui::Dock *wanted = this->dock(id))
            reveal(wanted);
    });
    dock->installEventFilter(this);
    m_entries.push_back({dock, action, dock->menuActions()});
    return dock;
}

/// Qt makes the tabs of docks as it needs them, and would cut their names down to a letter. A dock
/// that comes back would get its least width only: the others have taken the rest.
bool DockSet::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_host && event->type() == QEvent::ChildPolished) {
        if (auto *tabs = qobject_cast<QTabBar *>(static_cast<QChildEvent *>(event)->child())) {
            tabs->setElideMode(Qt::ElideNone);
            tabs->setUsesScrollButtons(true);
        }
    }
    auto *dock = qobject_cast<ui::Dock *>(watched);
    if (dock && event->type() == QEvent::Close && !dock->isFloating())
        m_sizes.insert(dock, dock->size());
    if (dock && event->type() == QEvent::Show && m_sizes.contains(dock)) {
        const QSize size = m_sizes.take(dock);
        const auto resize = [this, dock, size] {
            m_host->resizeDocks({dock}, {size.width()}, Qt::Horizontal);
            m_host->resizeDocks({dock}, {size.height()}, Qt::Vertical);
        };
        QTimer::singleShot(0, dock, [dock, resize] {
            resize();
            // Tabs that were all hidden get their place with the first of them only.
            QTimer::singleShot(0, dock, resize);
        });
    }
    return QObject::eventFilter(watched, event);
}

void DockSet::reveal(ui::Dock *dock)
{
    dock->show();
    dock->raise();
    dock->setFocus(Qt::ShortcutFocusReason);
}

QStringList DockSet::ids() const
{
    QStringList list;
    for (const Entry &entry : m_entries)
        list << entry.dock->id();
    return list;
}

ui::Dock *DockSet::dock(const QString &id) const
{
    for (const Entry &entry : m_entries) {
        if (entry.dock->id() == id)
            return entry.dock;
    }
    return nullptr;
}

ui::Dock *DockSet::largestOnView() const
{
    ui::Dock *largest = nullptr;
    const auto area = [](const ui::Dock *dock) { return dock->width() * dock->height(); };
    for (const Entry &entry : m_entries) {
        if (entry.dock->onView() && (!largest || area(entry.dock) > area(largest)))
            largest = entry.dock;
    }
    return largest;
}

ui::Dock *DockSet::focused() const
{
    for (QWidget *widget = QApplication::focusWidget(); widget; widget = widget->parentWidget()) {
        if (auto *dock = qobject_cast<ui::Dock *>(widget))
            return dock;
    }
    return nullptr;
}

} // namespace kernscope::app

#include "dock_set.moc"
#include "moc_dock_set.cpp"
