// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/weight_value_columns.h"

#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

namespace kernscope::report {

namespace {

Value zerosValue(const WeightFacts &row)
{
    if (!row.asked.figures)
        return Absent();
    if (row.statistics != nullptr && row.statistics->elements > 0)
        return Percent{row.statistics->zeroFraction()};
    return row.zeros ? Value(Percent{*row.zeros}) : Value(Unknown());
}

/// A figure of the finite values, of which there may be none.
Value figureValue(const WeightFacts &row, double Statistics::*figure)
{
    if (!row.asked.figures)
        return Absent();
    if (row.statistics == nullptr || row.statistics->finite() == 0)
        return Unknown();
    return Real{row.statistics->*figure, 5, true};
}

Value valueCount(const WeightFacts &row, std::uint64_t count)
{
    return row.asked.figures && row.statistics != nullptr ? Value(Count{count}) : Value(Absent());
}

Value hashValue(const WeightFacts &row)
{
    if (!row.asked.hash)
        return Absent();
    return row.statistics != nullptr ? Value(View(row.statistics->sha256)) : Value(Unknown());
}

/// No key where the values were not read.
Json ofRead(const WeightFacts &row, const Value &value)
{
    const bool said = row.statistics != nullptr && !std::holds_alternative<Absent>(value);
    return said ? json(value) : noKey();
}

WeightColumns figureColumns()
{
    using Row = WeightFacts;
    constexpr auto kNumber = TextTable::Align::Right;
    constexpr unsigned kText = kDocument | kTerminal;
    return {
        {.key = "zero_fraction",
         .title = "zeros",
         .explanation = "Share of decoded elements that are zero; a dash where the weight has not "
                        "been read yet",
         .align = kNumber,
         .value = zerosValue,
         .document = [](const Row &row) { return ofRead(row, zerosValue(row)); }},
        {.key = "min",
         .title = "min",
         .explanation = "Smallest finite value",
         .align = kNumber,
         .shown = kText,
         .value = [](const Row &row) { return figureValue(row, &Statistics::min); },
         .document =
             [](const Row &row) { return ofRead(row, figureValue(row, &Statistics::min)); }},
        {.key = "max",
         .title = "max",
         .explanation = "Largest finite value",
         .align = kNumber,
         .shown = kText,
         .value = [](const Row &row) { return figureValue(row, &Statistics::max); },
         .document =
             [](const Row &row) { return ofRead(row, figureValue(row, &Statistics::max)); }},
        {.key = "mean",
         .title = "mean",
         .explanation = "Mean of the finite values",
         .align = kNumber,
         .shown = kText,
         .value = [](const Row &row) { return figureValue(row, &Statistics::mean); },
         .document =
             [](const Row &row) { return ofRead(row, figureValue(row, &Statistics::mean)); }},
        {.key = "std",
         .title = "deviation",
         .explanation = "Standard deviation of the finite values",
         .align = kNumber,
         .shown = kDocument,
         .document =
             [](const Row &row) {
                 return ofRead(row, figureValue(row, &Statistics::standardDeviation));
             }},
    };
}

WeightColumns countColumns()
{
    using Row = WeightFacts;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "not_finite",
         .title = "not finite",
         .explanation = "Values that are infinite or no numbers",
         .align = kNumber,
         .shown = kTerminal,
         .value = [](const Row &row) -> Value {
             if (!row.asked.figures || row.statistics != nullptr)
                 return valueCount(row,
                                   row.statistics ? row.statistics->nan + row.statistics->inf : 0);
             return Unknown();
         }},
        {.key = "nan",
         .title = "NaN",
         .explanation = "Values that are no numbers",
         .align = kNumber,
         .shown = kDocument,
         .document =
             [](const Row &row) {
                 return ofRead(row, valueCount(row, row.statistics ? row.statistics->nan : 0));
             }},
        {.key = "inf",
         .title = "infinite",
         .explanation = "Values that are infinite",
         .align = kNumber,
         .shown = kDocument,
         .document =
             [](const Row &row) {
                 return ofRead(row, valueCount(row, row.statistics ? row.statistics->inf : 0));
             }},
        {.key = "sha256",
         .title = "sha256",
         .explanation = "SHA-256 of the weight decoded as fp16",
         .shown = kDocument | kTerminal,
         .value = hashValue,
         .document = [](const Row &row) { return ofRead(row, hashValue(row)); }},
    };
}

} // namespace

std::vector<Column<WeightFacts>> weightValueColumns()
{
    return joinedColumns(figureColumns(), countColumns());
}

} // namespace kernscope::report
