// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/decision_table.h"

#include "core/bundle/bundle.h"
#include "core/report/chip_json.h"
#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/number_text.h"
#include "core/report/placement_table.h"
#include "core/report/reason_table.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr auto kDecisionNumber = TextTable::Align::Right;

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

/// Of many decisions the condition and the source are in `verdicts[]`' place, the figures here.
Json speedupDocument(const DecisionFacts &row)
{
    Json json = speedupJson(row.assessed.speedup);
    if (!row.whole && json.is_object()) {
        json.erase("condition");
        json.erase("source");
    }
    return json;
}

Json memoryDocument(const DecisionFacts &row)
{
    const decision::KernelMemory &memory = row.assessed.decision.memory;
    if (row.whole)
        return memoryJson(memory);
    Json json;
    json["offset"] = target::halOffsetText(memory.offset);
    json["bytes"] = numberJson(memory.cap);
    json["demand"] = numberJson(memory.demand);
    json["fits"] = optionalJson(memory.fits);
    return json;
}

Json refusedJson(const DecisionFacts &row)
{
    const std::string &refused = row.verdict().refusedBy;
    return refused.empty() ? Json(nullptr) : Json(refused);
}

/// What the document says of the verdict beyond the text of the command.
std::vector<Column<DecisionFacts>> verdictColumns()
{
    using Row = DecisionFacts;
    return {{.key = "target",
             .title = "chip",
             .explanation = "The chip that decides",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(row.verdict().target->name); }},
            {.key = "legal",
             .title = "legal",
             .explanation = "Whether the chip takes the weight as it is stored",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(row.verdict().refusedBy.empty()); }},
            {.key = "refused_by",
             .title = "refused by",
             .explanation = "The rule that the stored form breaks",
             .shown = kDocument,
             .document = refusedJson},
            {.key = "verdict",
             .title = "verdict",
             .explanation = "Place of its verdict in the list of verdicts",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(row.verdictIndex); }}};
}

/// Why. A document of many decisions has these once, in its list of verdicts.
std::vector<Column<DecisionFacts>> verdictReasonColumns()
{
    using Row = DecisionFacts;
    return {
        {.key = "reasons",
         .title = "reasons",
         .explanation = "Each condition that the verdict consulted",
         .shown = kDocument,
         .document =
             [](const Row &row) {
                 return row.whole ? jsonArray(reasonTable(), row.verdict().reasons) : Json::array();
             }},
        {.key = "disagreements",
         .title = "disagreements",
         .explanation = "What sources say otherwise",
         .shown = kDocument,
         .document =
             [](const Row &row) {
                 return row.whole ? Json(row.verdict().disagreements) : noKey();
             }},
        {.key = "note",
         .title = "note",
         .explanation = "What is to be known of the verdict",
         .shown = kDocument,
         .document = [](const Row &row) { return row.whole ? Json(row.verdict().note) : noKey(); }},
        {.key = "nearest_change",
         .title = "nearest change",
         .explanation = "The smallest change after which the chip would decide otherwise",
         .shown = kDocument,
         .document = [](const Row &row) {
             return row.whole ? Json(row.verdict().nearestChange) : noKey();
         }}};
}

/// Names and figures of the document beyond the text of the command.
std::vector<Column<DecisionFacts>> decisionFigureColumns()
{
    using Row = DecisionFacts;
    return {
        {.key = "function",
         .title = "function",
         .explanation = "Function of the program that reads the weight",
         .shown = kDocument,
         .document = [](const Row &row) { return Json(row.weight->function); }},
        {.key = "address",
         .title = "address",
         .explanation = "The weight with its model and function",
         .shown = kDocument,
         .document = [](const Row &row) { return Json(row.weight->address()); }},
        {.key = "measured",
         .title = "measured figures",
         .explanation = "What was published for such a layer, with each condition",
         .shown = kDocument,
         .document =
             [](const Row &row) {
                 return row.whole ? measuredJson(row.assessed.measured) : noKey();
             }},
        {.key = "predicted_speedup_unpruned",
         .title = "predicted, unpruned",
         .explanation = "Times the rate of dense weights without zeros",
         .shown = kDocument,
         .document =
             [](const Row &row) { return optionalJson(row.assessed.predictedOverUnpruned); }},
        {.key = "time_s",
         .title = "time",
         .unit = "s",
         .explanation = "Predicted time of the layer",
         .shown = kDocument,
         .document = [](const Row &row) { return optionalJson(row.assessed.timeS); }},
        {.key = "roofs",
         .title = "held against",
         .explanation = "Roofs that the time was made with",
         .shown = kDocument,
         .document = [](const Row &row) { return row.whole ? roofsJson(row.assessed) : noKey(); }},
        {.key = "energy_measured",
         .title = "measured energy",
         .explanation = "What was published of the energy of such a layer, with each condition",
         .shown = kDocument,
         .document = [](const Row &row) {
             return row.whole ? measuredJson(row.assessed.energyMeasured) : noKey();
         }}};
}

