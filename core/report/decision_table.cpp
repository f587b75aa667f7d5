// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/decision_table.h"

#include "core/bundle/bundle.h"
#include "core/report/chip_json.h"
#include "core/report/fact_values.h"
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
    using Row = DecisionFacts;
    static constexpr Column<Row> kColumns[] = {
        {kName, "weight", "weight", "The weight, by a name that finds it",
         [](const Row &row) -> Value { return row.weight->findableName(); },
         jsonOf([](const Row &row) { return Json(row.weight->name); })},
        {kName, "form", "form", "How it is stored",
         [](const Row &row) -> Value { return formText(row.weight->form); }},
        {"outcome", "outcome", "What the chip does with the stored form",
         [](const Row &row) { return outcomeValue(row.assessed.decision.outcome()); }},
        {kNumber, "bytes_moved", "moved", "Bytes that a dispatch moves",
         [](const Row &row) { return known<Count>(row.assessed.decision.bytesMoved); },
         withUnit("B"), unknownAs("?")},
        {kNumber, "speedup", "measured",
         "Times the rate of dense fp16, as published for such a layer",
         [](const Row &row) { return speedupValue(row.assessed.speedup); },
         jsonOf(speedupDocument)},
        {kNumber, "predicted_speedup", "predicted",
         "Times the rate of the same values stored dense", predictedValue,
         jsonOf([](const Row &row) { return optionalJson(row.assessed.predictedSpeedup); })},
        {"bound", "bound", "What the layer's time is bound by",
         [](const Row &row) -> Value { return Word(roofline::boundName(row.assessed.bound)); }},
        {kNumber, "energy", "energy", "Power that was measured times a predicted time",
         [](const Row &row) -> Value { return energyText(row.assessed.energy); }, withUnit("uJ"),
         jsonOf(
             [](const Row &row) { return row.whole ? energyJson(row.assessed.energy) : noKey(); })},
        {kNumber | kTables, "demand", "a core needs", "Kernel memory that a core needs for it",
         demandValue, withUnit("B"), unknownAs("?")},
        {kNumber, "cap", "of cap", "Kernel memory that a core has",
         [](const Row &row) { return known<Count>(row.assessed.decision.memory.cap); },
         withUnit("B"), unknownAs("?"), jsonOf(memoryDocument)},
        {kNumber | kTables, "sub_layers", "parts", "Parts that the weight is split into",
         [](const Row &row) { return known<Count>(row.assessed.decision.memory.sublayers); },
         unknownAs("?")},
        {kDocument, "target", "chip", "The chip that decides", nullptr,
         jsonOf([](const Row &row) { return Json(row.verdict().target->name); })},
        {kDocument, "legal", "legal", "Whether the chip takes the weight as it is stored", nullptr,
         jsonOf([](const Row &row) { return Json(row.verdict().refusedBy.empty()); })},
        {kDocument, "refused_by", "refused by", "The rule that the stored form breaks", nullptr,
         jsonOf(refusedJson)},
        {kDocument, "verdict", "verdict", "Place of its verdict in the list of verdicts", nullptr,
         jsonOf([](const Row &row) { return Json(row.verdictIndex); })},
        {kDocument, "reasons", "reasons", "Each condition that the verdict consulted", nullptr,
         jsonOf([](const Row &row) {
             return row.whole ? jsonArray(reasonTable(), row.verdict().reasons) : Json::array();
         })},
        {kDocument, "disagreements", "disagreements", "What sources say otherwise", nullptr,
         jsonOf([](const Row &row) {
             return row.whole ? Json(row.verdict().disagreements) : noKey();
         })},
        {kDocument, "note", "note", "What is to be known of the verdict", nullptr,
         jsonOf([](const Row &row) { return row.whole ? Json(row.verdict().note) : noKey(); })},
        {kDocument, "nearest_change", "nearest change",
         "The smallest change after which the chip would decide otherwise", nullptr,
         jsonOf([](const Row &row) {
             return row.whole ? Json(row.verdict().nearestChange) : noKey();
         })},
        {kDocument, "function", "function", "Function of the program that reads the weight",
         nullptr, jsonOf([](const Row &row) { return Json(row.weight->function); })},
        {kDocument, "address", "address", "The weight with its model and function", nullptr,
         jsonOf([](const Row &row) { return Json(row.weight->address()); })},
        {kDocument, "measured", "measured figures",
         "What was published for such a layer, with each condition", nullptr,
         jsonOf([](const Row &row) {
             return row.whole ? measuredJson(row.assessed.measured) : noKey();
         })},
        {kDocument, "predicted_speedup_unpruned", "predicted, unpruned",
         "Times the rate of dense weights without zeros", nullptr,
         jsonOf([](const Row &row) { return optionalJson(row.assessed.predictedOverUnpruned); })},
        {kDocument, "time_s", "time", "Predicted time of the layer", nullptr, withUnit("s"),
         jsonOf([](const Row &row) { return optionalJson(row.assessed.timeS); })},
        {kDocument, "roofs", "held against", "Roofs that the time was made with", nullptr,
         jsonOf([](const Row &row) { return row.whole ? roofsJson(row.assessed) : noKey(); })},
        {kDocument, "energy_measured", "measured energy",
         "What was published of the energy of such a layer, with each condition", nullptr,
         jsonOf([](const Row &row) {
             return row.whole ? measuredJson(row.assessed.energyMeasured) : noKey();
         })},
    };
    static const TableOf<Row> kTable{"decisions",
                                     kColumns,
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
