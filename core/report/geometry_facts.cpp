// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/geometry_facts.h"
#include "core/assessment/measured.h"
#include "core/report/engine_facts.h"
#include "core/report/number_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using namespace decision;
using format::Confidence;

constexpr std::uint64_t kShownCores = 16, kShownChannels = 6;

class FactList
{
public:
    void heading(std::string title)
    {
        m_facts.push_back({.what = std::move(title), .heading = true});
    }
    void add(std::string what, Value value, std::string remark, std::string source,
             Confidence confidence = Confidence::Documented)
    {
        m_facts.push_back(
            {std::move(what), std::move(value), std::move(remark), std::move(source), confidence});
    }
    void add(const Condition &condition)
    {
        add(condition.name,
            !condition.holds   ? Word{"open", Mark::Open}
            : *condition.holds ? Word{"holds", Mark::Passes}
                               : Word{"fails", Mark::Bad},
            fmt::format("{}; needs {}", condition.found, condition.required), condition.source,
            condition.confidence);
    }
    std::vector<EngineFact> take() { return std::move(m_facts); }

private:
    std::vector<EngineFact> m_facts;
};

Value yesNoValue(const std::optional<bool> &value)
{
    return value ? Value(*value) : Value(Word{"unknown"});
}

Value knownCount(const std::optional<std::uint64_t> &value)
{
    return value ? Value(Count{*value}) : Value(Word{"unknown"});
}

std::string bytesOrUnknown(const std::optional<std::uint64_t> &bytes)
{
    return bytes ? bytesText(*bytes) : "unknown";
}

void addGroups(const Geometry &geometry, FactList &facts)
{
    facts.heading("Groups and passes");
    facts.add("output-channel group", Count{geometry.group},
              fmt::format("by the {}; the other reading gives {}", ocgReadingName(geometry.reading),
                          grouped(geometry.otherGroup)),
              "listing 20.1", Confidence::Contested);
    facts.add("kernel elements", Count{geometry.kernel}, {}, "kW × kH × kD");
    facts.add("source mode", std::string(sourceModeName(geometry.mode)), geometry.modeReason,
              "table 20.3");
    facts.add("channels an accumulator", Count{geometry.perAccumulator},
              target::halOffsetText(accumulatorOffset(geometry.mode)), "table 20.3");
    facts.add("byte cap", Count{byteCap(geometry.cap)},
              fmt::format("{}; which format reads which is not published: by element width here",
                          target::halOffsetText(byteCapOffset(geometry.cap))),
              "chapter 20", Confidence::Assumed);
    facts.add("passes", Count{geometry.passes},
              fmt::format("the other reading: {}", grouped(geometry.otherPasses)), "listing 20.2");
}

/// Which channels each core makes, the first of them.
void addChannelMap(std::uint64_t channels, std::uint64_t cores, FactList &facts)
{
    for (std::uint64_t core = 0; core < std::min({cores, channels, kShownCores}); ++core) {
        std::string first;
        const std::uint64_t end = core + kShownChannels * cores;
        for (std::uint64_t c = core; c < channels && c < end; c += cores)
            first += (first.empty() ? "" : ", ") + grouped(c);
        facts.add(fmt::format("core {}", core),
                  fmt::format("{} channels", grouped((channels - core - 1) / cores + 1)),
                  first + (end < channels ? ", …" : ""), fmt::format("channel mod {}", cores));
    }
}

void addCores(const LayerOperation &operation, const Geometry &geometry, FactList &facts)
{
    facts.heading("Cores");
    const auto &cores = geometry.cores;
    facts.add("cores", knownCount(cores.value), {}, cores.source,
              cores.contested ? Confidence::Contested : cores.confidence);
    facts.add("cores lit", knownCount(geometry.lit),
              "next power of two of the passes, at most the cores", "listing 20.2",
              geometry.litMeasured && geometry.litMeasured != geometry.lit
                  ? Confidence::Contested
                  : Confidence::Documented);
    if (geometry.litMeasured)
        facts.add("cores lit, measured", Count{*geometry.litMeasured},
                  "one core an output channel, up to four", "table 20.5", Confidence::Verified);
    if (cores.value && *cores.value > 0)
        addChannelMap(operation.outputChannels, *cores.value, facts);
    facts.add("buffering", std::string(bufferingName(geometry.buffering)),
              fmt::format("demand {} of 8 units; double up to 4. The demand of an operation is not "
                          "published: the slots of one group",
                          geometry.demand),
              "table 20.1", Confidence::Assumed);
}

/// What was measured of weights with a mask, each with its conditions.
std::string measuredSparse()
{
    std::string text;
    for (const SpeedupRow &row : speedupRows()) {
        if (row.form == "sparse" && row.measurement == "speedup_vs_dense")
            text +=
                fmt::format("; measured {:g} to {:g} times: {}", row.low, row.high, row.condition);
    }
    return text;
}

