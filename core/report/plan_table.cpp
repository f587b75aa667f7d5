// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/plan_table.h"

#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using plan::Candidate;

Json chipFiguresJson(const std::string &target, const plan::ChipFigures &figures)
{
    Json json;
    json["target"] = target;
    json["outcome"] = decision::outcomeName(figures.outcome);
    json["bytes_moved"] = numberJson(figures.moved);
    // A weight that no layer reads has no time.
    json["time_s"] = figures.layerS.empty() ? Json(nullptr) : optionalJson(figures.timeS);
    return json;
}

Json triedJson(const PlannedWeight &weight, const Candidate &candidate)
{
    Json json;
    json["form"] = candidate->name.value();
    json["refused"] = candidate->refused.empty() ? Json(nullptr) : Json(candidate->refused.value());
    if (!candidate->refused.empty())
        return json;
    json["bytes"] = numberJson(candidate->stored);
    json["error"] = plan::layerError(weight.row(), candidate);
    json["method"] = codec::encodeMethodName(candidate->method);
    json["sampled"] = candidate->sampled;
    json["time_s"] = optionalJson(plan::slowest(candidate));
    json["chips"] = Json::array();
    for (std::size_t t = 0; t < candidate->chips.size(); ++t)
        json["chips"].push_back(
            chipFiguresJson(weight.survey->targets[t]->name, candidate->chips[t]));
    return json;
}

Json chipsJson(const PlannedWeight &weight)
{
    const Candidate before = weight.before(), after = weight.after();
    if (!after)
        return noKey();
    Json chips = Json::array();
    for (std::size_t t = 0; t < after->chips.size(); ++t) {
        Json chip = chipFiguresJson(weight.survey->targets[t]->name, after->chips[t]);
        chip["before"] = chipFiguresJson(weight.survey->targets[t]->name, before->chips[t]);
        chip["before"].erase("target");
        chips.push_back(std::move(chip));
    }
    return chips;
}

Json triedFormsJson(const PlannedWeight &weight)
{
    if (!weight.row().candidates || !weight.withCandidates)
        return noKey();
    Json tried = Json::array();
    for (const Candidate &candidate : *weight.row().candidates)
        tried.push_back(triedJson(weight, candidate));
    return tried;
}

double errorOf(const PlannedWeight &weight)
{
    const Candidate after = weight.after();
    return after ? plan::layerError(weight.row(), after) : 0;
}

Value plannedError(const PlannedWeight &weight)
{
    if (!weight.after())
        return Unknown();
    const double error = errorOf(weight);
    return Written{error, fmt::format("{:.4g}{}", error, weight.after()->sampled ? "~" : "")};
}

/// Of a weight that is not planned there is no time to speak of.
Value timeOf(const Candidate &candidate)
{
    if (!candidate)
        return View("-");
    const auto time = plan::slowest(candidate);
    return time ? Value(Seconds{*time}) : Value(Unknown());
}

Value methodOf(const PlannedWeight &weight)
{
    if (!weight.after())
        return Absent();
    if (weight.choice == 0)
        return Nothing();
    return Word{codec::encodeMethodName(weight.after()->method)};
}

/// The name that finds a weight is its address where another weight has the same.
std::string plannedAddress(const PlannedWeight &weight)
{
    const std::string name = weight.survey->nameOf(weight.number);
    const std::string &function = weight.row().function.value();
    return function.empty() || name.starts_with(function + "/") ? name : function + "/" + name;
}

Json formsOf(const FrontRow &row)
{
    const plan::Survey &survey = *row.subject->survey;
    const std::vector<std::size_t> choice = row.point->choice->all();
    Json forms = Json::array();
    for (std::size_t r = 0; r < survey.rows.size(); ++r)
        forms.push_back(plan::formOf(survey.rows[r], choice[r]));
    return forms;
}

} // namespace

bool hasFunctions(const plan::Survey &survey)
{
    return std::any_of(survey.rows.begin(), survey.rows.end(), [&survey](const plan::Row &row) {
        return row.function != survey.rows.front().function;
    });
}

std::vector<PlannedWeight> plannedWeights(const plan::Survey &survey,
                                          const std::vector<std::size_t> &choice,
                                          const std::vector<SharedValue<std::string>> &why,
                                          bool withCandidates)
{
    std::vector<PlannedWeight> rows;
    rows.reserve(survey.rows.size());
    const bool ofSeveral = hasFunctions(survey);
    for (std::size_t r = 0; r < survey.rows.size(); ++r)
        rows.push_back({&survey, r, choice[r], why[r], withCandidates, ofSeveral});
    return rows;
}

