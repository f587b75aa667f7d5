// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/placement_table.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/chip_table.h"
#include "core/report/decision_table.h"
#include "core/report/json_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using roofline::Assessment;
using roofline::Placement;

/// Four significant digits.
/// "conv", and of an operation with several weights which one it is: "lstm.weight_ih".
std::string operationText(const roofline::Layer &layer)
{
    const bool several = layer.param.starts_with("weight_");
    return several ? layer.op + "." + layer.param : layer.op;
}

/// Executions of a layer in one run, where that is not one: times in the table are of one
/// execution.
std::string runsText(const roofline::Layer &layer)
{
    std::string text;
    for (const roofline::LayerRun &run : layer.runs) {
        const std::string in = layer.runs.size() > 1 ? "-in-" + printable(run.entry) : "";
        if (!run.onEngine())
            text += "on-" + printable(run.backend) + " ";
        if (!run.times)
            text += "runs-unknown" + in + " ";
        else if (*run.times != 1 || layer.runs.size() > 1)
            text += fmt::format("runs-{}-times{} ", *run.times, in);
    }
    return text;
}

std::string remarksText(const Placement &placement)
{
    std::string remarks;
    if (placement.estimated)
        remarks += "estimated ";
    const roofline::LayerRoof *roof = placement.stored().computeRoof;
    if (roof != nullptr && !roof->isOfAll())
        remarks += "at-" + roof->ceiling.name + " ";
    if (placement.aboveWorkingSet.value_or(false))
        remarks += "above-working-set ";
    if (!placement.above.empty())
        remarks += fmt::format("above-{}-roofs ", placement.above.size());
    return remarks + runsText(placement.layer);
}

Json runsJson(const PlacedLayer &row)
{
    return listJson(row.placement->layer.runs, [&](const auto &run) -> Json {
        return {{"entry", run.entry},
                {"launch", run.launch},
                {"backend", run.backend.empty() ? Json(nullptr) : Json(run.backend)},
                {"times", run.times ? numberJson(*run.times) : Json(nullptr)}};
    });
}

Json layerFormsJson(const PlacedLayer &row)
{
    const Placement &placement = *row.placement;
    const Assessment *best = placement.bestForm();
    return {{"stored", assessmentJson(placement.stored())},
            {"dense", assessmentJson(placement.trail[placement.dense])},
            {"best", best ? assessmentJson(*best) : Json(nullptr)},
            {"trail", listJson(placement.trail, assessmentJson)}};
}

const Assessment &storedOf(const PlacedLayer &row)
{
    return row.placement->stored();
}

const Assessment &denseOf(const PlacedLayer &row)
{
    return row.placement->trail[row.placement->dense];
}

Json estimatesJson(const PlacedLayer &row)
{
    if (row.notes == nullptr || row.notes->estimatedMs.empty())
        return nullptr;
    Json json = Json::object();
    for (const auto &[backend, ms] : row.notes->estimatedMs)
        json[backend] = ms;
    return json;
}

/// The compiler's for the engine, in seconds, whichever backend it chose.
std::optional<double> estimateOfEngine(const PlacedLayer &row)
{
    for (const auto &[backend, ms] : row.notes->estimatedMs) {
        if (backend == roofline::kEngineBackend)
            return ms / 1000;
    }
    return std::nullopt;
}

std::string roofsText(const Assessment &point)
{
    std::string text;
    for (const roofline::LayerRoof *roof : {point.computeRoof, point.weightRoof})
        text += roof == nullptr ? "" : (text.empty() ? "" : ", ") + roof->ceiling.name;
    return text;
}

Json roofJson(const roofline::LayerRoof *roof)
{
    if (roof == nullptr)
        return nullptr;
    Json json{{"name", roof->ceiling.name},
              {"value", roof->ceiling.value},
              {"unit", roof->ceiling.unit},
              {"source", roof->ceiling.source},
              {"confidence",
               format::confidenceName(std::max(roof->confidence, roof->ceiling.confidence))}};
    if (!roof->note.empty())
        json["note"] = roof->note;
    return json;
}

