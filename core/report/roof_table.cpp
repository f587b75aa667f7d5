// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/roof_table.h"

#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/json_table.h"

namespace kernscope::report {

namespace {

Value confidenceWord(format::Confidence confidence)
{
    return Word{format::confidenceName(confidence)};
}

Value secondsOf(const std::optional<double> &time)
{
    return known<Seconds>(time);
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
    static constexpr Column<Row> kColumns[] = {
        {"name", "ceiling", "Name of the figure; > marks those that layers are held against",
         [](const Row &row) -> Value { return (row.used ? "> " : "  ") + row.ceiling.name; },
         jsonOf([](const Row &row) { return Json(row.ceiling.name); })},
        {"kind", "kind", "What it bounds",
         [](const Row &row) -> Value { return Word(roofline::ceilingKindName(row.ceiling.kind)); }},
        {kNumber, "value", "value", "The figure",
         [](const Row &row) -> Value { return Real(row.ceiling.value, 4, true); }},
        {"unit", "unit", "Its unit",
         [](const Row &row) -> Value { return View(row.ceiling.unit); }},
        {"method", "method", "Whether it was measured, derived or marketed",
         [](const Row &row) -> Value {
             return Word(roofline::ceilingMethodName(row.ceiling.method));
         }},
        {kDocument | kWindow, "chip", "of", "Product that the figure is of",
         [](const Row &row) { return orNothing(row.ceiling.chip); }},
        {"source", "source", "Where the figure is from",
         [](const Row &row) -> Value { return View(row.ceiling.source); }},
        {kDocument, "confidence", "confidence", "How sure it is",
         [](const Row &row) { return confidenceWord(row.ceiling.confidence); }},
    };
    static const TableOf<Row> kTable{
        "ceilings",
        kColumns,
        {"name", "kind", "value", "unit", "source", "confidence", "method", "chip"}};
    return kTable;
}

const TableOf<roofline::PowerFigure> &powerTable()
{
    using Row = roofline::PowerFigure;
    static constexpr Column<Row> kColumns[] = {
        {kNumber, "watts", "power", "Measured power",
         [](const Row &row) -> Value { return Real(row.watts, 6, true); }, withUnit("W")},
        {"quantity", "of", "What was measured",
         [](const Row &row) -> Value { return View(row.quantity); }},
        {"method", "method", "How the figure was made",
         [](const Row &row) -> Value { return View(row.method); }},
        {"condition", "condition", "What it was measured under",
         [](const Row &row) -> Value { return View(row.condition); }},
        {"source", "source", "Where the figure is from",
         [](const Row &row) -> Value { return View(row.source); }},
        {kDocument, "confidence", "confidence", "How sure it is",
         [](const Row &row) { return confidenceWord(row.confidence); }},
    };
    static const TableOf<Row> kTable{
        "power", kColumns, {"quantity", "watts", "method", "condition", "source", "confidence"}};
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
    static constexpr Column<Row> kColumns[] = {
        {"weight", "weight", "Weight that no layer with a kernel reads",
         [](const Row &row) -> Value { return View(row.weight); }},
        {kDocument, "address", "address", "Model, function and name of the weight",
         [](const Row &row) -> Value { return View(row.address); }},
        {kNumber, "stored_bytes", "stored", "Bytes of the weight as it is stored",
         [](const Row &row) { return known<Count>(row.storedBytes); }, unknownAs("?")},
        {"reason", "why it is in no layer", "What reads it, or why nothing does",
         [](const Row &row) -> Value { return View(row.reason); }},
    };
    static const TableOf<Row> kTable{"unassessed", kColumns};
    return kTable;
}

const TableOf<TimedLayer> &timedLayerTable()
{
    using Row = TimedLayer;
    static constexpr Column<Row> kColumns[] = {
        {kName, "name", "layer", "Operation that reads the weight",
         [](const Row &row) -> Value { return View(row.name); }},
        {"op", "op", "What it does", [](const Row &row) -> Value { return View(row.op); }},
        {"form", "form", "Form of the weight that the times are of",
         [](const Row &row) -> Value {
             return row.has ? Value(View(row.form)) : Value(Word("no such form"));
         }},
        {kNumber, "compute_s", "arithmetic", "Time of its arithmetic alone",
         [](const Row &row) { return secondsOf(row.computeS); }, withUnit("s")},
        {kNumber, "memory_s", "bytes", "Time of moving its bytes alone",
         [](const Row &row) { return secondsOf(row.memoryS); }, withUnit("s")},
        {"bound", "binds", "The longer of the two",
         [](const Row &row) -> Value { return Word(roofline::boundName(row.bound)); }},
        {kNumber, "time_s", "time", "What the layer takes",
         [](const Row &row) { return secondsOf(row.timeS); }, withUnit("s")},
        {kNumber, "stored_time_s", "as stored", "What it takes in the form that the bundle has",
         [](const Row &row) { return secondsOf(row.storedS); }, withUnit("s")},
        {"outcome", "outcome", "What the chip does with the weight in that form",
         [](const Row &row) -> Value {
             return row.has ? Value(Word(decision::outcomeName(row.outcome))) : Value(Nothing());
         }},
        {"compiler_estimate", "compiler's estimate", "What the compiler itself says of the layer",
         [](const Row &row) { return orNothing(row.compiler); }},
    };
    static const TableOf<Row> kTable{"timeline", kColumns};
    return kTable;
}

} // namespace kernscope::report
