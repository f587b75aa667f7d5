// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/decision_table.h"

#include "core/bundle/bundle.h"
#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/number_text.h"
#include "core/report/placement_table.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr auto kDecisionNumber = TextTable::Align::Right;

/// "1.55 to 1.64 ?", where the question mark says that some condition is not known.
Value speedupValue(const DecisionFacts &row)
{
    const auto &quoted = row.assessed.speedup;
    if (!quoted)
        return Unknown();
    const std::string figures = quoted->low == quoted->high
                                    ? fmt::format("{:.2f}", quoted->low)
                                    : fmt::format("{:.2f} to {:.2f}", quoted->low, quoted->high);
    const bool assumed = quoted->confidence == format::Confidence::Assumed;
    return Written{quoted->low, figures + (assumed ? " ?" : "")};
}

/// Against the same values stored dense; after a slash against dense weights without zeros, where
/// that is another figure.
Value predictedValue(const DecisionFacts &row)
{
    const auto &predicted = row.assessed.predictedSpeedup;
    if (!predicted)
        return Unknown();
    std::string figures = fmt::format("{:.2f}", *predicted);
    if (row.assessed.predictedOverUnpruned) {
        const std::string unpruned = fmt::format("{:.2f}", *row.assessed.predictedOverUnpruned);
        figures += unpruned == figures ? "" : " / " + unpruned;
    }
    return Written{*predicted, figures};
}

/// "41,504 *" where sources disagree, "<= 41,504" where it is a bound.
Value demandValue(const DecisionFacts &row)
{
    const decision::KernelMemory &memory = row.assessed.decision.memory;
    if (!memory.demand)
        return Unknown();
    return Written{static_cast<double>(*memory.demand), (memory.atMost ? "<= " : "") +
                                                            grouped(*memory.demand) +
                                                            (memory.contested ? " *" : "")};
}

std::vector<Column<DecisionFacts>> outcomeColumns()
{
    using Row = DecisionFacts;
    return {
        {.key = "weight",
         .title = "weight",
         .explanation = "The weight, by a name that finds it",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return row.weight->findableName(); }},
        {.key = "form",
         .title = "form",
         .explanation = "How it is stored",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return formText(row.weight->form); }},
        {.key = "outcome",
         .title = "outcome",
         .explanation = "What the chip does with the stored form",
         .value = [](const Row &row) { return outcomeValue(row.assessed.decision.outcome()); }},
        {.key = "bytes_moved",
         .title = "moved",
         .unit = "B",
         .explanation = "Bytes that a dispatch moves",
         .align = kDecisionNumber,
         .unknown = "?",
         .value = [](const Row &row) { return known<Count>(row.assessed.decision.bytesMoved); }},
        {.key = "speedup",
         .title = "measured",
         .explanation = "Times the rate of dense fp16, as published for such a layer",
         .align = kDecisionNumber,
         .value = speedupValue},
        {.key = "predicted_speedup",
         .title = "predicted",
         .explanation = "Times the rate of the same values stored dense",
         .align = kDecisionNumber,
         .value = predictedValue}};
}

std::vector<Column<DecisionFacts>> memoryColumns()
{
    using Row = DecisionFacts;
    return {
        {.key = "bound",
         .title = "bound",
         .explanation = "What the layer's time is bound by",
         .value = [](const Row &row) -> Value {
             return Word{roofline::boundName(row.assessed.bound)};
         }},
        {.key = "energy",
         .title = "energy",
         .unit = "uJ",
         .explanation = "Power that was measured times a predicted time",
         .align = kDecisionNumber,
         .value = [](const Row &row) -> Value { return energyText(row.assessed.energy); }},
        {.key = "demand",
         .title = "a core needs",
         .unit = "B",
         .explanation = "Kernel memory that a core needs for it",
         .align = kDecisionNumber,
         .unknown = "?",
         .value = demandValue},
        {.key = "cap",
         .title = "of cap",
         .unit = "B",
         .explanation = "Kernel memory that a core has",
         .align = kDecisionNumber,
         .unknown = "?",
         .value = [](const Row &row) { return known<Count>(row.assessed.decision.memory.cap); }},
        {.key = "sub_layers",
         .title = "parts",
         .explanation = "Parts that the weight is split into",
         .align = kDecisionNumber,
         .unknown = "?",
         .value = [](const Row &row) {
             return known<Count>(row.assessed.decision.memory.sublayers);
         }}};
}

} // namespace

std::vector<DecisionFacts> decisionFacts(const Bundle &bundle, const DecisionTable &table)
{
    std::vector<DecisionFacts> rows;
    rows.reserve(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row)
        rows.push_back({&bundle.weights()[row], table.assessment(row, 0)});
    return rows;
}

const TableOf<DecisionFacts> &decisionTable()
{
    static const TableOf<DecisionFacts> kTable{"decisions",
                                               joinedColumns(outcomeColumns(), memoryColumns())};
    return kTable;
}

std::string_view outcomeLetter(decision::Outcome outcome)
{
    switch (outcome) {
    case decision::Outcome::Streams: return "S";
    case decision::Outcome::Folds: return "F";
    case decision::Outcome::Dense: return "-";
    case decision::Outcome::Rejected: return "X";
    case decision::Outcome::Unknown: break;
    }
    return "?";
}

TextTable outcomeMatrix(const Bundle &bundle, const DecisionTable &table)
{
    const std::vector<Column<DecisionFacts>> &declared = decisionTable().columns;
    constexpr std::size_t kOfWeights = 2; // its name and its form
    std::vector<TextTable::Column> headers;
    for (std::size_t i = 0; i < kOfWeights; ++i)
        headers.push_back({declared[i].facts().header(), declared[i].align});
    for (std::size_t column = 0; column < table.columns(); ++column)
        headers.push_back({table.target(column).name, TextTable::Align::Left});
    TextTable matrix(std::move(headers));
    DecisionFacts facts;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        facts.weight = &bundle.weights()[row];
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < kOfWeights; ++i)
            cells.push_back(text(declared[i].value(facts)));
        for (std::size_t column = 0; column < table.columns(); ++column)
            cells.emplace_back(outcomeLetter(table.verdict(row, column).outcome));
        matrix.add(std::move(cells));
    }
    return matrix;
}

} // namespace kernscope::report
