// SPDX-License-Identifier: GPL-3.0-or-later
#include "script.h"

#include "app/dock_set.h"
#include "app/go_to_box.h"
#include "inputs.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/compare/compare_dock.h"

#include <QEventLoop>
#include <QHeaderView>
#include <QScrollBar>
#include <QTreeView>

#include <set>
#include <utility>

using namespace Qt::StringLiterals;

namespace kernscope::bench {

namespace {

constexpr int kMostOpening = 30'000; ///< milliseconds
constexpr int kStrokes = 60;         ///< of each kind of scrolling
constexpr int kDockStrokes = 4;

const Measure kFirstPaint{u"first paint"_s, 350};
const Measure kUsefulPaint{u"first useful paint, after that"_s, 300};
const Measure kHexFrame{u"hex: frame"_s, 16};
const Measure kMapFrame{u"heat map: frame"_s, 16};
const Measure kMaskFrame{u"mask: frame"_s, 16};
const Measure kPairFrame{u"pictures of a pair: frame"_s, 16};
const Measure kTableFrame{u"weights table: frame"_s, 16};
const Measure kDockFrame{u"other tables and plots: frame"_s, 16};
const Measure kFilterKey{u"filter: answer to a key"_s, 30};
const Measure kPaletteKey{u"palette: answer to a key"_s, 30};
const Measure kStall{u"turns of 1 ms and more, the longest"_s, 50, u"ms"_s,
                     Measure::Judged::Longest};
const Measure kMemoryOpened{u"memory over the files, opened"_s, 400, u"MiB"_s};
const Measure kMemoryEnd{u"memory over the files, at the end"_s, 400, u"MiB"_s};
const Measure kSettled{u"opened, every task done"_s, std::nullopt};

} // namespace

Script::Script(WatchedApplication &application, app::MainWindow &window, double begun,
               Results &results)
    : m_application(application), m_window(window), m_begun(begun), m_results(results)
{
}

template <class T>
T *Script::viewOf(const QString &id) const
{
    for (T *view : dock(id)->findChildren<T *>()) {
        if (view->isVisible())
            return view;
    }
    return nullptr;
}

void Script::open(const QString &path)
{
    begin(u"open"_s);
    bool first = false, useful = false;
    QEventLoop loop;
    QTimer giveUp;
    m_application.ignore(&giveUp);
    QObject::connect(&giveUp, &QTimer::timeout, &loop, &QEventLoop::quit);
    giveUp.start(kMostOpening);
    Moment firstAt;
    QObject::connect(&m_application, &WatchedApplication::framePainted, &loop, [&] {
        const auto taken = [](Span span, double wall) {
            span.wall = wall;
            return span;
        };
        if (!first) {
            first = true;
            firstAt = momentNow();
            m_results.add(kFirstPaint, taken(between(Moment(), firstAt), firstAt.wall - m_begun));
        }
        const bool shown = m_window.document().isOpen() &&
                           (path.contains(kBetweenPaths) ? dock(u"compare"_s)->showsContent()
                                                         : dock(u"bundle"_s)->showsContent() &&
                                                               dock(u"overview"_s)->showsContent());
        if (shown && !useful) {
            useful = true;
            m_results.add(kUsefulPaint, between(firstAt, momentNow()));
            loop.quit();
        }
    });
    m_window.openPaths(path.split(kBetweenPaths, Qt::SkipEmptyParts)); // as main() does
    loop.exec();
    settle();
    const Moment now = momentNow();
    Span all = between(Moment(), now);
    all.wall = now.wall - m_begun;
    m_results.add(kSettled, all);
    rest();
    m_results.addFigure(kMemoryOpened, memoryOverFiles());
    m_held = liveMemory();
    noteMemory(u"opened"_s);
    if (!useful)
        m_results.addNote(u"the bundle did not open"_s);
}

void Script::run()
{
    if (m_window.session().other()) {
        pairPictures();
        closing();
        return;
    }
    weightsTable();
    noteMemory(u"weights table"_s);
    filter();
    noteMemory(u"filter"_s);
    palette();
    noteMemory(u"palette"_s);
    selectKinds();
    hex();
    noteMemory(u"hex"_s);
    pictures();
    stepThroughWeights();
    noteMemory(u"pictures"_s);
    workspaces();
    docks();
    closing();
}

void Script::selectKinds()
{
    const BundlePtr bundle = m_window.session().bundle();
    std::set<std::string> seen;
    for (std::size_t i = 0; i < bundle->weights().size() && seen.size() < 8; ++i) {
        const std::string form = formText(bundle->weights()[i].form);
        if (!seen.insert(form).second)
            continue;
        begin(u"select "_s + QString::fromStdString(form));
        act([&] { m_window.session().goToWeight(i); });
        settle();
    }
}

void Script::stepThroughWeights()
{
    begin(u"next weight"_s);
    const std::size_t count = m_window.session().bundle()->weights().size();
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 20); ++i)
        act([&] { m_window.session().goToWeight(count - 1 - i); });
    settle();
}