/// Operations and bytes are counts: integers, though the roofs are worked out with doubles. Null
/// for what is not known or no 64-bit count.
Json roundedJson(const std::optional<double> &count)
{
    constexpr double kMost = 18446744073709549568.0; ///< the largest double below 2^64
    if (!count || !(*count >= 0 && *count <= kMost))
        return nullptr;
    return numberJson(static_cast<std::uint64_t>(std::round(*count)));
}

} // namespace

std::string estimateText(const mil::BackendNotes &notes)
{
    std::string text;
    for (const bool selected : {true, false}) {
        for (const auto &[backend, ms] : notes.estimatedMs) {
            if ((backend == notes.selected) == selected)
                text += fmt::format("{}{:.4g} ms ({})", text.empty() ? "" : ", ", ms, backend);
        }
    }
    return text;
}

const mil::BackendNotes &notesOf(const Bundle &bundle, const roofline::Layer &layer)
{
    static const mil::BackendNotes none;
    if (layer.weight >= bundle.weights().size() ||
        layer.consumer >= bundle.weights()[layer.weight].consumers.size())
        return none;
    return bundle.weights()[layer.weight].consumers[layer.consumer].backends;
}

std::vector<PlacedLayer> placedLayers(const Bundle &bundle,
                                      std::span<const roofline::Placement> placements)
{
    std::vector<PlacedLayer> rows;
    rows.reserve(placements.size());
    for (const Placement &placement : placements)
        rows.push_back({&placement, &notesOf(bundle, placement.layer)});
    return rows;
}

