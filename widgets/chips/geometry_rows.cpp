// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/geometry_rows.h"

#include "core/assessment/measured.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

using namespace decision;
using format::Confidence;

struct GeometryWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::GeometryRows)
};

class RowList
{
public:
    std::vector<FactTableModel::Row> rows;

    void section(const QString &title)
    {
        FactTableModel::Row row(5);
        row[0].text = title;
        row[0].strong = true;
        rows.push_back(std::move(row));
    }
    void add(const QString &what, const QString &value, const QString &remark,
             const QString &source, Confidence confidence = Confidence::Documented)
    {
        FactTableModel::Row row;
        row.push_back({what});
        row.push_back({value});
        row.push_back({remark, {}, remark});
        row.push_back({source, {}, source});
        row.push_back({confidenceLabel(confidence)});
        rows.push_back(std::move(row));
    }
    void add(const Condition &condition)
    {
        const QString state = condition.holds
                                  ? (*condition.holds ? GeometryWords::tr("\u2713 holds")
                                                      : GeometryWords::tr("\u2715 fails"))
                                  : GeometryWords::tr("? open");
        add(fromUtf8(condition.name), state,
            GeometryWords::tr("%1; needs %2")
                .arg(fromUtf8(condition.found), fromUtf8(condition.required)),
            fromUtf8(condition.source), condition.confidence);
    }
};

QString offset(target::HalOffset at)
{
    return fromUtf8(target::halOffsetText(at));
}

void addGroups(const Geometry &geometry, RowList &rows)
{
    rows.section(GeometryWords::tr("Groups and passes"));
    rows.add(
        GeometryWords::tr("output-channel group"), groupedNumber(geometry.group),
        GeometryWords::tr("by the %1; the other reading gives %2")
            .arg(fromUtf8(ocgReadingName(geometry.reading)), groupedNumber(geometry.otherGroup)),
        GeometryWords::tr("listing 20.1"), Confidence::Contested);
    rows.add(GeometryWords::tr("kernel elements"), groupedNumber(geometry.kernel), {},
             GeometryWords::tr("kW \u00d7 kH \u00d7 kD"));
    rows.add(GeometryWords::tr("source mode"), fromUtf8(sourceModeName(geometry.mode)),
             fromUtf8(geometry.modeReason), GeometryWords::tr("table 20.3"));
    rows.add(GeometryWords::tr("channels an accumulator"), groupedNumber(geometry.perAccumulator),
             offset(accumulatorOffset(geometry.mode)), GeometryWords::tr("table 20.3"));
    rows.add(
        GeometryWords::tr("byte cap"), groupedNumber(byteCap(geometry.cap)),
        GeometryWords::tr("%1; which format reads which is not published: by element width here")
            .arg(offset(byteCapOffset(geometry.cap))),
        GeometryWords::tr("chapter 20"), Confidence::Assumed);
    rows.add(GeometryWords::tr("passes"), groupedNumber(geometry.passes),
             GeometryWords::tr("the other reading: %1").arg(groupedNumber(geometry.otherPasses)),
             GeometryWords::tr("listing 20.2"));
}

