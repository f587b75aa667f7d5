// SPDX-License-Identifier: GPL-3.0-or-later
#include "script.h"

#include "app/dock_set.h"
#include "app/go_to_box.h"
#include "inputs.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/common/dock.h"
#include "widgets/common/tile_view.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/pair_pictures.h"

#include <QEventLoop>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QTimer>
#include <QTreeView>

#include <set>
#include <utility>

namespace kernscope::bench {

namespace {

constexpr int kMostOpening = 30'000; ///< milliseconds
constexpr int kStrokes = 60;         ///< of each kind of scrolling
constexpr int kDockStrokes = 4;

const Measure kFirstPaint{QStringLiteral("first paint"), 350};
const Measure kUsefulPaint{QStringLiteral("first useful paint, after that"), 300};
const Measure kHexFrame{QStringLiteral("hex: frame"), 16};
const Measure kMapFrame{QStringLiteral("heat map: frame"), 16};
const Measure kMaskFrame{QStringLiteral("mask: frame"), 16};
const Measure kPairFrame{QStringLiteral("pictures of a pair: frame"), 16};
const Measure kTableFrame{QStringLiteral("weights table: frame"), 16};
const Measure kDockFrame{QStringLiteral("other tables and plots: frame"), 16};
const Measure kFilterKey{QStringLiteral("filter: answer to a key"), 30};
const Measure kPaletteKey{QStringLiteral("palette: answer to a key"), 30};
const Measure kStall{QStringLiteral("turns of 1 ms and more, the longest"), 50,
                     QStringLiteral("ms"), Measure::Judged::Longest};
const Measure kMemoryOpened{QStringLiteral("memory over the files, opened"), 400,
                            QStringLiteral("MiB")};
const Measure kMemoryEnd{QStringLiteral("memory over the files, at the end"), 400,
                         QStringLiteral("MiB")};
const Measure kSettled{QStringLiteral("opened, every task done"), std::nullopt};

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
    begin(QStringLiteral("open"));
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
        const bool shown =
            m_window.document().isOpen() &&
            (path.contains(kBetweenPaths) ? dock(QStringLiteral("compare"))->showsContent()
                                          : dock(QStringLiteral("bundle"))->showsContent() &&
                                                dock(QStringLiteral("overview"))->showsContent());
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
    noteMemory(QStringLiteral("opened"));
    if (!useful)
        m_results.addNote(QStringLiteral("the bundle did not open"));
}

void Script::run()
{
    if (m_window.session().other()) {
        pairPictures();
        closing();
        return;
    }
    weightsTable();
    noteMemory(QStringLiteral("weights table"));
    filter();
    noteMemory(QStringLiteral("filter"));
    palette();
    noteMemory(QStringLiteral("palette"));
    selectKinds();
    hex();
    noteMemory(QStringLiteral("hex"));
    pictures();
    stepThroughWeights();
    noteMemory(QStringLiteral("pictures"));
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
        begin(QStringLiteral("select ") + QString::fromStdString(form));
        act([&] { m_window.session().goToWeight(i); });
        settle();
    }
}

void Script::stepThroughWeights()
{
    begin(QStringLiteral("next weight"));
    const std::size_t count = m_window.session().bundle()->weights().size();
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 20); ++i)
        act([&] { m_window.session().goToWeight(count - 1 - i); });
    settle();
}

void Script::hex()
{
    begin(QStringLiteral("hex"));
    act([&] { app::DockSet::reveal(dock(QStringLiteral("hex"))); });
    settle();
    auto *view = viewOf<ui::HexView>(QStringLiteral("hex"));
    if (!view)
        return;
    begin(QStringLiteral("hex: scrolling"));
    for (int i = 0; i < kStrokes; ++i)
        wheel(view, i % 4 == 3 ? 360 : -360);
    for (int i = 0; i < kStrokes; ++i)
        key(view, i % 4 == 3 ? Qt::Key_PageUp : Qt::Key_PageDown);
    QScrollBar *bar = view->verticalScrollBar();
    for (int i = 0; i < kStrokes; ++i)
        act([&] { bar->setValue(static_cast<int>(bar->maximum() * (i / double(kStrokes)))); });
    addFrames(kHexFrame);
    settle();
}