const TableOf<PlacedLayer> placementTable(
    "roofline",
    {{"name", "layer", "Name of the operation, after its function where there are several",
      CELL(printable(row.placement->layer.label())), jsonOf(CELL(Json(row.placement->layer.name)))},
     {kDocument | kWindow, "function", "Function of the program that holds the layer",
      member<&PlacedLayer::function>, jsonOf(CELL(Json(row.placement->layer.function)))},
     {kDocument, "runs", "Functions that a run enters to get there, and how often", runsJson},
     {kName, "op", "Kind of the operation, and which of several weights it is",
      CELL(operationText(row.placement->layer)), jsonOf(CELL(Json(row.placement->layer.op)))},
     {kDocument, "param", "Parameter of the operation that takes the weight",
      CELL(View(row.placement->layer.param))},
     {"form", "How the weight is stored", CELL(View(storedOf(row).form))},
     {kNumber, "flops", "FLOP", "Floating-point operations of one run",
      CELL(known<Real>(storedOf(row).flops, 4, true)), unknownAs("?"),
      jsonOf(CELL(roundedJson(storedOf(row).flops)))},
     {kNumber, "bytes",
      "Bytes that one run moves: the weight, and inputs and outputs larger than the "
      "working set",
      CELL(known<Real>(storedOf(row).bytes, 4, true)), unknownAs("?"),
      jsonOf(CELL(roundedJson(storedOf(row).bytes)))},
     {kNumber | kDocument, "weight_bytes_stored", "Bytes of the weight as it is stored",
      CELL(numberJson(row.placement->layer.form.storedBytes))},
     {kNumber | kDocument, "weight_bytes_dense", "Bytes of the weight as dense fp16",
      CELL(numberJson(row.placement->layer.form.denseBytes))},
     {kNumber | kDocument, "input_bytes", "Bytes of the input",
      CELL(numberJson(row.placement->layer.inputBytes))},
     {kNumber | kDocument, "output_bytes", "Bytes of the output",
      CELL(numberJson(row.placement->layer.outputBytes))},
     {kNumber, "intensity", "FLOP/B", "Operations for each byte moved",
      CELL(known<Real>(storedOf(row).intensity, 4, true)), unknownAs("?")},
     {"bound", "Which of the two ceilings limits the layer",
      CELL(Word(roofline::boundName(storedOf(row).bound)))},
     {kNumber, "attainable_flops", "attainable", "Rate that the ceilings leave at this intensity",
      CELL(known<Real>(storedOf(row).attainable, 4, true)), withUnit("FLOP/s"), unknownAs("?")},
     {kNumber, "time_s", "time", "Predicted time of one run",
      CELL(known<Seconds>(storedOf(row).timeS)), withUnit("s"), unknownAs("?")},
     {kName, "compiler_estimate_ms", "compiler's estimate",
      "What the compiler itself says of its time (EstimatedRuntime), by backend",
      CELL(orAbsent(row.notes != nullptr ? estimateText(*row.notes) : std::string())),
      jsonOf(estimatesJson)},
     {kName | kDocument | kWindow, "roofs", "held against",
      "Roofs that were taken for its arithmetic and for the stream of its weight",
      CELL(roofsText(storedOf(row))), jsonOf(CELL(roofsJson(storedOf(row))))},
     {kNumber | kDocument, "rate_flops", "Operations over the predicted time",
      CELL(known<Real>(storedOf(row).rate, 4, true)), withUnit("FLOP/s")},
     {kNumber | kDocument | kTerminal, "energy",
      "Derived: a measured power times the predicted time", CELL(energyText(storedOf(row).energy)),
      withUnit("uJ"), jsonOf(CELL(energyJson(storedOf(row).energy)))},
     {kNumber | kWindow, "dense_bytes", "dense",
      "Bytes that one run would move if the weight were dense fp16",
      CELL(known<Real>(denseOf(row).bytes, 4, true)), withUnit("B")},
     {kNumber | kWindow, "dense_time_s", "dense time", "Predicted time with a dense fp16 weight",
      CELL(known<Seconds>(denseOf(row).timeS)), withUnit("s")},
     {kName | kTables, "best_form", "best form",
      "Form of the weight with which the layer is predicted to be fastest",
      CELL(ofAny<Unknown>(row.placement->bestForm(), &Assessment::form)), unknownAs("?")},
     {kNumber | kTables, "best_time_s", "its time", "Predicted time in the best form",
      CELL(ofAny<Unknown>(row.placement->bestForm(),
                          [](auto &best) { return known<Seconds>(best.timeS); })),
      withUnit("s"), unknownAs("?")},
     {kName | kTerminal, "remarks", "What the figures are to be read with",
      CELL(remarksText(*row.placement))},
     {kDocument | kWindow, "estimated", "A roof is not measured, or an extent is not known",
      CELL(row.placement->estimated)},
     {kDocument, "above_working_set",
      "An operand is larger than the working set: it is tiled and streamed",
      CELL(known(row.placement->aboveWorkingSet))},
     {kNumber | kDocument | kWindow, "above_roofs", "above roofs",
      "How many measured roofs the layer passes", CELL(Count(row.placement->above.size())),
      jsonOf(CELL(Json(row.placement->above)))},
     {kDocument, "forms", "The layer in each form of its weight", layerFormsJson}},
    {}, {"name", "op"});

const TableOf<PlacedLayer> estimateTable(
    "estimates",
    {{"name", "layer", "Name of the operation", CELL(printable(row.placement->layer.label()))},
     {"op", "Kind of the operation", CELL(operationText(row.placement->layer))},
     {"form", "How the weight is stored", CELL(View(storedOf(row).form))},
     {kNumber, "predicted_s", "predicted", "Time of one run on the engine, by the assessment",
      CELL(known<Seconds>(storedOf(row).timeS)), unknownAs("?")},
     {kNumber, "compiler_s", "compiler",
      "Time on the engine by the compiler itself (EstimatedRuntime, ane)",
      CELL(known<Seconds>(estimateOfEngine(row))), unknownAs("?")},
     {kNumber, "ratio", "Predicted over the compiler's",
      [](auto &row) {
          const auto own = estimateOfEngine(row);
          const auto &predicted = storedOf(row).timeS;
          return own && predicted && *own > 0 ? Value(Real(*predicted / *own, 2))
                                              : Value(Unknown());
      },
      unknownAs("?")},
     {"compiler_estimate_ms", "all of the compiler's",
      "Its estimates by backend, that of the chosen one first", CELL(estimateText(*row.notes)),
      jsonOf(estimatesJson)}});