std::vector<Column<DecisionFacts>> outcomeColumns()
{
    using Row = DecisionFacts;
    return {
        {.key = "weight",
         .title = "weight",
         .explanation = "The weight, by a name that finds it",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return row.weight->findableName(); },
         .document = [](const Row &row) { return Json(row.weight->name); }},
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
         .value = [](const Row &row) { return speedupValue(row.assessed.speedup); },
         .document = speedupDocument},
        {.key = "predicted_speedup",
         .title = "predicted",
         .explanation = "Times the rate of the same values stored dense, of the layer alone",
         .align = kDecisionNumber,
         .value = predictedValue,
         .document = [](const Row &row) { return optionalJson(row.assessed.predictedSpeedup); }},
        {.key = "predicted_speedup_call",
         .title = "of a call",
         .explanation = "The same of a call that runs the layer alone, where what a call takes "
                        "beside its layers is known",
         .align = kDecisionNumber,
         .value = [](const Row &row) -> Value {
             const auto &predicted = row.assessed.predictedCallSpeedup;
             return predicted ? Value(Written{*predicted, fmt::format("{:.2f}", *predicted)})
                              : Value(Absent());
         },
         .document =
             [](const Row &row) { return optionalJson(row.assessed.predictedCallSpeedup); }}};
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
         .value = [](const Row &row) -> Value { return energyText(row.assessed.energy); },
         .document =
             [](const Row &row) { return row.whole ? energyJson(row.assessed.energy) : noKey(); }},
        {.key = "demand",
         .title = "a core needs",
         .unit = "B",
         .explanation = "Kernel memory that a core needs for it",
         .align = kDecisionNumber,
         .shown = kTables,
         .unknown = "?",
         .value = demandValue},
        {.key = "cap",
         .title = "of cap",
         .unit = "B",
         .explanation = "Kernel memory that a core has",
         .align = kDecisionNumber,
         .unknown = "?",
         .value = [](const Row &row) { return known<Count>(row.assessed.decision.memory.cap); },
         .document = memoryDocument},
        {.key = "sub_layers",
         .title = "parts",
         .explanation = "Parts that the weight is split into",
         .align = kDecisionNumber,
         .shown = kTables,
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
    static const TableOf<DecisionFacts> kTable{
        "decisions",
        joinedColumns(
            joinedColumns(outcomeColumns(), memoryColumns()),
            joinedColumns(verdictColumns(), verdictReasonColumns(), decisionFigureColumns())),
        {"weight",
         "function",
         "address",
         "form",
         "target",
         "outcome",
         "legal",
         "refused_by",
         "verdict",
         "reasons",
         "cap",
         "bytes_moved",
         "speedup",
         "measured",
         "predicted_speedup",
         "predicted_speedup_unpruned",
         "predicted_speedup_call",
         "bound",
         "time_s",
         "energy",
         "energy_measured",
         "disagreements",
         "note",
         "nearest_change"}};
    return kTable;
}

DecisionScope decisionScope(std::string_view key)
{
    const auto isOneOf = [key](std::initializer_list<std::string_view> keys) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    if (isOneOf({"weight", "function", "address", "form"}))
        return DecisionScope::Weight;
    return isOneOf({"target", "outcome", "legal", "refused_by", "verdict", "reasons",
                    "disagreements", "note", "nearest_change"})
               ? DecisionScope::Verdict
               : DecisionScope::Both;
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
