// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_points.h"

#include "core/bundle/bundle.h"
#include "core/report/weight_table.h"
#include "widgets/common/labels.h"
#include "widgets/models/words.h"

#include <cmath>

namespace kernscope::ui {

namespace {

using roofline::Assessment;
using roofline::Placement;

constexpr double kSamePlace = 0.02;   ///< of the natural logarithm: 2 %, less than a point is wide
constexpr qsizetype kMostOthers = 12; ///< layers at one place that are named in its words

QString flops(const std::optional<double> &value)
{
    return value ? siWord(*value, QStringLiteral("FLOP/s")) : Words::tr("unknown");
}

QString seconds(const std::optional<double> &value)
{
    return value ? siWord(*value, QStringLiteral("s")) : Words::tr("unknown");
}

QString boundWord(roofline::Bound bound)
{
    switch (bound) {
    case roofline::Bound::Compute: return Words::tr("compute bound");
    case roofline::Bound::Bandwidth: return Words::tr("bandwidth bound");
    case roofline::Bound::Unknown: break;
    }
    return Words::tr("bound unknown");
}

} // namespace

void RooflinePoints::set(BundlePtr bundle, roofline::Roofs roofs, std::vector<ChipLayer> layers,
                         const roofline::ProgramTime &program)
{
    m_bundle = std::move(bundle);
    m_roofs = std::move(roofs);
    m_program = program;
    m_layers = std::move(layers);
    m_order.clear();
    m_longestS = 0;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Assessment &stored = m_layers[i].figures->stored();
        if (!stored.intensity || *stored.intensity <= 0 || !stored.attainable)
            continue;
        m_order.push_back(i);
        m_longestS = std::max(m_longestS, stored.timeS.value_or(0));
    }
    std::stable_sort(m_order.begin(), m_order.end(), [this](std::size_t a, std::size_t b) {
        return *m_layers[a].figures->stored().intensity < *m_layers[b].figures->stored().intensity;
    });
    findSpots();
    findFloor();
}

std::set<std::string> RooflinePoints::roofNames() const
{
    std::set<std::string> names;
    for (int i = 0; i < count(); ++i) {
        const Placement &placed = placementOf(i);
        names.insert(placed.above.begin(), placed.above.end());
        for (const roofline::LayerRoof *roof :
             {placed.stored().computeRoof, placed.stored().weightRoof})
            if (roof != nullptr)
                names.insert(roof->ceiling.name);
    }
    return names;
}

const ChipLayer &RooflinePoints::layerOf(int point) const
{
    return m_layers[m_order[static_cast<std::size_t>(point)]];
}

int RooflinePoints::ofWeight(std::size_t weight) const
{
    for (int i = 0; i < count(); ++i) {
        if (layerOf(i).weight == weight)
            return i;
    }
    return -1;
}

double RooflinePoints::keyOf(int point) const
{
    return *placementOf(point).stored().intensity;
}

double RooflinePoints::levelOf(int point) const
{
    return *placementOf(point).stored().attainable;
}

int RooflinePoints::nearestKey(double key) const
{
    if (m_order.empty())
        return -1;
    int best = 0;
    for (int i = 1; i < count(); ++i) {
        if (std::abs(std::log(keyOf(i) / key)) < std::abs(std::log(keyOf(best) / key)))
            best = i;
    }
    return best;
}

