// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/choice_json.h"

#include "core/report/chip_json.h"
#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

Json choiceErrorJson(const codec::AccuracyError &error)
{
    Json json;
    json["relative"] = error.outputRelative;
    json["rmse"] = error.outputRmse;
    json["max_abs"] = error.outputMaxAbs;
    json["dense_relative"] = error.denseRelative;
    json["weight_relative"] = error.weightRelative;
    json["weight_max_abs"] = error.weightMaxAbs;
    json["outputs"] = numberJson(error.outputs);
    json["contested"] = numberJson(error.contested);
    return json;
}

std::string formMark(const CandidateFacts &row)
{
    return (row.chosen ? "> " : "  ") + row.candidate.form;
}

Value candidateErrorValue(const CandidateFacts &row)
{
    const auto &error = row.candidate.error;
    return error ? Value(Real{error->outputRelative, 3, true}) : Value(Unknown());
}

Value remarkValue(const CandidateFacts &row)
{
    const FormCandidate &candidate = row.candidate;
    if (!candidate.passedOver.empty())
        return candidate.passedOver;
    if (!candidate.withinTolerance)
        return Word{"error above the tolerance"};
    return candidate.stored ? Value(Word{"stored so"}) : Value(Nothing());
}

std::vector<Column<CandidateFacts>> candidateFormColumns()
{
    using Row = CandidateFacts;
    constexpr auto kAmount = TextTable::Align::Right;
    return {
        {.key = "marked",
         .title = "candidate",
         .explanation = "Form, with > where it is the one to take",
         .align = TextTable::Align::Name,
         .shown = kTerminal,
         .value = [](const Row &row) -> Value { return formMark(row); }},
        {.key = "form",
         .title = "candidate",
         .explanation = "Form; smallest bytes come first",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value {
             return Word{{}, row.chosen ? Mark::Chosen : Mark::None, row.candidate.form};
         }},
        {.key = "bytes",
         .title = "bytes",
         .explanation = "Stored bytes of the whole weight",
         .align = kAmount,
         .value = [](const Row &row) -> Value { return Count{row.candidate.bytes}; }},
        {.key = "bytes_per_weight",
         .title = "B/weight",
         .explanation = "Bytes a weight",
         .align = kAmount,
         .value = [](const Row &row) -> Value { return Ratio{row.candidate.bytesPerWeight}; }},
    };
}

std::vector<Column<CandidateFacts>> candidateOutcomeColumns()
{
    using Row = CandidateFacts;
    return {
        {.key = "outcome",
         .title = "outcome",
         .explanation = "What the chip does with it",
         .value = [](const Row &row) { return outcomeValue(row.candidate.assessment.outcome); }},
        {.key = "stored",
         .title = "stored",
         .explanation = "Whether the weight has this form now",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.candidate.stored; }},
        {.key = "streams",
         .title = "streams",
         .explanation = "Whether the chip reads it as it is stored",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.candidate.assessment.outcome == decision::Outcome::Streams;
         }},
    };
}

std::vector<Column<CandidateFacts>> candidateErrorColumns()
{
    using Row = CandidateFacts;
    constexpr auto kAmount = TextTable::Align::Right;
    return {
        {.key = "error",
         .title = "error",
         .explanation = "Relative error of the layer's output against fp32, through the engine's "
                        "reduction, on sampled inputs: an estimate",
         .align = kAmount,
         .value = candidateErrorValue,
         .document =
             [](const Row &row) {
                 return row.candidate.error ? choiceErrorJson(*row.candidate.error) : Json(nullptr);
             }},
        {.key = "max_weight_error",
         .title = "max weight error",
         .explanation = "Largest difference of a weight",
         .align = kAmount,
         .shown = kWindow,
         .value = [](const Row &row) -> Value {
             const auto &error = row.candidate.error;
             return error ? Value(Real{error->weightMaxAbs, 3, true}) : Value(Unknown());
         }},
        {.key = "within_tolerance",
         .title = "within tolerance",
         .explanation = "Whether the error is at most the tolerance",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return row.candidate.withinTolerance; }},
        {.key = "passed_over",
         .title = "passed over",
         .explanation = "Why it is no candidate of the procedure",
         .shown = kDocument,
         .value = [](const Row &row) { return orNothing(row.candidate.passedOver); }},
    };
}

std::vector<Column<CandidateFacts>> candidateTimeColumns()
{
    using Row = CandidateFacts;
    constexpr auto kAmount = TextTable::Align::Right;
    return {
        {.key = "time_s",
         .title = "modelled time",
         .unit = "s",
         .explanation = "Time of the layer by the roofline",
         .align = kAmount,
         .shown = kDocument | kWindow,
         .value = [](const Row &row) { return known<Seconds>(row.candidate.assessment.timeS); }},
        {.key = "bound",
         .title = "bound",
         .explanation = "What bounds the layer: compute or bandwidth",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return Word{roofline::boundName(row.candidate.assessment.bound)};
         }},
    };
}

