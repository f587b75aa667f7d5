// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/placement_table.h"

#include "core/base/printable.h"
#include "core/report/chip_json.h"
#include "core/report/joined_columns.h"
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
    if (placement.stored().computeRate)
        remarks += "at-" + placement.stored().computeRate->name + " ";
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

LayerColumns operationColumns()
{
    using Row = PlacedLayer;
    return {
        {.key = "name",
         .title = "layer",
         .explanation = "Name of the operation, after its function where there are several",
         .value = [](const Row &row) -> Value { return printable(row.placement->layer.label()); },
         .document = [](const Row &row) { return Json(row.placement->layer.name); }},
        {.key = "function",
         .title = "function",
         .explanation = "Function of the program that holds the layer",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.function); },
         .document = [](const Row &row) { return Json(row.placement->layer.function); }},
        {.key = "runs",
         .title = "runs",
         .explanation = "Functions that a run enters to get there, and how often",
         .shown = kDocument,
         .document = runsJson},
        {.key = "op",
         .title = "op",
         .explanation = "Kind of the operation, and which of several weights it is",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return operationText(row.placement->layer); },
         .document = [](const Row &row) { return Json(row.placement->layer.op); }},
        {.key = "param",
         .title = "parameter",
         .explanation = "Parameter of the operation that takes the weight",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row.placement->layer.param); }},
        {.key = "form",
         .title = "form",
         .explanation = "How the weight is stored",
         .value = [](const Row &row) -> Value { return View(storedOf(row).form); }},
    };
}

LayerColumns workTotalColumns()
{
    using Row = PlacedLayer;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "flops",
         .title = "FLOP",
         .explanation = "Floating-point operations of one run",
         .align = kNumber,
         .unknown = "?",
         .value = [](const Row &row) { return placedFigure(storedOf(row).flops); },
         .document = [](const Row &row) { return roundedJson(storedOf(row).flops); }},
        {.key = "bytes",
         .title = "bytes",
         .explanation = "Bytes that one run moves: weight, input and output",
         .align = kNumber,
         .unknown = "?",
         .value = [](const Row &row) { return placedFigure(storedOf(row).bytes); },
         .document = [](const Row &row) { return roundedJson(storedOf(row).bytes); }},
    };
}

LayerColumns workTrafficColumns()
{
    using Row = PlacedLayer;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "weight_bytes_stored",
         .title = "stored",
         .unit = "B",
         .explanation = "Bytes of the weight as it is stored",
         .align = kNumber,
         .shown = kDocument,
         .document =
             [](const Row &row) { return numberJson(row.placement->layer.form.storedBytes); }},
        {.key = "weight_bytes_dense",
         .title = "dense",
         .unit = "B",
         .explanation = "Bytes of the weight as dense fp16",
         .align = kNumber,
         .shown = kDocument,
         .document =
             [](const Row &row) { return numberJson(row.placement->layer.form.denseBytes); }},
        {.key = "input_bytes",
         .title = "input",
         .unit = "B",
         .explanation = "Bytes of the input",
         .align = kNumber,
         .shown = kDocument,
         .document = [](const Row &row) { return numberJson(row.placement->layer.inputBytes); }},
        {.key = "output_bytes",
         .title = "output",
         .unit = "B",
         .explanation = "Bytes of the output",
         .align = kNumber,
         .shown = kDocument,
         .document = [](const Row &row) { return numberJson(row.placement->layer.outputBytes); }},
        {.key = "intensity",
         .title = "FLOP/B",
         .explanation = "Operations for each byte moved",
         .align = kNumber,
         .unknown = "?",
         .value = [](const Row &row) { return placedFigure(storedOf(row).intensity); }},
    };
}

LayerColumns workColumns()
{
    return joinedColumns(workTotalColumns(), workTrafficColumns());
}

