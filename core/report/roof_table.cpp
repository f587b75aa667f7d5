// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/roof_table.h"

#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/json_table.h"

namespace kernscope::report {

namespace {

constexpr auto kRoofNumber = TextTable::Align::Right;

Value confidenceWord(format::Confidence confidence)
{
    return Word{format::confidenceName(confidence)};
}

Value secondsOf(const std::optional<double> &time)
{
    return known<Seconds>(time);
}

std::vector<Column<TimedLayer>> timedNames()
{
    using Row = TimedLayer;
    return {{.key = "name",
             .title = "layer",
             .explanation = "Operation that reads the weight",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value { return View(row.name); }},
            {.key = "op",
             .title = "op",
             .explanation = "What it does",
             .value = [](const Row &row) -> Value { return View(row.op); }},
            {.key = "form",
             .title = "form",
             .explanation = "Form of the weight that the times are of",
             .value = [](const Row &row) -> Value {
                 return row.has ? Value(View(row.form)) : Value(Word{"no such form"});
             }}};
}

std::vector<Column<TimedLayer>> timedFigures()
{
    using Row = TimedLayer;
    return {{.key = "compute_s",
             .title = "arithmetic",
             .unit = "s",
             .explanation = "Time of its arithmetic alone",
             .align = kRoofNumber,
             .value = [](const Row &row) { return secondsOf(row.computeS); }},
            {.key = "memory_s",
             .title = "bytes",
             .unit = "s",
             .explanation = "Time of moving its bytes alone",
             .align = kRoofNumber,
             .value = [](const Row &row) { return secondsOf(row.memoryS); }},
            {.key = "bound",
             .title = "binds",
             .explanation = "The longer of the two",
             .value = [](const Row &row) -> Value { return Word{roofline::boundName(row.bound)}; }},
            {.key = "time_s",
             .title = "time",
             .unit = "s",
             .explanation = "What the layer takes",
             .align = kRoofNumber,
             .value = [](const Row &row) { return secondsOf(row.timeS); }},
            {.key = "stored_time_s",
             .title = "as stored",
             .unit = "s",
             .explanation = "What it takes in the form that the bundle has",
             .align = kRoofNumber,
             .value = [](const Row &row) { return secondsOf(row.storedS); }},
            {.key = "outcome",
             .title = "outcome",
             .explanation = "What the chip does with the weight in that form",
             .value = [](const Row &row) -> Value {
                 return row.has ? Value(Word{decision::outcomeName(row.outcome)})
                                : Value(Nothing());
             }},
            {.key = "compiler_estimate",
             .title = "compiler's estimate",
             .explanation = "What the compiler itself says of the layer",
             .value = [](const Row &row) { return orNothing(row.compiler); }}};
}

} // namespace

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

const TableOf<CeilingFacts> &ceilingTable()
{
    using Row = CeilingFacts;
    static const TableOf<Row> kTable{
        "ceilings",
        {{.key = "name",
          .title = "ceiling",
          .explanation = "Name of the figure; > marks those that layers are held against",
          .value = [](const Row &row) -> Value {
              return (row.used ? "> " : "  ") + row.ceiling.name;
          },
          .document = [](const Row &row) { return Json(row.ceiling.name); }},
         {.key = "kind",
          .title = "kind",
          .explanation = "What it bounds",
          .value = [](const Row &row) -> Value {
              return Word{roofline::ceilingKindName(row.ceiling.kind)};
          }},
         {.key = "value",
          .title = "value",
          .explanation = "The figure",
          .align = kRoofNumber,
          .value = [](const Row &row) -> Value {
              return Real{row.ceiling.value, 4, true};
          }},
         {.key = "unit",
          .title = "unit",
          .explanation = "Its unit",
          .value = [](const Row &row) -> Value { return View(row.ceiling.unit); }},
         {.key = "method",
          .title = "method",
          .explanation = "Whether it was measured, derived or marketed",
          .value = [](const Row &row) -> Value {
              return Word{roofline::ceilingMethodName(row.ceiling.method)};
          }},
         {.key = "chip",
          .title = "of",
          .explanation = "Product that the figure is of",
          .shown = kDocument | kWindow,
          .value = [](const Row &row) { return orNothing(row.ceiling.chip); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the figure is from",
          .value = [](const Row &row) -> Value { return View(row.ceiling.source); }},
         {.key = "confidence",
          .title = "confidence",
          .explanation = "How sure it is",
          .shown = kDocument,
          .value = [](const Row &row) { return confidenceWord(row.ceiling.confidence); }}},
        {"name", "kind", "value", "unit", "source", "confidence", "method", "chip"}};
    return kTable;
}

const TableOf<roofline::PowerFigure> &powerTable()
{
    using Row = roofline::PowerFigure;
    static const TableOf<Row> kTable{
        "power",
        {{.key = "watts",
          .title = "power",
          .unit = "W",
          .explanation = "Measured power",
          .align = kRoofNumber,
          .value = [](const Row &row) -> Value {
              return Real{row.watts, 6, true};
          }},
         {.key = "quantity",
          .title = "of",
          .explanation = "What was measured",
          .value = [](const Row &row) -> Value { return View(row.quantity); }},
         {.key = "method",
          .title = "method",
          .explanation = "How the figure was made",
          .value = [](const Row &row) -> Value { return View(row.method); }},
         {.key = "condition",
          .title = "condition",
          .explanation = "What it was measured under",
          .value = [](const Row &row) -> Value { return View(row.condition); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the figure is from",
          .value = [](const Row &row) -> Value { return View(row.source); }},
         {.key = "confidence",
          .title = "confidence",
          .explanation = "How sure it is",
          .shown = kDocument,
          .value = [](const Row &row) { return confidenceWord(row.confidence); }}},
        {"quantity", "watts", "method", "condition", "source", "confidence"}};
    return kTable;
}

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

const TableOf<UnassessedWeight> &unassessedTable()
{
    using Row = UnassessedWeight;
    static const TableOf<Row> kTable{
        "unassessed",
        {{.key = "weight",
          .title = "weight",
          .explanation = "Weight that no layer with a kernel reads",
          .value = [](const Row &row) -> Value { return View(row.weight); }},
         {.key = "address",
          .title = "address",
          .explanation = "Model, function and name of the weight",
          .shown = kDocument,
          .value = [](const Row &row) -> Value { return View(row.address); }},
         {.key = "stored_bytes",
          .title = "stored",
          .explanation = "Bytes of the weight as it is stored",
          .align = kRoofNumber,
          .unknown = "?",
          .value = [](const Row &row) { return known<Count>(row.storedBytes); }},
         {.key = "reason",
          .title = "why it is in no layer",
          .explanation = "What reads it, or why nothing does",
          .value = [](const Row &row) -> Value { return View(row.reason); }}}};
    return kTable;
}

const TableOf<TimedLayer> &timedLayerTable()
{
    static const TableOf<TimedLayer> kTable = [] {
        TableOf<TimedLayer> table{"timeline", timedNames()};
        const auto figures = timedFigures();
        table.columns.insert(table.columns.end(), figures.begin(), figures.end());
        return table;
    }();
    return kTable;
}

} // namespace kernscope::report