std::string energyText(const std::optional<roofline::Energy> &energy)
{
    if (!energy)
        return "-";
    const char *open = energy->holds.value_or(false) ? "" : " ?";
    if (energy->lowJ && energy->highJ)
        return fmt::format("{:.3g} to {:.3g}{}", 1e6 * *energy->lowJ, 1e6 * *energy->highJ, open);
    if (energy->highJ)
        return fmt::format("at most {:.3g}{}", 1e6 * *energy->highJ, open);
    return fmt::format("from {:.3g}", 1e6 * energy->lowJ.value_or(0));
}

std::vector<CeilingFacts> ceilingRows(const roofline::Roofs &roofs)
{
    std::vector<CeilingFacts> rows;
    for (const roofline::Ceiling &ceiling : roofs.all) {
        if (ceiling.kind == roofline::Ceiling::Kind::Other)
            continue;
        rows.push_back({ceiling, roofs.taken.count(ceiling.name) > 0});
    }
    return rows;
}

const TableOf<CeilingFacts> ceilingTable(
    "ceilings",
    {{"name", "ceiling", "Name of the figure; > marks those that layers are held against",
      CELL((row.used ? "> " : "  ") + row.ceiling.name), jsonOf(CELL(Json(row.ceiling.name)))},
     {"kind", "What it bounds", CELL(Word(roofline::ceilingKindName(row.ceiling.kind)))},
     {kNumber, "value", "The figure", CELL(Real(row.ceiling.value, 4, true))},
     {"unit", "Its unit", CELL(View(row.ceiling.unit))},
     {"method", "Whether it was measured, derived or marketed",
      CELL(Word(roofline::ceilingMethodName(row.ceiling.method)))},
     {kDocument | kWindow, "chip", "of", "Product that the figure is of",
      CELL(orNothing(row.ceiling.chip))},
     {"source", "Where the figure is from", CELL(View(row.ceiling.source))},
     {kDocument, "confidence", "How sure it is",
      CELL(Word(format::confidenceName(row.ceiling.confidence)))}},
    {"name", "kind", "value", "unit", "source", "confidence", "method", "chip"});

const TableOf<roofline::PowerFigure> powerTable(
    "power",
    {{kNumber, "watts", "power", "Measured power", CELL(Real(row.watts, 6, true)), withUnit("W")},
     {"quantity", "of", "What was measured", member<&roofline::PowerFigure::quantity>},
     {"method", "How the figure was made", member<&roofline::PowerFigure::method>},
     {"condition", "What it was measured under", member<&roofline::PowerFigure::condition>},
     {"source", "Where the figure is from", member<&roofline::PowerFigure::source>},
     {kDocument, "confidence", "How sure it is",
      CELL(Word(format::confidenceName(row.confidence)))}},
    {"quantity", "watts", "method", "condition", "source", "confidence"});

std::vector<UnassessedWeight> unassessedRows(const Bundle &bundle)
{
    std::vector<UnassessedWeight> rows;
    for (const Unassessed &rest : unassessedWeights(bundle)) {
        const Weight &weight = bundle.weights()[rest.weight];
        const auto stored = knownStoredBytes(weight);
        rows.push_back({weight.findableName(), weight.address(),
                        stored ? std::optional(stored->value) : std::nullopt, rest.reason});
    }
    return rows;
}

const TableOf<UnassessedWeight> unassessedTable(
    "unassessed",
    {{"weight", "Weight that no layer with a kernel reads", member<&UnassessedWeight::weight>},
     {kDocument, "address", "Model, function and name of the weight",
      member<&UnassessedWeight::address>},
     {kNumber, "stored_bytes", "stored", "Bytes of the weight as it is stored",
      CELL(known<Count>(row.storedBytes)), unknownAs("?")},
     {"reason", "why it is in no layer", "What reads it, or why nothing does",
      member<&UnassessedWeight::reason>}});

