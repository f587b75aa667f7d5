// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/choice_json.h"

#include "core/report/chip_json.h"
#include "core/report/json_values.h"

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

} // namespace

Json choiceJson(const FormChoice &choice)
{
    Json json;
    json["weight"] = choice.name;
    json["address"] = choice.address;
    json["stored"] = choice.stored;
    json["op"] = choice.op;
    json["bound"] = roofline::boundName(choice.bound);
    json["zero_fraction"] = ratioJson(choice.zeroFraction);
    json["sampled"] = choice.sampled;
    json["form"] = choice.chosen;
    json["reason"] = choice.reason;
    json["advice"] = choice.advice.empty() ? Json(nullptr) : Json(choice.advice);
    json["candidates"] = Json::array();
    for (const FormCandidate &candidate : choice.candidates) {
        Json row;
        row["form"] = candidate.form;
        row["bytes"] = numberJson(candidate.bytes);
        row["bytes_per_weight"] = ratioJson(candidate.bytesPerWeight);
        row["outcome"] = decision::outcomeName(candidate.assessment.outcome);
        row["stored"] = candidate.stored;
        row["streams"] = candidate.assessment.outcome == decision::Outcome::Streams;
        row["error"] = candidate.error ? choiceErrorJson(*candidate.error) : Json(nullptr);
        row["within_tolerance"] = candidate.withinTolerance;
        row["passed_over"] =
            candidate.passedOver.empty() ? Json(nullptr) : Json(candidate.passedOver);
        row["time_s"] = optionalJson(candidate.assessment.timeS);
        row["bound"] = roofline::boundName(candidate.assessment.bound);
        row["speedup"] = speedupJson(candidate.assessment.speedup);
        row["predicted_speedup"] = optionalJson(candidate.assessment.predictedSpeedup);
        row["chosen"] = candidate.form == choice.chosen;
        json["candidates"].push_back(std::move(row));
    }
    return json;
}

} // namespace kernscope::report