void addCores(const Operation &operation, const Geometry &geometry, RowList &rows)
{
    rows.section(GeometryWords::tr("Cores"));
    const auto &cores = geometry.cores;
    rows.add(GeometryWords::tr("cores"),
             cores.value ? groupedNumber(*cores.value) : GeometryWords::tr("unknown"), {},
             fromUtf8(cores.source), cores.contested ? Confidence::Contested : cores.confidence);
    rows.add(GeometryWords::tr("cores lit"),
             geometry.lit ? groupedNumber(*geometry.lit) : GeometryWords::tr("unknown"),
             GeometryWords::tr("next power of two of the passes, at most the cores"),
             GeometryWords::tr("listing 20.2"),
             geometry.litMeasured && geometry.litMeasured != geometry.lit ? Confidence::Contested
                                                                          : Confidence::Documented);
    if (geometry.litMeasured)
        rows.add(GeometryWords::tr("cores lit, measured"), groupedNumber(*geometry.litMeasured),
                 GeometryWords::tr("one core an output channel, up to four"),
                 GeometryWords::tr("table 20.5"), Confidence::Verified);
    if (cores.value && *cores.value > 0) {
        for (std::uint64_t core = 0;
             core < std::min<std::uint64_t>({*cores.value, operation.outputChannels, 16}); ++core) {
            QString channels;
            const std::uint64_t step = *cores.value;
            for (std::uint64_t c = core; c < operation.outputChannels && c < core + 6 * step;
                 c += step)
                channels +=
                    (channels.isEmpty() ? QString() : QStringLiteral(", ")) + groupedNumber(c);
            if (core + 6 * step < operation.outputChannels)
                channels += QStringLiteral(", \u2026");
            rows.add(GeometryWords::tr("core %1").arg(core),
                     GeometryWords::tr("%1 channels")
                         .arg(groupedNumber((operation.outputChannels - core - 1) / step + 1)),
                     channels, GeometryWords::tr("channel mod %1").arg(step));
        }
    }
    rows.add(
        GeometryWords::tr("buffering"), fromUtf8(bufferingName(geometry.buffering)),
        GeometryWords::tr("demand %1 of 8 units; double up to 4. The demand of an operation is not "
                          "published: the slots of one group")
            .arg(geometry.demand),
        GeometryWords::tr("table 20.1"), Confidence::Assumed);
}

/// What was measured of weights with a mask, each with its conditions.
QString measuredSparse()
{
    QString text;
    for (const SpeedupRow &row : speedupRows()) {
        if (row.form != "sparse" || row.measurement != "speedup_vs_dense")
            continue;
        text += GeometryWords::tr("; measured %1 to %2 times: %3")
                    .arg(row.low)
                    .arg(row.high)
                    .arg(fromUtf8(row.condition));
    }
    return text;
}

void addCycles(const CycleEstimate &cycles, RowList &rows)
{
    rows.section(GeometryWords::tr("Cycles and zeros"));
    rows.add(GeometryWords::tr("MACs"),
             cycles.macs ? groupedNumber(*cycles.macs) : GeometryWords::tr("unknown"), {}, {});
    rows.add(
        GeometryWords::tr("modelled cycles"),
        cycles.dense ? groupedNumber(static_cast<std::uint64_t>(*cycles.dense))
                     : GeometryWords::tr("unknown"),
        GeometryWords::tr(
            "MACs / (cores \u00d7 %1 lanes) + %2; a spatial factor is missing from the printed "
            "product")
            .arg(cycles.lanes)
            .arg(cycles.fixedCycles ? groupedNumber(*cycles.fixedCycles)
                                    : GeometryWords::tr("an unknown number")),
        GeometryWords::tr("chapter 20"), Confidence::Contested);
    if (cycles.withZeroSkip)
        rows.add(GeometryWords::tr("with zero-skip"),
                 groupedNumber(static_cast<std::uint64_t>(*cycles.withZeroSkip)),
                 GeometryWords::tr(
                     "%1 of the cycles, in any storage form; on a bandwidth-bound stack about one "
                     "percent of the time")
                     .arg(percentText(*cycles.skipShare)),
                 GeometryWords::tr("chapter 25"));
    if (cycles.sparseRatio)
        rows.add(GeometryWords::tr("sparse store"),
                 GeometryWords::tr("%1 of dense bytes").arg(ratioText(*cycles.sparseRatio)),
                 GeometryWords::tr("1/16 + density") + measuredSparse(),
                 GeometryWords::tr("chapter 25"));
    if (!cycles.sparseRatio)
        rows.add(GeometryWords::tr("zero-skip"), GeometryWords::tr("density not known"),
                 GeometryWords::tr("type the density in to see what zeros bring"),
                 GeometryWords::tr("chapter 25"));
    rows.add(GeometryWords::tr("lanes"), groupedNumber(cycles.lanes), fromUtf8(cycles.lanesReason),
             GeometryWords::tr("table 20.2"));
    rows.add(GeometryWords::tr("double-multiply mode"),
             cycles.doubleMac ? GeometryWords::tr("eligible") : GeometryWords::tr("not eligible"),
             GeometryWords::tr("one-byte activation and one-byte weight of the same class"),
             GeometryWords::tr("chapter 36"));
    if (cycles.measuredRate)
        rows.add(GeometryWords::tr("measured rate"),
                 siWord(*cycles.measuredRate, QStringLiteral("MAC/s")),
                 GeometryWords::tr("at that many output channels, in a loop that the dispatch "
                                   "paces: no engine time"),
                 fromUtf8(cycles.rateSource), Confidence::Verified);
}