const TableOf<TimedLayer> timedLayerTable(
    "timeline",
    {{kName, "name", "layer", "Operation that reads the weight", member<&TimedLayer::name>},
     {"op", "What it does", member<&TimedLayer::op>},
     {"form", "Form of the weight that the times are of",
      CELL(row.has ? Value(View(row.form)) : Value(Word("no such form")))},
     {kNumber, "compute_s", "arithmetic", "Time of its arithmetic alone",
      CELL(known<Seconds>(row.computeS)), withUnit("s")},
     {kNumber, "memory_s", "bytes", "Time of moving its bytes alone",
      CELL(known<Seconds>(row.memoryS)), withUnit("s")},
     {"bound", "binds", "The longer of the two", CELL(Word(roofline::boundName(row.bound)))},
     {kNumber, "time_s", "time", "What the layer takes", CELL(known<Seconds>(row.timeS)),
      withUnit("s")},
     {kNumber, "stored_time_s", "as stored", "What it takes in the form that the bundle has",
      CELL(known<Seconds>(row.storedS)), withUnit("s")},
     {"outcome", "What the chip does with the weight in that form",
      CELL(row.has ? Value(Word(decision::outcomeName(row.outcome))) : Value(Nothing()))},
     {"compiler_estimate", "compiler's estimate", "What the compiler itself says of the layer",
      CELL(orNothing(row.compiler))}});

using namespace roofline;

Json energyJson(const std::optional<Energy> &energy)
{
    if (!energy)
        return nullptr;
    return {{"low_j", optionalJson(energy->lowJ)},
            {"high_j", optionalJson(energy->highJ)},
            {"basis", energy->basis},
            {"source", energy->source},
            {"conditions_hold", optionalJson(energy->holds)},
            {"method", "derived"}};
}

Json programJson(const ProgramTime &program)
{
    Json json{{"engine_time_s", optionalJson(program.engineTimeS)},
              {"known_time_s", program.timed > 0 ? Json(program.knownS) : Json(nullptr)},
              {"layers", program.layers},
              {"layers_timed", program.timed},
              {"layers_uncounted", program.uncounted}}; // how often they run is not known
    json["launches"] = program.launches ? numberJson(*program.launches) : Json(nullptr);
    json["dispatch_floor_s"] = optionalJson(program.dispatchFloorS);
    json["dispatch_fixed_s"] = program.callFixedS > 0 ? Json(program.callFixedS) : Json(nullptr);
    json["dispatch_source"] = program.dispatchSource;
    json["layers_refused"] = program.refused;
    json["refusals"] = program.refusals;
    json["time_s"] = optionalJson(program.timeS);
    json["bound"] = programBoundName(program.bound);
    json["energy"] = energyJson(program.energy);
    json["notes"] = program.notes;
    if (!program.function.empty())
        json["function"] = program.function;
    if (program.dispatches.empty())
        return json;
    // Of a pipeline one run makes all of them; of a model's functions one.
    json["alternatives"] = program.alternatives;
    json["dispatches"] = listJson(program.dispatches, programJson);
    return json;
}

Json roofsJson(const Assessment &point)
{
    return {{"compute", roofJson(point.computeRoof)},
            {"weights", roofJson(point.weightRoof)},
            {"activations", roofJson(point.activationRoof)}};
}