void Script::openPicture(const QString &id)
{
    begin(id + QStringLiteral(": opened"));
    act([&] { app::DockSet::reveal(dock(id)); });
    settle();
}

void Script::zoomPicture(const QString &id, ui::TileView *view, const Measure &measure)
{
    if (!view || !view->source() || !view->isVisible()) {
        m_results.addNote(QStringLiteral("no picture in \"%1\"").arg(id));
        return;
    }
    begin(id + QStringLiteral(": scrolling and zooming"));
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
    measure(QStringLiteral("weight"), kMapFrame);
    measure(QStringLiteral("mask"), kMaskFrame);
    act([&] { dock(QStringLiteral("mask"))->close(); });
}

/// All three pictures move together: the difference is the one that has most to do.
void Script::pairPictures()
{
    begin(QStringLiteral("workspace compare"));
    act([&] { m_window.layouts().show(app::Layout::Compare); });
    settle();
    openPicture(QStringLiteral("compare")); // which has the pictures of the pair that Pair inspects
    begin(QStringLiteral("compare: the pair chosen"));
    act([&] { m_window.session().goToWeight(0); });
    settle();
    const auto *compare = qobject_cast<ui::CompareDock *>(dock(QStringLiteral("compare")));
    zoomPicture(QStringLiteral("compare"), compare->pictures()->viewDifference(), kPairFrame);
}

void Script::weightsTable()
{
    auto *view = viewOf<QTreeView>(QStringLiteral("bundle"));
    if (!view)
        return;
    begin(QStringLiteral("weights table: scrolling"));
    for (int i = 0; i < kStrokes; ++i)
        wheel(view, i % 4 == 3 ? 360 : -360);
    QScrollBar *bar = view->verticalScrollBar();
    for (int i = 0; i < kStrokes; ++i)
        act([&] { bar->setValue(static_cast<int>(bar->maximum() * (i / double(kStrokes)))); });
    addFrames(kTableFrame);
    settle();
    begin(QStringLiteral("weights table: sorting"));
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
    auto *line = viewOf<QLineEdit>(QStringLiteral("bundle"));
    if (!line)
        return;
    begin(QStringLiteral("filter"));
    act([&] { line->setFocus(); });
    type(line, QStringLiteral("weight_4"), kFilterKey);
    type(line, QStringLiteral("query form:dense bytes>1"), kFilterKey);
    settle();
    begin(QStringLiteral("filter by a chip"));
    type(line, QStringLiteral("folds:M1"), kFilterKey);
    settle();
}

void Script::palette()
{
    auto *box = m_window.findChild<app::GoToBox *>();
    begin(QStringLiteral("palette"));
    act([&] { box->setFocus(); });
    type(box, QStringLiteral("weight_4"), kPaletteKey);
    type(box, QStringLiteral("linear out 77"), kPaletteKey);
    begin(QStringLiteral("palette closed"));
    key(box, Qt::Key_Escape);
    settle();
}

void Script::workspaces()
{
    for (const app::Layout layout :
         {app::Layout::Performance, app::Layout::Hardware, app::Layout::Patch, app::Layout::Compare,
          app::Layout::Inspect}) {
        begin(QStringLiteral("workspace ") + app::layoutId(layout));
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
    begin(QStringLiteral("dock plan: points of the front"));
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
        begin(QStringLiteral("dock ") + id);
        act([&] { app::DockSet::reveal(entry.dock); });
        settle();
        begin(QStringLiteral("dock %1: scrolling").arg(id));
        for (auto *view : entry.dock->findChildren<QAbstractScrollArea *>()) {
            if (view->isVisible() && !view->visibleRegion().isEmpty() &&
                !qobject_cast<QHeaderView *>(view))
                scrollTable(view);
        }
        settle();
        begin(QStringLiteral("dock %1: next weight").arg(id));
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
