// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/weight_table.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/joined_columns.h"
#include "core/report/json.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/weight_parts.h"
#include "core/report/weight_value_columns.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr std::size_t kNamedConsumers = 2;

std::string usedByText(const Weight &weight)
{
    std::string text;
    const std::size_t named = std::min(weight.consumers.size(), kNamedConsumers);
    for (std::size_t i = 0; i < named; ++i) {
        const Consumer &consumer = weight.consumers[i];
        text += fmt::format("{}{}.{}", i == 0 ? "" : ", ", consumer.op, consumer.param);
    }
    if (weight.consumers.size() > named)
        text += fmt::format(", {} more", weight.consumers.size() - named);
    return text;
}

Value backendValue(const WeightFacts &row)
{
    const auto &consumers = row.weight().consumers;
    if (consumers.empty() || consumers.front().backends.empty())
        return Absent();
    return orNothing(consumers.front().backends.selected);
}

Value ratioValue(const WeightFacts &row)
{
    const Weight &weight = row.weight();
    const bool known = knownStoredBytes(weight) && weight.denseFp16Bytes().value > 0;
    return known ? Value(Ratio{weight.ratio()}) : Value(Unknown());
}

WeightColumns nameColumns()
{
    using Row = WeightFacts;
    return {
        {.key = "function",
         .title = "function",
         .explanation = "Function of the program that holds the weight",
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value {
             return row.severalFunctions ? Value(functionWords(row.weight())) : Value(Absent());
         },
         .document = [](const Row &row) { return Json(row.weight().function); }},
        {.key = "name",
         .title = "name",
         .explanation = "Name of the value that the consumer reads",
         .align = TextTable::Align::Name,
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.weight().name); }},
        // The window has an icon for it.
        {.key = "marked_name",
         .title = "name",
         .explanation = "Name of the value that the consumer reads; ! where it cannot be decoded",
         .align = TextTable::Align::Name,
         .shown = kTerminal,
         .value = [](const Row &row) -> Value {
             return row.weight().fault ? Value("! " + row.weight().name)
                                       : Value(View(row.weight().name));
         }},
        {.key = "op_name",
         .title = "operation",
         .explanation = "Name of the operation that makes it",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row.weight().opName()); }},
        {.key = "model",
         .title = "model",
         .explanation = "Model of a pipeline that holds the weight",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row.weight().model); }},
        {.key = "address",
         .title = "address",
         .explanation = "By which the weight is found among those of the same name",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.weight().address(); }},
        {.key = "source_op",
         .title = "made by",
         .explanation = "Kind of the operation that makes it",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row.weight().sourceOp); }},
    };
}

WeightColumns storageFormColumns()
{
    using Row = WeightFacts;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "form",
         .title = "form",
         .explanation = "How the weight is stored",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return formText(row.weight().form); }},
        {.key = "dtype",
         .title = "type",
         .explanation = "Type of the decoded elements",
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value { return elementTypeName(row.weight().type); }},
        {.key = "shape",
         .title = "shape",
         .explanation = "Extents of the decoded tensor, outermost first; sorts by the number of "
                        "elements",
         .value = [](const Row &row) -> Value { return shapeText(row.weight().shape); },
         .document = [](const Row &row) { return numbersJson(row.weight().shape); },
         .order = [](const Row &row) { return SortValue(row.weight().elements.value); }},
        {.key = "elements",
         .title = "elements",
         .explanation = "Elements of the decoded tensor",
         .align = kNumber,
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return Count{row.weight().elements.value}; }},
        {.key = "parts",
         .title = "parts",
         .explanation = "Operands that it is stored as, and where",
         .shown = kDocument,
         .document = [](const Row &row) { return partsJson(*row.bundle, row.weight()); }},
    };
}

WeightColumns storageSizeColumns()
{
    using Row = WeightFacts;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "stored_bytes",
         .title = "stored",
         .unit = "B",
         .explanation = "Bytes that the weight takes in the file, a part that is used twice "
                        "counted once",
         .align = kNumber,
         .unknown = "unknown",
         .value = [](const Row &row) -> Value {
             const auto stored = knownStoredBytes(row.weight());
             return stored ? Value(Count{stored->value}) : Value(Unknown());
         }},
        {.key = "dense_fp16_bytes",
         .title = "dense",
         .unit = "B",
         .explanation = "Bytes that it would take as dense fp16",
         .align = kNumber,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return Count{row.weight().denseFp16Bytes().value};
         }},
        {.key = "ratio",
         .title = "ratio",
         .explanation = "Stored bytes over the bytes of dense fp16",
         .align = kNumber,
         .value = ratioValue},
    };
}

WeightColumns storageColumns()
{
    return joinedColumns(storageFormColumns(), storageSizeColumns());
}

WeightColumns useColumns()
{
    using Row = WeightFacts;
    return {
        {.key = "used_by",
         .title = "used by",
         .explanation = "Operations that read it, with the parameter",
         .align = TextTable::Align::Name,
         .shown = kTerminal,
         .value = [](const Row &row) -> Value { return usedByText(row.weight()); }},
        {.key = "runs_on",
         .title = "runs on",
         .explanation = "Where the compiler runs its first consumer",
         .shown = kTerminal,
         .value = backendValue},
        {.key = "detail",
         .title = "detail",
         .explanation = "Figures of its storage form",
         .shown = kDocument,
         .document = [](const Row &row) { return detailJson(row.weight()); }},
        {.key = "consumers",
         .title = "consumers",
         .explanation = "Operations that read it, with their geometry",
         .shown = kDocument,
         .document = [](const Row &row) { return consumersJson(row.weight()); }},
        {.key = "fault",
         .title = "fault",
         .explanation = "Why it cannot be decoded",
         .shown = kDocument,
         .document =
             [](const Row &row) {
                 const auto &fault = row.weight().fault;
                 return fault ? diagnosticJson({Severity::Error, *fault}) : noKey();
             }},
    };
}

} // namespace

std::string functionWords(const Weight &weight)
{
    const bool both = !weight.model.empty() && !weight.function.empty();
    return weight.model + (both ? "/" : "") + weight.function;
}

bool severalFunctions(const Bundle &bundle)
{
    const auto &weights = bundle.weights();
    return std::any_of(weights.begin(), weights.end(), [&weights](const Weight &weight) {
        return weight.function != weights.front().function || weight.model != weights.front().model;
    });
}

std::vector<WeightFacts> weightRows(const Bundle &bundle,
                                    const std::vector<std::optional<Statistics>> &statistics,
                                    const StatisticsOptions &asked,
                                    const std::vector<bool> &selected)
{
    std::vector<WeightFacts> rows;
    const bool several = severalFunctions(bundle);
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (!selected.empty() && !selected[i])
            continue;
        const bool read = i < statistics.size() && statistics[i];
        rows.push_back({&bundle, i, read ? &*statistics[i] : nullptr, asked, {}, several});
    }
    return rows;
}

const Weight &WeightFacts::weight() const
{
    return bundle->weights()[index];
}

const TableOf<WeightFacts> &weightTable()
{
    static const TableOf<WeightFacts> kTable{
        "weights",
        joinedColumns(nameColumns(), storageColumns(), useColumns(), weightValueColumns()),
        {"name",      "op_name",       "function", "model",     "address",
         "source_op", "form",          "shape",    "dtype",     "elements",
         "parts",     "stored_bytes",  "detail",   "consumers", "dense_fp16_bytes",
         "ratio",     "zero_fraction", "min",      "max",       "mean",
         "std",       "nan",           "inf",      "sha256",    "fault"},
        {"name"}};
    return kTable;
}

} // namespace kernscope::report