std::vector<Column<CandidateFacts>> candidateSpeedupColumns()
{
    using Row = CandidateFacts;
    constexpr auto kAmount = TextTable::Align::Right;
    return {
        {.key = "speedup",
         .title = "measured speed-up",
         .explanation = "Times the rate of dense fp16, where it was measured on this chip; ? some "
                        "condition of the measurement is not known of this layer",
         .align = kAmount,
         .value = [](const Row &row) { return speedupValue(row.candidate.assessment.speedup); },
         .document = [](const Row &row) { return speedupJson(row.candidate.assessment.speedup); },
         .origin =
             [](const Row &row) {
                 const auto &quoted = row.candidate.assessment.speedup;
                 return quoted ? quoted->condition : std::string();
             }},
        {.key = "predicted_speedup",
         .title = "predicted speed-up",
         .explanation = "Times the rate of the same values stored dense, by the roofline",
         .align = kAmount,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const auto &predicted = row.candidate.assessment.predictedSpeedup;
             return predicted ? Value(Real{*predicted, 2}) : Value(Unknown());
         }},
        {.key = "predicted_speedup_unpruned",
         .title = "predicted, unpruned",
         .explanation = "Times the rate of dense weights without zeros, by the roofline",
         .align = kAmount,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const auto &predicted = row.candidate.assessment.predictedOverUnpruned;
             return predicted ? Value(Real{*predicted, 2}) : Value(Unknown());
         }},
        {.key = "predicted_speedup_call",
         .title = "predicted, of a call",
         .explanation = "Times the rate of the same values stored dense, of a call that runs the "
                        "layer alone; unknown where what a call takes beside its layers is",
         .align = kAmount,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const auto &predicted = row.candidate.assessment.predictedCallSpeedup;
             return predicted ? Value(Real{*predicted, 2}) : Value(Unknown());
         }},
    };
}

std::vector<Column<CandidateFacts>> candidateRemarkColumns()
{
    using Row = CandidateFacts;
    return {
        {.key = "remark",
         .title = "remark",
         .explanation = "Why it is taken or passed over",
         .align = TextTable::Align::Name,
         .shown = kTables,
         .value = remarkValue},
        {.key = "chosen",
         .title = "chosen",
         .explanation = "Whether it is the form to take",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.chosen; }},
    };
}

std::vector<Column<CandidateFacts>> candidateColumns()
{
    return joinedColumns(candidateFormColumns(), candidateOutcomeColumns(), candidateErrorColumns(),
                         candidateTimeColumns(), candidateSpeedupColumns(),
                         candidateRemarkColumns());
}

} // namespace

std::vector<std::string> contestedOf(const FormChoice &choice)
{
    std::vector<std::string> lines;
    for (const FormCandidate &candidate : choice.candidates) {
        if (!candidate.stored && candidate.form != choice.chosen)
            continue;
        for (const std::string &line : candidate.assessment.decision.verdict->disagreements) {
            std::string whole = candidate.form + ": " + line;
            if (std::find(lines.begin(), lines.end(), whole) == lines.end())
                lines.push_back(std::move(whole));
        }
    }
    return lines;
}

std::vector<CandidateFacts> candidateRows(const FormChoice &choice)
{
    std::vector<CandidateFacts> rows;
    for (const FormCandidate &candidate : choice.candidates)
        rows.push_back({candidate, candidate.form == choice.chosen});
    return rows;
}

const TableOf<CandidateFacts> &candidateTable()
{
    static const TableOf<CandidateFacts> kTable{"candidates", candidateColumns()};
    return kTable;
}

Json choiceJson(const FormChoice &choice)
{
    Json json;
    json["weight"] = choice.name;
    json["address"] = choice.address;
    json["stored"] = choice.stored;
    json["op"] = choice.op;
    json["bound"] = roofline::boundName(choice.bound);
    json["zero_fraction"] = choice.zeroFraction ? ratioJson(*choice.zeroFraction) : Json(nullptr);
    json["sampled"] = choice.sampled;
    json["form"] = choice.chosen.empty() ? Json(nullptr) : Json(choice.chosen);
    json["reason"] = choice.reason;
    json["advice"] = choice.advice.empty() ? Json(nullptr) : Json(choice.advice);
    json["contested"] = contestedOf(choice);
    json["candidates"] = jsonArray(candidateTable(), candidateRows(choice));
    return json;
}

} // namespace kernscope::report