void Script::hex()
{
    begin(u"hex"_s);
    act([&] { app::DockSet::reveal(dock(u"hex"_s)); });
    settle();
    auto *view = viewOf<ui::HexView>(u"hex"_s);
    if (!view)
        return;
    begin(u"hex: scrolling"_s);
    for (int i = 0; i < kStrokes; ++i)
        wheel(view, i % 4 == 3 ? 360 : -360);
    for (int i = 0; i < kStrokes; ++i)
        key(view, i % 4 == 3 ? Qt::Key_PageUp : Qt::Key_PageDown);
    QScrollBar *bar = view->verticalScrollBar();
    for (int i = 0; i < kStrokes; ++i)
        act([&] { bar->setValue(int(bar->maximum() * (i / double(kStrokes)))); });
    addFrames(kHexFrame);
    settle();
}

void Script::openPicture(const QString &id)
{
    begin(id + u": opened"_s);
    act([&] { app::DockSet::reveal(dock(id)); });
    settle();
}

void Script::zoomPicture(const QString &id, ui::TileView *view, const Measure &measure)
{
    if (!view || !view->source() || !view->isVisible()) {
        m_results.addNote(u"no picture in \"%1\""_s.arg(id));
        return;
    }
    begin(id + u": scrolling and zooming"_s);
    for (int i = 0; i < kStrokes; ++i)
        wheel(view, i % 20 < 10 ? 120 : -120);
    for (int i = 0; i < 5; ++i)
        wheel(view, 120);
    for (int i = 0; i < kStrokes; ++i)
        key(view, i % 2 ? Qt::Key_Down : Qt::Key_Right, Qt::ShiftModifier);
    for (int i = 0; i < kStrokes; ++i)
        key(view, i % 2 ? Qt::Key_Down : Qt::Key_Right);
    addFrames(measure);
    settle();
}

void Script::pictures()
{
    const auto measure = [this](const QString &id, const Measure &frame) {
        openPicture(id);
        zoomPicture(id, viewOf<ui::TileView>(id), frame);
    };
    measure(u"weight"_s, kMapFrame);
    measure(u"mask"_s, kMaskFrame);
    act([&] { dock(u"mask"_s)->close(); });
}

/// All three pictures move together: the difference is the one that has most to do.
void Script::pairPictures()
{
    begin(u"workspace compare"_s);
    act([&] { m_window.layouts().show(app::Layout::Compare); });
    settle();
    openPicture(u"compare"_s); // which has the pictures of the pair that Pair inspects
    begin(u"compare: the pair chosen"_s);
    act([&] { m_window.session().goToWeight(0); });
    settle();
    const auto *compare = qobject_cast<ui::CompareDock *>(dock(u"compare"_s));
    zoomPicture(u"compare"_s, compare->pictures()->viewDifference(), kPairFrame);
}

void Script::weightsTable()
{
    auto *view = viewOf<QTreeView>(u"bundle"_s);
    if (!view)
        return;
    begin(u"weights table: scrolling"_s);
    for (int i = 0; i < kStrokes; ++i)
        wheel(view, i % 4 == 3 ? 360 : -360);
    QScrollBar *bar = view->verticalScrollBar();
    for (int i = 0; i < kStrokes; ++i)
        act([&] { bar->setValue(int(bar->maximum() * (i / double(kStrokes)))); });
    addFrames(kTableFrame);
    settle();
    begin(u"weights table: sorting"_s);
    for (int column = 0; column < view->model()->columnCount(); ++column)
        act([&] { view->model()->sort(column, Qt::DescendingOrder); });
    act([&] { view->model()->sort(-1, Qt::AscendingOrder); });
    settle();
}

