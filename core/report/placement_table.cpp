// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/placement_table.h"

#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/report/chip_json.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using roofline::Assessment;
using roofline::Placement;

using LayerColumns = std::vector<Column<PlacedLayer>>;

/// Four significant digits.
Value placedFigure(const std::optional<double> &value)
{
    return value ? Value(Real{*value, 4, true}) : Value(Unknown());
}

Value secondsValue(const std::optional<double> &value)
{
    return value ? Value(Seconds{*value}) : Value(Unknown());
}

/// "conv", and of an operation with several weights which one it is: "lstm.weight_ih".
std::string operationText(const roofline::Layer &layer)
{
    const bool several = layer.param.starts_with("weight_");
    return several ? layer.op + "." + layer.param : layer.op;
}

/// How often a run comes to a layer, where it is not once: the times in the table are of one.
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
    Json list = Json::array();
    for (const roofline::LayerRun &run : row.placement->layer.runs)
        list.push_back({{"entry", run.entry},
                        {"launch", run.launch},
                        {"backend", run.backend.empty() ? Json(nullptr) : Json(run.backend)},
                        {"times", run.times ? numberJson(*run.times) : Json(nullptr)}});
    return list;
}

Json layerFormsJson(const PlacedLayer &row)
{
    const Placement &placement = *row.placement;
    const Assessment *best = placement.bestForm();
    Json json;
    json["stored"] = assessmentJson(placement.stored());
    json["dense"] = assessmentJson(placement.trail[placement.dense]);
    json["best"] = best ? assessmentJson(*best) : Json(nullptr);
    json["trail"] = Json::array();
    for (const Assessment &point : placement.trail)
        json["trail"].push_back(assessmentJson(point));
    return json;
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

const TableOf<PlacedLayer> &placementTable()
{
    using Row = PlacedLayer;
    static constexpr Column<Row> kColumns[] = {
        {"name", "layer", "Name of the operation, after its function where there are several",
         [](const Row &row) -> Value { return printable(row.placement->layer.label()); },
         jsonOf([](const Row &row) { return Json(row.placement->layer.name); })},
        {kDocument | kWindow, "function", "function",
         "Function of the program that holds the layer",
         [](const Row &row) -> Value { return View(row.function); },
         jsonOf([](const Row &row) { return Json(row.placement->layer.function); })},
        {kDocument, "runs", "runs", "Functions that a run enters to get there, and how often",
         nullptr, jsonOf(runsJson)},
        {kName, "op", "op", "Kind of the operation, and which of several weights it is",
         [](const Row &row) -> Value { return operationText(row.placement->layer); },
         jsonOf([](const Row &row) { return Json(row.placement->layer.op); })},
        {kDocument, "param", "parameter", "Parameter of the operation that takes the weight",
         [](const Row &row) -> Value { return View(row.placement->layer.param); }},
        {"form", "form", "How the weight is stored",
         [](const Row &row) -> Value { return View(storedOf(row).form); }},
        {kNumber, "flops", "FLOP", "Floating-point operations of one run",
         [](const Row &row) { return placedFigure(storedOf(row).flops); }, unknownAs("?"),
         jsonOf([](const Row &row) { return roundedJson(storedOf(row).flops); })},
        {kNumber, "bytes", "bytes",
         "Bytes that one run moves: the weight, and inputs and outputs larger than the working set",
         [](const Row &row) { return placedFigure(storedOf(row).bytes); }, unknownAs("?"),
         jsonOf([](const Row &row) { return roundedJson(storedOf(row).bytes); })},
        {kNumber | kDocument, "weight_bytes_stored", "stored",
         "Bytes of the weight as it is stored", nullptr, withUnit("B"),
         jsonOf([](const Row &row) { return numberJson(row.placement->layer.form.storedBytes); })},
        {kNumber | kDocument, "weight_bytes_dense", "dense", "Bytes of the weight as dense fp16",
         nullptr, withUnit("B"),
         jsonOf([](const Row &row) { return numberJson(row.placement->layer.form.denseBytes); })},
        {kNumber | kDocument, "input_bytes", "input", "Bytes of the input", nullptr, withUnit("B"),
         jsonOf([](const Row &row) { return numberJson(row.placement->layer.inputBytes); })},
        {kNumber | kDocument, "output_bytes", "output", "Bytes of the output", nullptr,
         withUnit("B"),
         jsonOf([](const Row &row) { return numberJson(row.placement->layer.outputBytes); })},
        {kNumber, "intensity", "FLOP/B", "Operations for each byte moved",
         [](const Row &row) { return placedFigure(storedOf(row).intensity); }, unknownAs("?")},
        {"bound", "bound", "Which of the two ceilings limits the layer",
         [](const Row &row) -> Value { return Word(roofline::boundName(storedOf(row).bound)); }},
        {kNumber, "attainable_flops", "attainable",
         "Rate that the ceilings leave at this intensity",
         [](const Row &row) { return placedFigure(storedOf(row).attainable); }, withUnit("FLOP/s"),
         unknownAs("?")},
        {kNumber, "time_s", "time", "Predicted time of one run",
         [](const Row &row) { return secondsValue(storedOf(row).timeS); }, withUnit("s"),
         unknownAs("?")},
        {kName, "compiler_estimate_ms", "compiler's estimate",
         "What the compiler itself says of its time (EstimatedRuntime), by backend",
         [](const Row &row) -> Value {
             const std::string text = row.notes != nullptr ? estimateText(*row.notes) : "";
             return text.empty() ? Value(Absent()) : Value(text);
         },
         jsonOf(estimatesJson)},
        {kName | kDocument | kWindow, "roofs", "held against",
         "Roofs that were taken for its arithmetic and for the stream of its weight",
         [](const Row &row) -> Value { return roofsText(storedOf(row)); },
         jsonOf([](const Row &row) { return roofsJson(storedOf(row)); })},
        {kNumber | kDocument, "rate_flops", "rate", "Operations over the predicted time",
         [](const Row &row) { return placedFigure(storedOf(row).rate); }, withUnit("FLOP/s")},
        {kNumber | kDocument | kTerminal, "energy", "energy",
         "Derived: a measured power times the predicted time",
         [](const Row &row) -> Value { return energyText(storedOf(row).energy); }, withUnit("uJ"),
         jsonOf([](const Row &row) { return energyJson(storedOf(row).energy); })},
        {kNumber | kWindow, "dense_bytes", "dense",
         "Bytes that one run would move if the weight were dense fp16",
         [](const Row &row) { return placedFigure(denseOf(row).bytes); }, withUnit("B")},
        {kNumber | kWindow, "dense_time_s", "dense time", "Predicted time with a dense fp16 weight",
         [](const Row &row) { return secondsValue(denseOf(row).timeS); }, withUnit("s")},
        {kName | kTables, "best_form", "best form",
         "Form of the weight with which the layer is predicted to be fastest",
         [](const Row &row) -> Value {
             const Assessment *best = row.placement->bestForm();
             return best ? Value(View(best->form)) : Value(Unknown());
         },
         unknownAs("?")},
        {kNumber | kTables, "best_time_s", "its time", "Predicted time in the best form",
         [](const Row &row) -> Value {
             const Assessment *best = row.placement->bestForm();
             return best ? secondsValue(best->timeS) : Value(Unknown());
         },
         withUnit("s"), unknownAs("?")},
        {kName | kTerminal, "remarks", "remarks", "What the figures are to be read with",
         [](const Row &row) -> Value { return remarksText(*row.placement); }},
        {kDocument | kWindow, "estimated", "estimated",
         "A roof is not measured, or an extent is not known",
         [](const Row &row) -> Value { return row.placement->estimated; }},
        {kDocument, "above_working_set", "above working set",
         "An operand is larger than the working set: it is tiled and streamed",
         [](const Row &row) { return known(row.placement->aboveWorkingSet); }},
        {kNumber | kDocument | kWindow, "above_roofs", "above roofs",
         "How many measured roofs the layer passes",
         [](const Row &row) -> Value { return Count(row.placement->above.size()); },
         jsonOf([](const Row &row) { return Json(row.placement->above); })},
        {kDocument, "forms", "forms", "The layer in each form of its weight", nullptr,
         jsonOf(layerFormsJson)},
    };
    static const TableOf<Row> kTable{"roofline", kColumns, {}, {"name", "op"}};
    return kTable;
}

const TableOf<PlacedLayer> &estimateTable()
{
    using Row = PlacedLayer;
    static constexpr Column<Row> kColumns[] = {
        {"name", "layer", "Name of the operation",
         [](const Row &row) -> Value { return printable(row.placement->layer.label()); }},
        {"op", "op", "Kind of the operation",
         [](const Row &row) -> Value { return operationText(row.placement->layer); }},
        {"form", "form", "How the weight is stored",
         [](const Row &row) -> Value { return View(storedOf(row).form); }},
        {kNumber, "predicted_s", "predicted", "Time of one run on the engine, by the assessment",
         [](const Row &row) { return secondsValue(storedOf(row).timeS); }, unknownAs("?")},
        {kNumber, "compiler_s", "compiler",
         "Time on the engine by the compiler itself (EstimatedRuntime, ane)",
         [](const Row &row) { return secondsValue(estimateOfEngine(row)); }, unknownAs("?")},
        {kNumber, "ratio", "ratio", "Predicted over the compiler's",
         [](const Row &row) {
             const auto own = estimateOfEngine(row);
             const auto &predicted = storedOf(row).timeS;
             return own && predicted && *own > 0 ? Value(Real(*predicted / *own, 2))
                                                 : Value(Unknown());
         },
         unknownAs("?")},
        {"compiler_estimate_ms", "all of the compiler's",
         "Its estimates by backend, that of the chosen one first",
         [](const Row &row) -> Value { return estimateText(*row.notes); }, jsonOf(estimatesJson)},
    };
    static const TableOf<Row> kTable{"estimates", kColumns};
    return kTable;
}

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

} // namespace kernscope::report
