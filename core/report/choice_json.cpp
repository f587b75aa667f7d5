// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/choice_json.h"

#include "core/report/decision_table.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/placement_table.h"

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
    using Row = CandidateFacts;
    static constexpr Column<Row> kColumns[] = {
        {kName | kTerminal, "marked", "candidate", "Form, with > where it is the one to take",
         [](const Row &row) -> Value { return formMark(row); }},
        {kDocument | kWindow, "form", "candidate", "Form; smallest bytes come first",
         [](const Row &row) -> Value {
             return Word({}, row.chosen ? Mark::Chosen : Mark::None, row.candidate.form);
         }},
        {kNumber, "bytes", "Stored bytes of the whole weight",
         [](const Row &row) -> Value { return Count(row.candidate.bytes); }},
        {kNumber, "bytes_per_weight", "B/weight", "Bytes a weight",
         [](const Row &row) -> Value { return Ratio(row.candidate.bytesPerWeight); }},
        {"outcome", "What the chip does with it",
         [](const Row &row) { return outcomeValue(row.candidate.assessment.outcome); }},
        {kDocument, "stored", "Whether the weight has this form now",
         [](const Row &row) -> Value { return row.candidate.stored; }},
        {kDocument, "streams", "Whether the chip reads it as it is stored",
         [](const Row &row) -> Value {
             return row.candidate.assessment.outcome == decision::Outcome::Streams;
         }},
        {kNumber, "error",
         "Relative error of the layer's output against fp32, through the engine's reduction, on "
         "sampled inputs: an estimate",
         candidateErrorValue, jsonOf([](const Row &row) {
             return row.candidate.error ? choiceErrorJson(*row.candidate.error) : Json(nullptr);
         })},
        {kNumber | kWindow, "max_weight_error", "max weight error",
         "Largest difference of a weight",
         [](const Row &row) -> Value {
             const auto &error = row.candidate.error;
             return error ? Value(Real(error->weightMaxAbs, 3, true)) : Value(Unknown());
         }},
        {kDocument | kWindow, "within_tolerance", "within tolerance",
         "Whether the error is at most the tolerance",
         [](const Row &row) -> Value { return row.candidate.withinTolerance; }},
        {kDocument, "passed_over", "passed over", "Why it is no candidate of the procedure",
         [](const Row &row) { return orNothing(row.candidate.passedOver); }},
        {kNumber | kDocument | kWindow, "time_s", "modelled time",
         "Time of the layer by the roofline",
         [](const Row &row) { return known<Seconds>(row.candidate.assessment.timeS); },
         withUnit("s")},
        {kDocument, "bound", "What bounds the layer: compute or bandwidth",
         [](const Row &row) -> Value {
             return Word(roofline::boundName(row.candidate.assessment.bound));
         }},
        {kNumber, "speedup", "measured speed-up",
         "Times the rate of dense fp16, where it was measured on this chip; ? some condition of "
         "the measurement is not known of this layer",
         [](const Row &row) { return speedupValue(row.candidate.assessment.speedup); },
         jsonOf([](const Row &row) { return speedupJson(row.candidate.assessment.speedup); }),
         originOf([](const Row &row) {
             const auto &quoted = row.candidate.assessment.speedup;
             return quoted ? quoted->condition : std::string();
         })},
        {kNumber | kDocument, "predicted_speedup", "predicted speed-up",
         "Times the rate of the same values stored dense, by the roofline",
         [](const Row &row) -> Value {
             const auto &predicted = row.candidate.assessment.predictedSpeedup;
             return predicted ? Value(Real(*predicted, 2)) : Value(Unknown());
         }},
        {kNumber | kDocument, "predicted_speedup_unpruned", "predicted, unpruned",
         "Times the rate of dense weights without zeros, by the roofline",
         [](const Row &row) -> Value {
             const auto &predicted = row.candidate.assessment.predictedOverUnpruned;
             return predicted ? Value(Real(*predicted, 2)) : Value(Unknown());
         }},
        {kNumber | kDocument, "predicted_speedup_call", "predicted, of a call",
         "Times the rate of the same values stored dense, of a call that runs the layer alone; "
         "unknown where what a call takes beside its layers is",
         [](const Row &row) -> Value {
             const auto &predicted = row.candidate.assessment.predictedCallSpeedup;
             return predicted ? Value(Real(*predicted, 2)) : Value(Unknown());
         }},
        {kName | kTables, "remark", "Why it is taken or passed over", remarkValue},
        {kDocument, "chosen", "Whether it is the form to take", member<&Row::chosen>},
    };
    static const TableOf<Row> kTable{"candidates", kColumns};
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
