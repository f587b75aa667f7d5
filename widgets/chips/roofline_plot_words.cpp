// SPDX-License-Identifier: GPL-3.0-or-later
// What the roofline says of a point: in words, and as a row of numbers.
#include "core/bundle/bundle.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/common/function_words.h"
#include "widgets/common/table_text.h"

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr qsizetype kMostOthers = 12; ///< layers at one place that are named in its words

using roofline::Assessment;
using roofline::Placement;

QString flops(const std::optional<double> &value)
{
    return value ? siWord(*value, QStringLiteral("FLOP/s")) : RooflinePlot::tr("unknown");
}

QString seconds(const std::optional<double> &value)
{
    return value ? siWord(*value, QStringLiteral("s")) : RooflinePlot::tr("unknown");
}

QString boundWord(roofline::Bound bound)
{
    switch (bound) {
    case roofline::Bound::Compute: return RooflinePlot::tr("compute bound");
    case roofline::Bound::Bandwidth: return RooflinePlot::tr("bandwidth bound");
    case roofline::Bound::Unknown: break;
    }
    return RooflinePlot::tr("bound unknown");
}

} // namespace

QString RooflinePlot::pointText(int point) const
{
    const Placement &placed = placementOf(point);
    const Assessment &stored = placed.stored();
    const Assessment &dense = placed.trail[placed.dense];
    QString text =
        tr("%1 (%2, %3)\n%4 / %5 = %6 FLOP/B\n")
            .arg(labelOf(point), fromUtf8(placed.layer.op), fromUtf8(stored.form),
                 stored.flops ? siWord(*stored.flops, QStringLiteral("FLOP")) : tr("unknown FLOP"),
                 siWord(stored.bytes.value_or(0), QStringLiteral("B")))
            .arg(*stored.intensity, 0, 'g', 4);
    for (const roofline::LayerRoof *roof : {stored.computeRoof, stored.weightRoof}) {
        if (roof != nullptr)
            text += roofWords(*roof) + QLatin1Char('\n');
    }
    text += tr("attainable %1\n").arg(flops(stored.attainable));
    text += timeText(placed);
    if (placed.dense != 0)
        text +=
            tr("\ndense %1 FLOP/B, %2").arg(*dense.intensity, 0, 'g', 4).arg(seconds(dense.timeS));
    if (const Assessment *best = placed.bestForm())
        text += tr("; best %1, %2").arg(fromUtf8(best->form), seconds(best->timeS));
    text += neighboursText(point);
    const QString compiler =
        compilerEstimate(*m_bundle, layerOf(point).weight, layerOf(point).consumer);
    if (!compiler.isEmpty())
        text += tr("\nthe compiler estimates %1").arg(compiler);
    if (placed.estimated)
        text += tr("\n~ estimated: a roof that is not measured, or an extent that is not known");
    if (placed.aboveWorkingSet.value_or(false))
        text += tr("\n! an operand is larger than the working set: it is tiled and streamed");
    QStringList above;
    for (const std::string &roof : placed.above)
        above << roofName(roof);
    if (!above.isEmpty())
        text += tr("\n! above: %1").arg(above.join(QStringLiteral(", ")));
    return text;
}

QString RooflinePlot::labelOf(int point) const
{
    return fromUtf8(layerOf(point).label(*m_bundle));
}

QString RooflinePlot::neighboursText(int point) const
{
    const std::vector<int> here = coinciding(point);
    QStringList others;
    for (const int other : here) {
        if (other == point)
            continue;
        if (others.size() == kMostOthers) {
            others << tr("\u2026");
            break;
        }
        others << labelOf(other);
    }
    if (others.isEmpty())
        return {};
    return tr("\n%1 of %2 that lie here, with %3")
        .arg(std::find(here.begin(), here.end(), point) - here.begin() + 1)
        .arg(here.size())
        .arg(others.join(QStringLiteral(", ")));
}

/// How often a run comes to the layer where it is not once, and its share of what the run takes.
QString RooflinePlot::runText(const Placement &placed, const roofline::LayerRun &run) const
{
    const roofline::ProgramTime &program = roofline::dispatchOf(m_program, run);
    const auto &once = placed.stored().timeS;
    const QString entry =
        placed.layer.runs.size() > 1 ? tr("\nin %1").arg(fromUtf8(run.entry)) : QString();
    if (!run.onEngine())
        return entry + tr("\nruns on %1, beside the engine").arg(fromUtf8(run.backend));
    if (!run.times)
        return entry + tr("\nhow often it runs is not known");
    QString text = entry;
    if (*run.times != 1)
        text += tr("\nruns %1 times").arg(*run.times);
    const auto share = [&once, &run](double of) {
        return QString::number(100 * static_cast<double>(*run.times) * *once / of, 'g', 3) +
               QStringLiteral(" %");
    };
    if (once && program.engineTimeS && *program.engineTimeS > 0)
        text += tr("\n%1 of the %2 of all layers")
                    .arg(share(*program.engineTimeS), seconds(program.engineTimeS));
    if (once && program.dispatchFloorS && *program.dispatchFloorS > 0)
        text += (program.launches == std::uint64_t(1)
                     ? tr("; %1 of the %2 that a dispatch takes at least")
                     : tr("; %1 of the %2 that its dispatches take at least"))
                    .arg(share(*program.dispatchFloorS), seconds(program.dispatchFloorS));
    return text;
}

/// Both times, the longer of which binds; and its share of what the program takes.
QString RooflinePlot::timeText(const Placement &placed) const
{
    const Assessment &stored = placed.stored();
    QString text = tr("arithmetic %1, bytes %2: %3, %4")
                       .arg(seconds(stored.computeS), seconds(stored.memoryS),
                            boundWord(stored.bound), seconds(stored.timeS));
    for (const roofline::LayerRun &run : placed.layer.runs)
        text += runText(placed, run);
    return text;
}

QVariant RooflinePlot::cellData(int point, int column, int role) const
{
    const ChipLayer &layer = layerOf(point);
    const Placement whole = layer.placement(*m_bundle);
    const report::PlacedLayer row{
        &whole, &report::notesOf(*m_bundle, whole.layer),
        fromUtf8(functionWords(m_bundle->weights()[layer.weight])).toStdString()};
    return m_columns.cell(column, row, role);
}

} // namespace kernscope::ui