void addWorkingSet(const WorkingSet &set, RowList &rows)
{
    rows.section(GeometryWords::tr("Working set"));
    rows.add(GeometryWords::tr("largest operand"), bytesWord(set.largest),
             GeometryWords::tr("weight %1, input %2, output %3")
                 .arg(bytesWord(set.weightBytes),
                      set.inputBytes ? bytesWord(*set.inputBytes) : GeometryWords::tr("unknown"),
                      set.outputBytes ? bytesWord(*set.outputBytes) : GeometryWords::tr("unknown")),
             {});
    rows.add(GeometryWords::tr("stays on chip"), yesNoWord(set.fits),
             set.cap ? GeometryWords::tr("cap %1").arg(bytesWord(*set.cap))
                     : GeometryWords::tr("the cap is unknown"),
             fromUtf8(set.source));
}

} // namespace

std::vector<FactTableModel::Row> geometryRows(const Operation &operation, const Geometry &geometry)
{
    RowList rows;
    addGroups(geometry, rows);
    addCores(operation, geometry, rows);
    addWorkingSet(geometry.workingSet, rows);
    addCycles(geometry.cycles, rows);
    if (!geometry.disagreements.empty())
        rows.section(GeometryWords::tr("Sources disagree"));
    for (const std::string &line : geometry.disagreements)
        rows.add(GeometryWords::tr("disagreement"), {}, fromUtf8(line), {}, Confidence::Contested);
    const WinogradGate &gate = geometry.winograd;
    rows.section(GeometryWords::tr("Winograd: eligible %1, work %2 of %3 (%4)")
                     .arg(yesNoWord(gate.eligible))
                     .arg(gate.work)
                     .arg(gate.threshold)
                     .arg(fromUtf8(gate.thresholdReason)));
    for (const Condition &condition : gate.conditions)
        rows.add(condition);
    for (const auto &tile : gate.tiles)
        rows.add(GeometryWords::tr("tile form"), GeometryWords::tr("F(%1, 3)").arg(tile.output),
                 GeometryWords::tr(
                     "output tile %1, input tile %2; direct spends %3 times the products an axis")
                     .arg(tile.output)
                     .arg(tile.input)
                     .arg(tile.saving),
                 GeometryWords::tr("chapter 20"));
    rows.section(GeometryWords::tr("Winograd: selection"));
    for (const Condition &condition : gate.selection)
        rows.add(condition);
    if (!geometry.costed.empty())
        rows.section(GeometryWords::tr("What the compiler costs against what the silicon has"));
    for (const Geometry::CostFact &fact : geometry.costed)
        rows.add(fromUtf8(fact.name).replace(QLatin1Char('_'), QLatin1Char(' ')),
                 QString::number(fact.value) + QLatin1Char(' ') + fromUtf8(fact.unit),
                 fromUtf8(fact.note), fromUtf8(fact.source), Confidence::Verified);
    return std::move(rows.rows);
}

QString geometrySummary(const Geometry &geometry)
{
    return GeometryWords::tr(
               "Group %1, %2 passes, %3 of %4 cores lit, %5-buffered, Winograd eligible: %6.")
        .arg(groupedNumber(geometry.group), groupedNumber(geometry.passes),
             geometry.lit ? groupedNumber(*geometry.lit) : GeometryWords::tr("?"),
             geometry.cores.value ? groupedNumber(*geometry.cores.value) : GeometryWords::tr("?"),
             fromUtf8(bufferingName(geometry.buffering)), yesNoWord(geometry.winograd.eligible));
}

} // namespace kernscope::ui
