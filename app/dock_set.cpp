// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dock_set.h"

#include "app/bookmarks_dock.h"
#include "app/build_watches.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/layout_dock.h"
#include "widgets/chips/assessment_dock.h"
#include "widgets/chips/calibration_dock.h"
#include "widgets/chips/chip_state.h"
#include "widgets/chips/choose_dock.h"
#include "widgets/chips/collective_dock.h"
#include "widgets/chips/formats_dock.h"
#include "widgets/chips/geometry_dock.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/reduction_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/chips/targets_dock.h"
#include "widgets/chips/timeline_dock.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/common/help_dock.h"
#include "widgets/common/theme.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/compare/bytes_dock.h"
#include "widgets/compare/codebooks_dock.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/pair_dock.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/ranges_dock.h"
#include "widgets/hardware/activation_dock.h"
#include "widgets/hardware/commands_dock.h"
#include "widgets/hardware/descriptor_dock.h"
#include "widgets/hardware/field_panel.h"
#include "widgets/hardware/groups_dock.h"
#include "widgets/hardware/relocations_dock.h"
#include "widgets/hardware/tasks_dock.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/patch/patches_dock.h"
#include "widgets/program/graph_dock.h"
#include "widgets/program/program_dock.h"
#include "widgets/search/search_dock.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/inspector_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/weight_dock.h"

#include <QAction>
#include <QApplication>
#include <QChildEvent>
#include <QMainWindow>
#include <QTabBar>
#include <QTimer>

namespace kernscope::app {

namespace {

constexpr double kLeastWidth = 8, kLeastHeight = 5; // in ems

} // namespace

DockSet::DockSet(ui::Session &session, QMainWindow *host, QObject *parent)
    : QObject(parent), m_host(host)
{
    host->installEventFilter(this);
    add<ui::BundleDock>(session, host, Qt::ALT | Qt::Key_1);
    add<ui::WeightDock>(session, host, Qt::ALT | Qt::Key_2);
    add<ui::OverviewDock>(session, host, Qt::ALT | Qt::Key_O);
    auto *inspector = add<ui::InspectorDock>(session, host, Qt::ALT | Qt::Key_I);
    inspector->addPanel(new ui::FieldPanel(session, inspector));
    add<ui::CodebookDock>(session, host, Qt::ALT | Qt::Key_3);
    add<ui::MaskDock>(session, host, Qt::ALT | Qt::Key_4);
    add<ui::LayoutDock>(session, host, Qt::ALT | Qt::Key_5);
    add<ui::HexDock>(session, host, Qt::ALT | Qt::Key_6);
    add<ui::SearchDock>(session, host, Qt::CTRL | Qt::SHIFT | Qt::Key_F);
    m_bookmarks = add<BookmarksDock>(session, host, Qt::CTRL | Qt::SHIFT | Qt::Key_D);
    add<ui::ProgramDock>(session, host, Qt::ALT | Qt::Key_P);
    add<ui::GraphDock>(session, host, Qt::ALT | Qt::Key_R);
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
    connect(m_compare, &ui::CompareDock::choicesChanged, bytes, &ui::BytesDock::setChoices);
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
    connect(places, &ui::PlacesDock::copyWanted, m_compare, &ui::CompareDock::copyChosen);
    auto *codebooks = add<ui::CodebooksDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_B);
    connect(m_compare, &ui::CompareDock::placesChanged, codebooks, &ui::CodebooksDock::setPlaces);
    auto *builds = add<ui::BuildsDock>(session, host, Qt::ALT | Qt::SHIFT | Qt::Key_M);
    connect(m_compare, &ui::CompareDock::choicesChanged, builds, &ui::BuildsDock::setChoices);
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
    if constexpr (requires { &T::raiseRequested; }) {
        connect(dock, &T::raiseRequested, this, [this](const QString &id) {
            if (ui::Dock *wanted = this->dock(id))
                reveal(wanted);
        });
    }
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
            // Tabs of which all were hidden get their place with the first of them only.
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

#include "moc_dock_set.cpp"