RooflineView RooflinePoints::extent() const
{
    double left = 1, right = 1000, low = 1e10, high = 1e13;
    bool first = true;
    const auto include = [&](double x, double y) {
        left = first ? x : std::min(left, x);
        right = first ? x : std::max(right, x);
        low = first ? y : std::min(low, y);
        high = first ? y : std::max(high, y);
        first = false;
    };
    for (int i = 0; i < count(); ++i) {
        include(keyOf(i), levelOf(i));
        const Placement &placed = placementOf(i);
        const Assessment &dense = placed.trail[placed.dense];
        if (dense.intensity && dense.attainable && *dense.intensity > 0)
            include(*dense.intensity, *dense.attainable);
    }
    if (m_roofs.ridge && m_roofs.compute)
        include(*m_roofs.ridge, m_roofs.compute->value);
    // The floor of the dispatch is in view, unless it would press everything else together.
    if (m_floorRate && *m_floorRate > low / 1e4)
        include(left, *m_floorRate);
    // At least three decades, so that a single point still lies under whole roofs.
    const auto widen = [](double &from, double &to) {
        const double room = std::max(1.0, std::sqrt(1e3 / (to / from)));
        from /= room;
        to *= room;
    };
    RooflineView view{left / 4, right * 6, low / 8, high * 3};
    widen(view.left, view.right);
    widen(view.low, view.high);
    return view;
}

int RooflinePoints::sizeClass(double timeS) const
{
    if (m_longestS <= 0 || timeS <= 0)
        return 0;
    // A decade a step, from the longest down.
    const double decades = std::log10(m_longestS / timeS);
    return std::clamp(3 - static_cast<int>(std::floor(decades)), 0, 3);
}

/// Of several functions none: each is a dispatch of its own arithmetic. Nor where a layer's
/// arithmetic is not known.
void RooflinePoints::findFloor()
{
    m_floorRate.reset();
    double flops = 0;
    for (const ChipLayer &placed : m_layers) {
        const roofline::Placement &figures = *placed.figures;
        const auto ofLayer = figures.layer.ofRuns(figures.stored().flops);
        if (!ofLayer)
            return;
        flops += *ofLayer;
    }
    if (!m_program.hidesGains() || m_program.uncounted > 0 || !m_program.dispatches.empty() ||
        m_program.launches != std::uint64_t(1) || !m_roofs.dispatchFloorS ||
        *m_roofs.dispatchFloorS <= 0 || flops <= 0)
        return;
    m_floorRate = flops / *m_roofs.dispatchFloorS;
}

/// Points of equal figures together.
void RooflinePoints::findSpots()
{
    m_spots.clear();
    m_spotOf.assign(m_order.size(), 0);
    std::map<std::pair<double, double>, std::size_t> known;
    for (int i = 0; i < count(); ++i) {
        const auto [at, added] = known.try_emplace({keyOf(i), levelOf(i)}, m_spots.size());
        if (added) {
            Spot made;
            made.key = keyOf(i);
            made.level = levelOf(i);
            made.logKey = std::log(made.key);
            made.logLevel = std::log(made.level);
            m_spots.push_back(std::move(made));
        }
        Spot &spot = m_spots[at->second];
        spot.points.push_back(i);
        spot.longestS = std::max(spot.longestS, placementOf(i).stored().timeS.value_or(0));
        m_spotOf[static_cast<std::size_t>(i)] = at->second;
    }
}

/// The spots within reach of one, itself among them, rising. They are in the order of their keys.
std::vector<std::size_t> RooflinePoints::spotsAround(std::size_t spot) const
{
    const Spot &centre = m_spots[spot];
    const auto near = [](double a, double b) { return std::abs(a - b) < kSamePlace; };
    std::size_t first = spot, end = spot + 1;
    while (first > 0 && near(m_spots[first - 1].logKey, centre.logKey))
        --first;
    while (end < m_spots.size() && near(m_spots[end].logKey, centre.logKey))
        ++end;
    std::vector<std::size_t> found;
    for (std::size_t i = first; i < end; ++i) {
        if (i == spot || near(m_spots[i].logLevel, centre.logLevel))
            found.push_back(i);
    }
    return found;
}

/// Those whose layers take longest, at most `most`, rising.
std::vector<std::size_t> RooflinePoints::longestSpots(std::vector<std::size_t> spots,
                                                      std::size_t most) const
{
    if (spots.size() > most) {
        std::stable_sort(spots.begin(), spots.end(), [this](std::size_t a, std::size_t b) {
            return m_spots[a].longestS > m_spots[b].longestS;
        });
        spots.resize(most);
        std::sort(spots.begin(), spots.end());
    }
    return spots;
}

