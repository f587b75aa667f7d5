// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/geometry_table.h"

#include "core/bundle/bundle.h"
#include "core/report/chip_table.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/placement_table.h"

namespace kernscope::report {

namespace {

/// Why a layer has no geometry.
std::string unplacedReason(const Weight &weight, const Consumer &consumer)
{
    if (weight.elements.value == 0)
        return "it has no elements";
    if (consumer.op.starts_with("gather"))
        return "fetches rows: no multiplication";
    if (consumer.op == "einsum")
        return "its equation is not a product of two matrices, or an extent of it is not known";
    if (consumer.op == "scaled_dot_product_attention" && consumer.via.empty())
        return "an extent of its operands is not known";
    return consumer.via.empty() ? "its weight is not of the shape that the operation takes"
                                : "reads its weight in another shape than it is stored in";
}

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
                  counted((channels - core - 1) / cores + 1, "channel"),
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
    facts.add("stays on chip", set.fits ? Value(*set.fits) : Value(Word{"unknown"}),
              set.cap ? fmt::format("cap {}", bytesText(*set.cap)) : "the cap is unknown",
              set.source);
}

void addWinograd(const WinogradGate &gate, FactList &facts)
{
    facts.heading(fmt::format("Winograd: eligible {}, work {} of {} ({})",
                              gate.eligible ? (*gate.eligible ? "yes" : "no") : "unknown",
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

Json winogradJson(const WinogradGate &gate)
{
    Json json{{"eligible", optionalJson(gate.eligible)},
              {"work", numberJson(gate.work)},
              {"threshold", gate.threshold},
              {"threshold_reason", gate.thresholdReason},
              {"conditions", listJson(gate.conditions, conditionJson)},
              {"selection", listJson(gate.selection, conditionJson)},
              {"tiles", Json::array()}};
    for (const auto &tile : gate.tiles) {
        json["tiles"].push_back({{"output_tile", tile.output},
                                 {"input_tile", tile.input},
                                 {"saving_per_axis", ratioJson(tile.saving)}});
    }
    return json;
}

/// Which channels each core makes: the rule, how many, and the first of them.
Json channelMapJson(std::uint64_t channels, const target::ChosenFigure &cores)
{
    Json json;
    if (!cores.value || *cores.value == 0)
        return nullptr;
    const std::uint64_t count = *cores.value;
    json["rule"] = "channel mod " + std::to_string(count);
    json["cores"] = Json::array();
    for (std::uint64_t core = 0; core < std::min(count, channels); ++core) {
        Json row{{"core", core},
                 {"channels", numberJson((channels - core - 1) / count + 1)},
                 {"first", Json::array()}};
        for (std::uint64_t c = core; c < channels && c < core + 4 * count; c += count)
            row["first"].push_back(c);
        json["cores"].push_back(std::move(row));
    }
    return json;
}

Json cyclesJson(const CycleEstimate &cycles)
{
    Json json;
    json["macs"] = numberJson(cycles.macs);
    json["lanes"] = cycles.lanes;
    json["lanes_reason"] = cycles.lanesReason;
    json["double_mac"] = cycles.doubleMac;
    json["fixed_cycles"] = numberJson(cycles.fixedCycles);
    json["estimate"] = optionalJson(cycles.dense);
    json["with_zero_skip"] = optionalJson(cycles.withZeroSkip);
    json["zero_skip_share"] = optionalJson(cycles.skipShare);
    json["sparse_store_ratio"] = optionalJson(cycles.sparseRatio);
    json["measured_macs_per_s"] = optionalJson(cycles.measuredRate);
    json["time_at_measured_rate_s"] = nullptr; // the loop of table 20.5 is paced by its dispatch
    json["rate_source"] = cycles.rateSource;
    json["note"] = "the printed product of cores and lanes; a spatial factor is missing from it";
    return json;
}

Json workingSetJson(const WorkingSet &set)
{
    return {{"cap", numberJson(set.cap)},
            {"weight_bytes", numberJson(set.weightBytes)},
            {"input_bytes", numberJson(set.inputBytes)},
            {"output_bytes", numberJson(set.outputBytes)},
            {"largest", numberJson(set.largest)},
            {"fits", optionalJson(set.fits)},
            {"source", set.source}};
}

Json operationJson(const LayerOperation &operation)
{
    return {{"input_channels", numberJson(operation.inputChannels)},
            {"output_channels", numberJson(operation.outputChannels)},
            {"groups", numberJson(operation.groups)},
            {"kernel",
             {numberJson(operation.kernelWidth), numberJson(operation.kernelHeight),
              numberJson(operation.kernelDepth)}},
            {"output", operation.outputKnown ? Json{numberJson(operation.outputWidth),
                                                    numberJson(operation.outputHeight),
                                                    numberJson(operation.outputDepth)}
                                             : Json(nullptr)},
            {"stride",
             {numberJson(operation.strideX), numberJson(operation.strideY),
              numberJson(operation.strideZ)}},
            {"weight_bits", operation.weightBits},
            {"density", optionalJson(operation.density)},
            {"padded_zero", optionalJson(operation.paddedZero)},
            {"activation_format", operation.tensorFormat},
            {"work_unit_mode", operation.workUnitMode}};
}

} // namespace

std::vector<UnplacedWeight> unplacedWeights(const Bundle &bundle)
{
    std::vector<UnplacedWeight> rows;
    for (const roofline::Layer &layer : layersOf(bundle, weightForms(bundle))) {
        const Weight &weight = bundle.weights()[layer.weight];
        const Consumer &consumer = weight.consumers[layer.consumer];
        if (!layer.operation)
            rows.push_back({weight.findableName(), weight.address(),
                            consumer.op + " " + consumer.name, unplacedReason(weight, consumer)});
    }
    for (const Unassessed &rest : unassessedWeights(bundle)) {
        const Weight &weight = bundle.weights()[rest.weight];
        rows.push_back({weight.findableName(), weight.address(), {}, rest.reason});
    }
    return rows;
}

const TableOf<UnplacedWeight> unplacedTable(
    "without-geometry",
    {{"weight", "Weight that has no place among output-channel groups",
      member<&UnplacedWeight::weight>},
     {kDocument, "address", "Model, function and name of the weight",
      member<&UnplacedWeight::address>},
     {"consumer", "in", "Operation that reads it", member<&UnplacedWeight::consumer>},
     {"reason", "why it has no geometry", "What is missing", member<&UnplacedWeight::reason>}});

/// Of a collective without the confidence.
static constexpr Column<EngineFact> kFactColumns[] = {
    {"what", "The figure, or what the figures below are about", member<&EngineFact::what>},
    {"value", "Value of the figure", member<&EngineFact::value>},
    {"remark", "How it comes about, and what other readings give", member<&EngineFact::remark>},
    {"source", "Where the rule or the value is documented", member<&EngineFact::source>},
    {"confidence", "How well it is known",
     CELL(row.confidence ? confidenceValue(*row.confidence) : Value(Nothing()))},
};

const TableOf<EngineFact> geometryFactTable("geometry", kFactColumns);

const TableOf<EngineFact> collectiveFactTable("collective", {std::begin(kFactColumns),
                                                             std::prev(std::end(kFactColumns))});

std::string engineFactsText(const std::vector<EngineFact> &facts)
{
    std::string text;
    for (const EngineFact &fact : facts) {
        if (fact.heading) {
            text += fmt::format("  {}\n", fact.what);
            continue;
        }
        std::string line = fmt::format("    {:<26} {}", fact.what, report::text(fact.value, "?"));
        if (!fact.remark.empty())
            line += "  " + fact.remark;
        const bool doubtful = fact.confidence == format::Confidence::Contested ||
                              fact.confidence == format::Confidence::Assumed;
        if (!fact.source.empty() || doubtful)
            line +=
                fmt::format(" [{}{}{}]", fact.source, doubtful && !fact.source.empty() ? "; " : "",
                            doubtful ? format::confidenceName(*fact.confidence) : "");
        text += line + "\n";
    }
    return text;
}

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

Json conditionJson(const Condition &condition)
{
    return {{"condition", condition.name},
            {"holds", optionalJson(condition.holds)},
            {"found", condition.found},
            {"required", condition.required},
            {"offset",
             condition.offset ? Json(target::halOffsetText(*condition.offset)) : Json(nullptr)},
            {"source", condition.source},
            {"confidence", format::confidenceName(condition.confidence)}};
}

Json geometryJson(const LayerOperation &operation, const Geometry &geometry)
{
    Json json;
    json["operation"] = operationJson(operation);
    Json ocg{{"size", numberJson(geometry.group)},
             {"reading", ocgReadingName(geometry.reading)},
             {"kernel_elements", numberJson(geometry.kernel)},
             {"source_mode", sourceModeName(geometry.mode)},
             {"source_mode_reason", geometry.modeReason},
             {"channels_per_accumulator", geometry.perAccumulator},
             {"accumulator_offset", target::halOffsetText(accumulatorOffset(geometry.mode))},
             {"byte_cap", byteCap(geometry.cap)},
             {"byte_cap_offset", target::halOffsetText(byteCapOffset(geometry.cap))},
             {"byte_cap_confidence", "assumed"}};
    Json other;
    other["reading"] = ocgReadingName(
        geometry.reading == OcgReading::Listing ? OcgReading::Formula : OcgReading::Listing);
    other["size"] = numberJson(geometry.otherGroup);
    other["passes"] = numberJson(geometry.otherPasses);
    other["cores_lit"] = numberJson(geometry.otherLit);
    ocg["other_reading"] = std::move(other);
    json["ocg"] = std::move(ocg);
    json["passes"] = numberJson(geometry.passes);
    json["cores"] = figureJson(geometry.cores);
    json["cores_lit"] = numberJson(geometry.lit);
    json["cores_lit_measured"] = numberJson(geometry.litMeasured);
    json["cores_lit_contested"] = geometry.litMeasured && geometry.litMeasured != geometry.lit;
    json["disagreements"] = geometry.disagreements;
    json["channel_map"] = channelMapJson(operation.outputChannels, geometry.cores);
    Json buffering;
    buffering["demand"] = numberJson(geometry.demand);
    buffering["mode"] = bufferingName(geometry.buffering);
    buffering["double"] = geometry.buffering == Buffering::Double;
    json["double_buffering"] = std::move(buffering);
    json["winograd"] = winogradJson(geometry.winograd);
    json["working_set"] = workingSetJson(geometry.workingSet);
    json["cycles"] = cyclesJson(geometry.cycles);
    json["costed"] = Json::array();
    for (const Geometry::CostFact &fact : geometry.costed) {
        json["costed"].push_back({{"name", fact.name},
                                  {"value", fact.value},
                                  {"unit", fact.unit},
                                  {"source", fact.source},
                                  {"note", fact.note}});
    }
    return json;
}

Json judgedJson(const JudgedLayer &layer, const LayerOperation &operation, const Geometry &geometry,
                const roofline::Assessment &assessment)
{
    Json row{{"weight", layer.weight.empty() ? Json(nullptr) : Json(layer.weight)},
             {"address", layer.address.empty() ? Json(nullptr) : Json(layer.address)},
             {"function", layer.function},
             {"consumer", layer.consumer},
             {"op", layer.op}};
    row.update(geometryJson(operation, geometry));
    row["assessment"] = assessmentJson(assessment);
    return row;
}

void addUnplaced(Json &document, const Bundle &bundle, const std::vector<UnplacedWeight> &unplaced)
{
    document["unplaced"] = jsonArray(unplacedTable, unplaced);
    document["bundle"] = bundle.name();
}

void addOperations(Json &document, std::vector<Json> operations)
{
    document["operations"] = std::move(operations);
}

} // namespace kernscope::report