LayerColumns rateTimeColumns()
{
    using Row = PlacedLayer;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "bound",
         .title = "bound",
         .explanation = "Which of the two ceilings limits the layer",
         .value = [](const Row &row) -> Value {
             return Word{roofline::boundName(storedOf(row).bound)};
         }},
        {.key = "attainable_flops",
         .title = "attainable",
         .unit = "FLOP/s",
         .explanation = "Rate that the ceilings leave at this intensity",
         .align = kNumber,
         .unknown = "?",
         .value = [](const Row &row) { return placedFigure(storedOf(row).attainable); }},
        {.key = "time_s",
         .title = "time",
         .unit = "s",
         .explanation = "Predicted time of one run",
         .align = kNumber,
         .unknown = "?",
         .value = [](const Row &row) { return secondsValue(storedOf(row).timeS); }},
        {.key = "rate_flops",
         .title = "rate",
         .unit = "FLOP/s",
         .explanation = "Operations over the predicted time",
         .align = kNumber,
         .shown = kDocument,
         .value = [](const Row &row) { return placedFigure(storedOf(row).rate); }},
        {.key = "energy",
         .title = "energy",
         .unit = "uJ",
         .explanation = "Derived: a measured power times the predicted time",
         .align = kNumber,
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value { return energyText(storedOf(row).energy); },
         .document = [](const Row &row) { return energyJson(storedOf(row).energy); }},
    };
}

LayerColumns rateDenseColumns()
{
    using Row = PlacedLayer;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "dense_bytes",
         .title = "dense",
         .unit = "B",
         .explanation = "Bytes that one run would move if the weight were dense fp16",
         .align = kNumber,
         .shown = kWindow,
         .value = [](const Row &row) { return placedFigure(denseOf(row).bytes); }},
        {.key = "dense_time_s",
         .title = "dense time",
         .unit = "s",
         .explanation = "Predicted time with a dense fp16 weight",
         .align = kNumber,
         .shown = kWindow,
         .value = [](const Row &row) { return secondsValue(denseOf(row).timeS); }},
    };
}

LayerColumns rateColumns()
{
    return joinedColumns(rateTimeColumns(), rateDenseColumns());
}

LayerColumns bestFormColumns()
{
    using Row = PlacedLayer;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "best_form",
         .title = "best form",
         .explanation = "Form of the weight with which the layer is predicted to be fastest",
         .align = TextTable::Align::Name,
         .shown = kTables,
         .unknown = "?",
         .value = [](const Row &row) -> Value {
             const Assessment *best = row.placement->bestForm();
             return best ? Value(View(best->form)) : Value(Unknown());
         }},
        {.key = "best_time_s",
         .title = "its time",
         .unit = "s",
         .explanation = "Predicted time in the best form",
         .align = kNumber,
         .shown = kTables,
         .unknown = "?",
         .value = [](const Row &row) -> Value {
             const Assessment *best = row.placement->bestForm();
             return best ? secondsValue(best->timeS) : Value(Unknown());
         }},
    };
}

LayerColumns limitAndFormColumns()
{
    using Row = PlacedLayer;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "remarks",
         .title = "remarks",
         .explanation = "What the figures are to be read with",
         .align = TextTable::Align::Name,
         .shown = kTerminal,
         .value = [](const Row &row) -> Value { return remarksText(*row.placement); }},
        {.key = "estimated",
         .title = "estimated",
         .explanation = "A roof is not measured, or an extent is not known",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return row.placement->estimated; }},
        {.key = "above_working_set",
         .title = "above working set",
         .explanation = "An operand is larger than the working set: it is tiled and streamed",
         .shown = kDocument,
         .value = [](const Row &row) { return known(row.placement->aboveWorkingSet); }},
        {.key = "above_roofs",
         .title = "above roofs",
         .explanation = "How many measured roofs the layer passes",
         .align = kNumber,
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return Count{row.placement->above.size()}; },
         .document = [](const Row &row) { return Json(row.placement->above); }},
        {.key = "forms",
         .title = "forms",
         .explanation = "The layer in each form of its weight",
         .shown = kDocument,
         .document = layerFormsJson},
        {.key = "compiler_estimate",
         .title = "compiler's estimate",
         .explanation = "What the compiler itself says of its time",
         .shown = kWindow,
         .value = [](const Row &row) -> Value { return View(row.compilerEstimate); }},
    };
}

LayerColumns remarkColumns()
{
    return joinedColumns(bestFormColumns(), limitAndFormColumns());
}

LayerColumns placementColumns()
{
    LayerColumns all;
    for (LayerColumns &part : std::vector<LayerColumns>{operationColumns(), workColumns(),
                                                        rateColumns(), remarkColumns()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace

std::vector<PlacedLayer> placedLayers(std::span<const roofline::Placement> placements)
{
    std::vector<PlacedLayer> rows;
    rows.reserve(placements.size());
    for (const Placement &placement : placements)
        rows.push_back({&placement});
    return rows;
}

const TableOf<PlacedLayer> &placementTable()
{
    static const TableOf<PlacedLayer> kTable{"roofline", placementColumns(), {}, {"name", "op"}};
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