void Script::type(QLineEdit *line, const QString &text, const Measure &measure)
{
    for (const QChar letter : text) {
        m_application.clearBusy();
        key(line, Qt::Key_A, {}, letter);
        addKey(measure);
    }
    for (qsizetype i = 0; i < text.size(); ++i) {
        m_application.clearBusy();
        key(line, Qt::Key_Backspace);
        addKey(measure);
    }
}

void Script::filter()
{
    auto *line = viewOf<QLineEdit>(u"bundle"_s);
    if (!line)
        return;
    begin(u"filter"_s);
    act([&] { line->setFocus(); });
    type(line, u"weight_4"_s, kFilterKey);
    type(line, u"query form:dense bytes>1"_s, kFilterKey);
    settle();
    begin(u"filter by a chip"_s);
    type(line, u"folds:M1"_s, kFilterKey);
    settle();
}

void Script::palette()
{
    auto *box = m_window.findChild<app::GoToBox *>();
    begin(u"palette"_s);
    act([&] { box->setFocus(); });
    type(box, u"weight_4"_s, kPaletteKey);
    type(box, u"linear out 77"_s, kPaletteKey);
    begin(u"palette closed"_s);
    key(box, Qt::Key_Escape);
    settle();
}

void Script::workspaces()
{
    for (const app::Layout layout :
         {app::Layout::Performance, app::Layout::Hardware, app::Layout::Patch, app::Layout::Compare,
          app::Layout::Inspect}) {
        begin(u"workspace "_s + app::layoutId(layout));
        act([&] { m_window.layouts().show(layout); });
        settle();
        noteMemory(m_application.step());
    }
}

void Script::scrollTable(QAbstractScrollArea *view)
{
    for (int i = 0; i < kDockStrokes; ++i)
        wheel(view, -360);
    for (const int code : {Qt::Key_PageDown, Qt::Key_PageDown, Qt::Key_End, Qt::Key_Home})
        key(view, code);
    addFrames(kDockFrame);
}

/// Clicks points of the front of plans, one after the other.
void Script::planPoints(ui::PlanDock &dock)
{
    begin(u"dock plan: points of the front"_s);
    for (int point = 0; point < std::min(dock.plot().pointCount(), kStrokes); ++point)
        act([&] { dock.showPoint(point); });
    settle();
}

/// What is held now, and what came since the last call.
void Script::noteMemory(const QString &when)
{
    const double before = std::exchange(m_held, liveMemory());
    m_results.addMemory({when, m_held, m_held - before});
}

void Script::docks()
{
    for (const auto &entry : m_window.docks().entries()) {
        const QString id = entry.dock->id();
        const bool wasShown = entry.dock->isVisible();
        begin(u"dock "_s + id);
        act([&] { app::DockSet::reveal(entry.dock); });
        settle();
        begin(u"dock %1: scrolling"_s.arg(id));
        for (auto *view : entry.dock->findChildren<QAbstractScrollArea *>()) {
            if (view->isVisible() && !view->visibleRegion().isEmpty() &&
                !qobject_cast<QHeaderView *>(view))
                scrollTable(view);
        }
        settle();
        begin(u"dock %1: next weight"_s.arg(id));
        act([&] {
            const ui::Place &place = m_window.session().place();
            m_window.session().goToWeight(place.weight == 0 ? 1 : 0);
        });
        settle();
        if (auto *plan = qobject_cast<ui::PlanDock *>(entry.dock))
            planPoints(*plan);
        if (!wasShown)
            act([&] { entry.dock->close(); });
        noteMemory(id);
    }
}

void Script::closing()
{
    for (const Turn &turn : m_application.turns())
        m_results.add(kStall, turn.span);
    rest();
    m_results.addFigure(kMemoryEnd, memoryOverFiles());
    std::vector<Turn> longest = m_application.longest(2);
    longest.resize(std::min<std::size_t>(longest.size(), 25));
    m_results.setTurns(std::move(longest));
}

} // namespace kernscope::bench