const TableOf<PlannedWeight> &plannedWeightTable()
{
    using Row = PlannedWeight;
    static constexpr Column<Row> kColumns[] = {
        {kName, "weight", "weight", "Name of the weight",
         [](const Row &row) -> Value { return row.survey->nameOf(row.number); }},
        {kDocument, "address", "address", "Model, function and name of the weight",
         [](const Row &row) -> Value { return plannedAddress(row); }},
        {kName, "function", "function", "The function of the program that reads the weight",
         [](const Row &row) -> Value {
             return row.ofSeveral ? Value(row.row().function.value()) : Value(Absent());
         },
         jsonOf([](const Row &row) { return Json(row.row().function.value()); })},
        {"from", "from", "The form that it has",
         [](const Row &row) -> Value { return row.row().stored.value(); }},
        {"to", "to", "The form that it gets, with what the first chip does with it",
         [](const Row &row) -> Value {
             const auto form = row.after();
             return Word({}, form ? outcomeMark(form->chips[0].outcome) : Mark::None,
                         plan::formOf(row.row(), row.choice));
         }},
        {kDocument, "changed", "changed", "Whether the form is another one",
         [](const Row &row) -> Value { return row.choice != 0; }},
        {kNumber, "bytes_before", "stored", "Stored bytes now",
         [](const Row &row) -> Value {
             return row.before() ? Value(Count(row.before()->stored))
                                 : known<Count>(row.ownBytes());
         },
         withUnit("B"), unknownAs("unknown")},
        {kNumber, "bytes", "planned", "Stored bytes in the planned form",
         [](const Row &row) -> Value {
             return row.after() ? Value(Count(row.after()->stored)) : known<Count>(row.ownBytes());
         },
         withUnit("B"), unknownAs("unknown")},
        {kNumber, "error", "error",
         "Relative error of the planned form, with the weight's sensitivity; ~ from some of the "
         "rows",
         plannedError, jsonOf([](const Row &row) { return Json(errorOf(row)); })},
        {kDocument, "method", "method", "The way of encoding whose error is least", methodOf},
        {kDocument, "sampled", "sampled", "Whether figures are from some of the rows",
         [](const Row &row) -> Value {
             return row.after() ? Value(row.after()->sampled) : Value(Absent());
         }},
        {kNumber | kDocument, "sensitivity", "sensitivity",
         "The weight's relative error counts so many times",
         [](const Row &row) -> Value {
             return row.after() ? Value(Real(row.row().sensitivity, 3, true)) : Value(Absent());
         }},
        {kNumber, "time_before_s", "time",
         "Predicted time of its layers on the slowest chip of those whose ceilings are known",
         [](const Row &row) { return timeOf(row.before()); }, withUnit("s"), unknownAs("unknown"),
         jsonOf([](const Row &row) {
             return row.before() ? optionalJson(plan::slowest(row.before())) : noKey();
         })},
        {kNumber, "time_s", "planned time", "Predicted time in the planned form",
         [](const Row &row) { return timeOf(row.after()); }, withUnit("s"), unknownAs("unknown"),
         jsonOf([](const Row &row) {
             return row.after() ? optionalJson(plan::slowest(row.after())) : Json(nullptr);
         })},
        {kName, "why", "why", "Why it gets that form, or stays",
         [](const Row &row) -> Value { return std::string(row.why); }},
        {kDocument, "chips", "chips",
         "Outcome, bytes moved and time on each chip, after and before", nullptr,
         jsonOf(chipsJson)},
        {kDocument, "candidates", "candidates", "Every form that was tried", nullptr,
         jsonOf(triedFormsJson)},
    };
    static const TableOf<Row> kTable{
        "plan",
        kColumns,
        {"weight", "from", "to", "changed", "why", "error", "method", "sampled", "sensitivity"}};
    return kTable;
}

std::vector<FrontRow> frontRows(const PlanSubject &subject, std::string_view front,
                                const std::vector<plan::FrontPoint> &points)
{
    std::vector<FrontRow> rows;
    for (const plan::FrontPoint &point : points)
        rows.push_back({front, &point, &subject});
    return rows;
}

const TableOf<FrontRow> &frontTable()
{
    using Row = FrontRow;
    static constexpr Column<Row> kColumns[] = {
        {kDocument, "front", "front", "What the error is set against: stored bytes or time",
         [](const Row &row) -> Value { return Word(row.front); }},
        {kDocument, "corner", "corner", "Whether no mixture of two other points is better",
         [](const Row &row) -> Value { return row.point->corner; }},
        {kNumber, "error", "error", "Error of the network",
         [](const Row &row) -> Value { return Real(row.point->totals.error, 4, true); }},
        {kNumber, "largest_error", "largest of a layer", "Largest error of a layer",
         [](const Row &row) -> Value { return Real(row.point->totals.largestError, 4, true); }},
        {kDocument, "within_tolerance", "within tolerance",
         "Whether every layer's error is at most the tolerance",
         [](const Row &row) -> Value {
             return row.point->totals.largestError <= row.subject->limits->tolerance;
         }},
        {kNumber, "bytes", "stored", "Stored bytes of all weights",
         [](const Row &row) { return known<Count>(row.point->totals.allStored()); }, withUnit("B"),
         unknownAs("unknown")},
        {kNumber, "time_s", "time",
         "Engine time on the slowest chip of those whose ceilings are known",
         [](const Row &row) { return known<Seconds>(plan::slowest(row.point->totals)); },
         withUnit("s"), unknownAs("unknown")},
        {kDocument, "forms", "forms", "The form of each weight, in the order of the plan", nullptr,
         jsonOf(formsOf)},
    };
    static const TableOf<Row> kTable{"front", kColumns};
    return kTable;
}

} // namespace kernscope::report