std::vector<int> RooflinePoints::coinciding(int point) const
{
    std::vector<int> found;
    for (const std::size_t spot : spotsAround(m_spotOf[static_cast<std::size_t>(point)]))
        found.insert(found.end(), m_spots[spot].points.begin(), m_spots[spot].points.end());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<RooflinePoints::Named> RooflinePoints::named(std::size_t most) const
{
    std::vector<std::size_t> spots;
    std::vector<bool> covered(m_spots.size(), false); // by a place that has a name, or would have
    for (std::size_t i = 0; i < m_spots.size(); ++i) {
        if (covered[i])
            continue;
        const std::vector<std::size_t> around = spotsAround(i);
        for (const std::size_t other : around)
            covered[other] = true;
        if (around.front() == i)
            spots.push_back(i);
    }
    std::vector<Named> places;
    for (const std::size_t spot : longestSpots(std::move(spots), most)) {
        std::size_t layers = 0;
        for (const std::size_t other : spotsAround(spot))
            layers += m_spots[other].points.size();
        places.push_back({m_spots[spot].points.front(), layers});
    }
    return places;
}

/// Those of one start and one end are one arrow.
std::vector<RooflinePoints::Arrow> RooflinePoints::arrows(std::size_t most) const
{
    std::map<Arrow, double> arrows; // with the longest time of its layers
    for (int i = 0; i < count(); ++i) {
        const Placement &placed = placementOf(i);
        const Assessment &dense = placed.trail[placed.dense];
        if (placed.dense == 0 || !dense.intensity || !dense.attainable)
            continue;
        double &longest =
            arrows[{*dense.intensity, *dense.attainable, m_spotOf[static_cast<std::size_t>(i)]}];
        longest = std::max(longest, placed.stored().timeS.value_or(0));
    }
    std::vector<std::pair<Arrow, double>> order(arrows.begin(), arrows.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
    std::vector<Arrow> longest;
    for (std::size_t i = 0; i < std::min(order.size(), most); ++i)
        longest.push_back(order[i].first);
    return longest;
}

std::vector<std::size_t> RooflinePoints::aboveRoofs(std::size_t most) const
{
    std::vector<std::size_t> above;
    for (std::size_t i = 0; i < m_spots.size(); ++i) {
        const std::vector<int> &points = m_spots[i].points;
        if (std::any_of(points.begin(), points.end(),
                        [this](int point) { return !placementOf(point).above.empty(); }))
            above.push_back(i);
    }
    return longestSpots(std::move(above), most);
}

QString RooflinePoints::label(int point) const
{
    return fromUtf8(layerOf(point).label(*m_bundle));
}

QString RooflinePoints::text(int point) const
{
    const Placement &placed = placementOf(point);
    const Assessment &stored = placed.stored();
    const Assessment &dense = placed.trail[placed.dense];
    QString text = Words::tr("%1 (%2, %3)\n%4 / %5 = %6 FLOP/B\n")
                       .arg(label(point), fromUtf8(placed.layer.op), fromUtf8(stored.form),
                            stored.flops ? siWord(*stored.flops, QStringLiteral("FLOP"))
                                         : Words::tr("unknown FLOP"),
                            siWord(stored.bytes.value_or(0), QStringLiteral("B")))
                       .arg(*stored.intensity, 0, 'g', 4);
    for (const roofline::LayerRoof *roof : {stored.computeRoof, stored.weightRoof}) {
        if (roof != nullptr)
            text += roofWords(*roof) + QLatin1Char('\n');
    }
    text += Words::tr("attainable %1\n").arg(flops(stored.attainable));
    text += timeText(placed);
    if (placed.dense != 0)
        text += Words::tr("\ndense %1 FLOP/B, %2")
                    .arg(*dense.intensity, 0, 'g', 4)
                    .arg(seconds(dense.timeS));
    if (const Assessment *best = placed.bestForm())
        text += Words::tr("; best %1, %2").arg(fromUtf8(best->form), seconds(best->timeS));
    text += neighboursText(point);
    const QString compiler =
        compilerEstimate(*m_bundle, layerOf(point).weight, layerOf(point).consumer);
    if (!compiler.isEmpty())
        text += Words::tr("\nthe compiler estimates %1").arg(compiler);
    if (placed.estimated)
        text +=
            Words::tr("\n~ estimated: a roof that is not measured, or an extent that is not known");
    if (placed.aboveWorkingSet.value_or(false))
        text +=
            Words::tr("\n! an operand is larger than the working set: it is tiled and streamed");
    QStringList above;
    for (const std::string &roof : placed.above)
        above << roofName(roof);
    if (!above.isEmpty())
        text += Words::tr("\n! above: %1").arg(above.join(QStringLiteral(", ")));
    return text;
}

/// The other layers that lie where the point does; empty where it lies alone.
QString RooflinePoints::neighboursText(int point) const
{
    const std::vector<int> here = coinciding(point);
    QStringList others;
    for (const int other : here) {
        if (other == point)
            continue;
        if (others.size() == kMostOthers) {
            others << Words::tr("\u2026");
            break;
        }
        others << label(other);
    }
    if (others.isEmpty())
        return {};
    return Words::tr("\n%1 of %2 that lie here, with %3")
        .arg(std::find(here.begin(), here.end(), point) - here.begin() + 1)
        .arg(here.size())
        .arg(others.join(QStringLiteral(", ")));
}

/// How many times a run executes the layer where it is not once, and its share of the run's time.
QString RooflinePoints::runText(const Placement &placed, const roofline::LayerRun &run) const
{
    const roofline::ProgramTime &program = roofline::dispatchOf(m_program, run);
    const auto &once = placed.stored().timeS;
    const QString entry =
        placed.layer.runs.size() > 1 ? Words::tr("\nin %1").arg(fromUtf8(run.entry)) : QString();
    if (!run.onEngine())
        return entry + Words::tr("\nruns on %1, beside the engine").arg(fromUtf8(run.backend));
    if (!run.times)
        return entry + Words::tr("\nhow often it runs is not known");
    QString text = entry;
    if (*run.times != 1)
        text += Words::tr("\nruns %1 times").arg(*run.times);
    const auto share = [&once, &run](double of) {
        return QString::number(100 * static_cast<double>(*run.times) * *once / of, 'g', 3) +
               QStringLiteral(" %");
    };
    if (once && program.engineTimeS && *program.engineTimeS > 0)
        text += Words::tr("\n%1 of the %2 of all layers")
                    .arg(share(*program.engineTimeS), seconds(program.engineTimeS));
    if (once && program.dispatchFloorS && *program.dispatchFloorS > 0)
        text += (program.launches == std::uint64_t(1)
                     ? Words::tr("; %1 of the %2 that a call takes at least")
                     : Words::tr("; %1 of the %2 that its calls take at least"))
                    .arg(share(*program.dispatchFloorS), seconds(program.dispatchFloorS));
    return text;
}

/// Both times (the longer one binds) and the share of the program.
QString RooflinePoints::timeText(const Placement &placed) const
{
    const Assessment &stored = placed.stored();
    QString text = Words::tr("arithmetic %1, bytes %2: %3, %4")
                       .arg(seconds(stored.computeS), seconds(stored.memoryS),
                            boundWord(stored.bound), seconds(stored.timeS));
    for (const roofline::LayerRun &run : placed.layer.runs)
        text += runText(placed, run);
    return text;
}

QVariant RooflinePoints::cell(int point, int column, int role) const
{
    const ChipLayer &layer = layerOf(point);
    const Placement whole = layer.placement(*m_bundle);
    const report::PlacedLayer row{
        &whole, &report::notesOf(*m_bundle, whole.layer),
        fromUtf8(report::functionWords(m_bundle->weights()[layer.weight])).toStdString()};
    return m_columns.cell(column, row, role);
}

} // namespace kernscope::ui