Json assessmentJson(const Assessment &point)
{
    Json json{{"form", point.form},
              {"outcome", decision::outcomeName(point.outcome)},
              {"weight_bytes", numberJson(point.weightBytes)},
              {"flops", roundedJson(point.flops)},
              {"bytes", roundedJson(point.bytes)},
              {"compute_s", optionalJson(point.computeS)}};
    if (point.computeRoof != nullptr && !point.computeRoof->isOfAll())
        json["compute_rate"] = roofJson(point.computeRoof);
    json["memory_s"] = optionalJson(point.memoryS);
    json["activation_bytes"] = roundedJson(point.activationBytes);
    json["roofs"] = roofsJson(point);
    json["parameters"] = listJson(point.parameters, [&](const auto *parameter) -> Json {
        return {{"name", parameter->name},
                {"value", parameter->value},
                {"unit", parameter->unit},
                {"fitted_on", parameter->fittedOn},
                {"source", parameter->source}};
    });
    json["intensity"] = optionalJson(point.intensity);
    json["bound"] = boundName(point.bound);
    json["attainable_flops"] = optionalJson(point.attainable);
    json["time_s"] = optionalJson(point.timeS);
    json["rate_flops"] = optionalJson(point.rate);
    json["speedup"] = speedupJson(point.speedup);
    json["predicted_speedup"] = optionalJson(point.predictedSpeedup);
    json["predicted_speedup_unpruned"] = optionalJson(point.predictedOverUnpruned);
    json["call_s"] = optionalJson(point.callS);
    json["predicted_speedup_call"] = optionalJson(point.predictedCallSpeedup);
    json["energy"] = energyJson(point.energy);
    json["energy_measured"] = measuredJson(point.energyMeasured);
    return json;
}

void addRoofline(Json &document, const Bundle &bundle, const Roofs &roofs,
                 const NetworkAssessment &network, std::uint64_t batch)
{
    document["bundle"] = bundle.name();
    document["batch"] = numberJson(batch);
    document["ceilings"] = jsonArray(ceilingTable, ceilingRows(roofs));
    document["compute"] = roofs.compute ? Json(roofs.compute->name) : Json(nullptr);
    document["bandwidth"] = roofs.bandwidth ? Json(roofs.bandwidth->name) : Json(nullptr);
    document["ridge"] = roofs.ridge ? ratioJson(*roofs.ridge) : Json(nullptr);
    document["ridge_computed"] = document["ridge"];
    document["ridge_source"] = roofs.ridgeSource;
    document["ridge_confidence"] =
        roofs.ridge ? Json(format::confidenceName(roofs.ridgeConfidence)) : Json(nullptr);
    document["dispatch_floor_s"] = optionalJson(roofs.dispatchFloorS);
    document["dispatch_fixed_s"] = optionalJson(roofs.callFixedS);
    document["dispatch_source"] = roofs.dispatchSource;
    document["program_time_s"] = optionalJson(network.program.timeS);
    document["program"] = programJson(network.program);
    document["working_set_bytes"] = optionalJson(roofs.workingSetBytes);
    document["working_set_source"] = roofs.workingSetSource;
    document["working_set_step"] =
        roofs.step ? jsonObject(ceilingTable, CeilingFacts{*roofs.step}) : Json(nullptr);
    // The median error of the predictions that measurements of this chip can be held against.
    document["prediction_error"] =
        optionalJson(roofs.target ? predictionError(*roofs.target) : std::nullopt);
    document["power"] =
        roofs.target ? jsonArray(powerTable, powerFigures(*roofs.target)) : Json::array();
    document["layers"] = jsonArray(placementTable, placedLayers(bundle, network.placements));
    for (std::size_t i = 0; i < network.placements.size(); ++i) {
        const Weight &weight = bundle.weights()[network.placements[i].layer.weight];
        document["layers"][i]["weight"] = weight.name;
        document["layers"][i]["address"] = weight.address();
    }
    document["unassessed"] = jsonArray(unassessedTable, unassessedRows(bundle));
}

Json calibrateJson(const target::Target *target, std::span<const roofline::CalibrationRow> rows,
                   std::span<const roofline::PublishedFigure> figures,
                   std::span<const PlacedLayer> estimated)
{
    Json json = document("calibrate");
    json["schema"] = 2; // speed-ups are speed-ups, where schema 1 had their reciprocals
    json["target"] = target ? Json(target->name) : Json(nullptr);
    json["within_goal"] = roofline::kCalibrationGoal;
    json["rows"] = jsonArray(calibrationTable, rows);
    json["figures"] = jsonArray(publishedFigureTable, figures);
    json["estimates"] = jsonArray(estimateTable, estimated);
    return json;
}

} // namespace kernscope::report