void addZeros(const LayerOperation &operation, const CycleEstimate &cycles, FactList &facts)
{
    if (operation.paddedZero.value_or(0) > 0)
        facts.add("implicit zeros", percentText(*operation.paddedZero),
                  "products that meet the padding; zero-skip leaves them out as well",
                  "chapter 25");
    if (cycles.withZeroSkip)
        facts.add("with zero-skip", Count{static_cast<std::uint64_t>(*cycles.withZeroSkip)},
                  fmt::format("{} of the cycles, in any storage form; on a bandwidth-bound stack "
                              "about one percent of the time",
                              percentText(*cycles.skipShare)),
                  "chapter 25");
    if (cycles.sparseRatio)
        facts.add("sparse store", fmt::format("{} of dense bytes", ratioText(*cycles.sparseRatio)),
                  "1/16 + density" + measuredSparse(), "chapter 25");
    else
        facts.add("zero-skip", std::string("density not known"),
                  "give the density to see what zeros bring", "chapter 25");
}

/// "2 or 1": what a lane width drops to in modes that no rule is published of.
std::string narrowLanes(const target::Target &target)
{
    std::string text;
    for (const char *name : {"lanes_narrow_2", "lanes_narrow_1"}) {
        if (const GeometryFact *fact = geometryFact(target, name))
            text += fmt::format("{}{:g}", text.empty() ? "" : " or ", fact->value);
    }
    return text;
}

void addCycles(const LayerOperation &operation, const Geometry &geometry, FactList &facts)
{
    const CycleEstimate &cycles = geometry.cycles;
    facts.heading("Cycles and zeros");
    facts.add("MACs", knownCount(cycles.macs), {}, {});
    facts.add("modelled cycles",
              cycles.dense ? Value(Count{static_cast<std::uint64_t>(*cycles.dense)})
                           : Value(Word{"unknown"}),
              fmt::format("MACs / (cores × {} lanes) + {}; a spatial factor is missing from the "
                          "printed product",
                          cycles.lanes,
                          cycles.fixedCycles ? grouped(*cycles.fixedCycles) : "an unknown number"),
              "chapter 20", Confidence::Contested);
    addZeros(operation, cycles, facts);
    facts.add("lanes", Count{cycles.lanes}, cycles.lanesReason, "table 20.2");
    facts.add("lanes in narrow modes", narrowLanes(*geometry.target),
              "which operations take them is not published", "table 20.2");
    facts.add("double-multiply mode", std::string(cycles.doubleMac ? "eligible" : "not eligible"),
              "one-byte activation and one-byte weight of the same class", "chapter 36");
    if (cycles.measuredRate)
        facts.add("measured rate", siText(*cycles.measuredRate, "MAC/s"),
                  "at that many output channels, in a loop that the dispatch paces: no engine time",
                  cycles.rateSource, Confidence::Verified);
}

void addWorkingSet(const WorkingSet &set, FactList &facts)
{
    facts.heading("Working set");
    facts.add("largest operand", bytesText(set.largest),
              fmt::format("weight {}, input {}, output {}", bytesText(set.weightBytes),
                          bytesOrUnknown(set.inputBytes), bytesOrUnknown(set.outputBytes)),
              {});
    facts.add("stays on chip", yesNoValue(set.fits),
              set.cap ? fmt::format("cap {}", bytesText(*set.cap)) : "the cap is unknown",
              set.source);
}

std::string yesNoText(const std::optional<bool> &value)
{
    return value ? (*value ? "yes" : "no") : "unknown";
}

void addWinograd(const WinogradGate &gate, FactList &facts)
{
    facts.heading(fmt::format("Winograd: eligible {}, work {} of {} ({})", yesNoText(gate.eligible),
                              gate.work, gate.threshold, gate.thresholdReason));
    for (const Condition &condition : gate.conditions)
        facts.add(condition);
    for (const auto &tile : gate.tiles)
        facts.add("tile form", fmt::format("F({}, 3)", tile.output),
                  fmt::format("output tile {}, input tile {}; direct spends {} times the products "
                              "an axis",
                              tile.output, tile.input, tile.saving),
                  "chapter 20");
    facts.heading("Winograd: selection");
    for (const Condition &condition : gate.selection)
        facts.add(condition);
}

} // namespace

std::vector<EngineFact> geometryFacts(const LayerOperation &operation, const Geometry &geometry)
{
    FactList facts;
    addGroups(geometry, facts);
    addCores(operation, geometry, facts);
    addWorkingSet(geometry.workingSet, facts);
    addCycles(operation, geometry, facts);
    if (!geometry.disagreements.empty())
        facts.heading("Sources disagree");
    for (const std::string &line : geometry.disagreements)
        facts.add("disagreement", Nothing(), line, {}, Confidence::Contested);
    addWinograd(geometry.winograd, facts);
    if (!geometry.costed.empty())
        facts.heading("What the compiler costs against what the silicon has");
    for (const Geometry::CostFact &fact : geometry.costed) {
        std::string name = fact.name;
        std::replace(name.begin(), name.end(), '_', ' ');
        facts.add(name, fmt::format("{:g} {}", static_cast<double>(fact.value), fact.unit),
                  fact.note, fact.source, Confidence::Verified);
    }
    return facts.take();
}

} // namespace kernscope::report
