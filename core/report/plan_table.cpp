// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/plan_table.h"

#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using plan::Candidate;
constexpr auto kPlanNumber = TextTable::Align::Right;

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
    json["form"] = candidate->name;
    json["refused"] = candidate->refused.empty() ? Json(nullptr) : Json(candidate->refused);
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
    const std::string name = weight.survey->names[weight.number];
    const std::string &function = weight.row().function;
    return function.empty() || name.starts_with(function + "/") ? name : function + "/" + name;
}

std::vector<Column<PlannedWeight>> plannedFormColumns()
{
    using Row = PlannedWeight;
    return {
        {.key = "weight",
         .title = "weight",
         .explanation = "Name of the weight",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return row.survey->names[row.number]; }},
        {.key = "address",
         .title = "address",
         .explanation = "Model, function and name of the weight",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return plannedAddress(row); }},
        {.key = "function",
         .title = "function",
         .explanation = "The function of the program that reads the weight",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value {
             return row.ofSeveral ? Value(row.row().function) : Value(Absent());
         },
         .document = [](const Row &row) { return Json(row.row().function); }},
        {.key = "from",
         .title = "from",
         .explanation = "The form that it has",
         .value = [](const Row &row) -> Value { return row.row().stored; }},
        {.key = "to",
         .title = "to",
         .explanation = "The form that it gets, with what the first chip does with it",
         .value = [](const Row &row) -> Value {
             const auto form = row.after();
             return Word{{},
                         form ? outcomeMark(form->chips[0].outcome) : Mark::None,
                         plan::formOf(row.row(), row.choice)};
         }},
        {.key = "changed",
         .title = "changed",
         .explanation = "Whether the form is another one",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.choice != 0; }},
    };
}

std::vector<Column<PlannedWeight>> plannedSizeColumns()
{
    using Row = PlannedWeight;
    return {
        {.key = "bytes_before",
         .title = "stored",
         .unit = "B",
         .explanation = "Stored bytes now",
         .align = kPlanNumber,
         .unknown = "unknown",
         .value = [](const Row &row) -> Value {
             return row.before() ? Value(Count{row.before()->stored})
                                 : known<Count>(row.ownBytes());
         }},
        {.key = "bytes",
         .title = "planned",
         .unit = "B",
         .explanation = "Stored bytes in the planned form",
         .align = kPlanNumber,
         .unknown = "unknown",
         .value = [](const Row &row) -> Value {
             return row.after() ? Value(Count{row.after()->stored}) : known<Count>(row.ownBytes());
         }},
    };
}

std::vector<Column<PlannedWeight>> plannedErrorColumns()
{
    using Row = PlannedWeight;
    return {
        {.key = "error",
         .title = "error",
         .explanation = "Relative error of the planned form, with the weight's sensitivity; ~ from "
                        "some of the rows",
         .align = kPlanNumber,
         .value = plannedError,
         .document = [](const Row &row) { return Json(errorOf(row)); }},
        {.key = "method",
         .title = "method",
         .explanation = "The way of encoding whose error is least",
         .shown = kDocument,
         .value = methodOf},
        {.key = "sampled",
         .title = "sampled",
         .explanation = "Whether figures are from some of the rows",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.after() ? Value(row.after()->sampled) : Value(Absent());
         }},
        {.key = "sensitivity",
         .title = "sensitivity",
         .explanation = "The weight's relative error counts so many times",
         .align = kPlanNumber,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.after() ? Value(Real{row.row().sensitivity, 3, true}) : Value(Absent());
         }},
    };
}

std::vector<Column<PlannedWeight>> plannedOutcomeColumns()
{
    using Row = PlannedWeight;
    return {
        {.key = "time_before_s",
         .title = "time",
         .unit = "s",
         .explanation =
             "Predicted time of its layers on the slowest chip of those whose ceilings are known",
         .align = kPlanNumber,
         .unknown = "unknown",
         .value = [](const Row &row) { return timeOf(row.before()); },
         .document =
             [](const Row &row) {
                 return row.before() ? optionalJson(plan::slowest(row.before())) : noKey();
             }},
        {.key = "time_s",
         .title = "planned time",
         .unit = "s",
         .explanation = "Predicted time in the planned form",
         .align = kPlanNumber,
         .unknown = "unknown",
         .value = [](const Row &row) { return timeOf(row.after()); },
         .document =
             [](const Row &row) {
                 return row.after() ? optionalJson(plan::slowest(row.after())) : Json(nullptr);
             }},
        {.key = "why",
         .title = "why",
         .explanation = "Why it gets that form, or stays",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return std::string(row.why); }},
        {.key = "chips",
         .title = "chips",
         .explanation = "Outcome, bytes moved and time on each chip, after and before",
         .shown = kDocument,
         .document = chipsJson},
        {.key = "candidates",
         .title = "candidates",
         .explanation = "Every form that was tried",
         .shown = kDocument,
         .document = triedFormsJson},
    };
}

std::vector<Column<PlannedWeight>> plannedColumns()
{
    return joinedColumns(plannedFormColumns(), plannedSizeColumns(), plannedErrorColumns(),
                         plannedOutcomeColumns());
}

Json formsOf(const FrontRow &row)
{
    const plan::Survey &survey = *row.subject->survey;
    const std::vector<std::size_t> &choice = row.point->choice;
    Json forms = Json::array();
    for (std::size_t r = 0; r < survey.rows.size(); ++r)
        forms.push_back(plan::formOf(survey.rows[r], choice[r]));
    return forms;
}

std::vector<Column<FrontRow>> frontIdentityColumns()
{
    using Row = FrontRow;
    return {
        {.key = "front",
         .title = "front",
         .explanation = "What the error is set against: stored bytes or time",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return Word{row.front}; }},
        {.key = "corner",
         .title = "corner",
         .explanation = "Whether no mixture of two other points is better",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.point->corner; }},
    };
}

std::vector<Column<FrontRow>> frontErrorColumns()
{
    using Row = FrontRow;
    return {
        {.key = "error",
         .title = "error",
         .explanation = "Error of the network",
         .align = kPlanNumber,
         .value = [](const Row &row) -> Value {
             return Real{row.point->totals.error, 4, true};
         }},
        {.key = "largest_error",
         .title = "largest of a layer",
         .explanation = "Largest error of a layer",
         .align = kPlanNumber,
         .value = [](const Row &row) -> Value {
             return Real{row.point->totals.largestError, 4, true};
         }},
        {.key = "within_tolerance",
         .title = "within tolerance",
         .explanation = "Whether every layer's error is at most the tolerance",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.point->totals.largestError <= row.subject->limits->tolerance;
         }},
    };
}

std::vector<Column<FrontRow>> frontCostColumns()
{
    using Row = FrontRow;
    return {
        {.key = "bytes",
         .title = "stored",
         .unit = "B",
         .explanation = "Stored bytes of all weights",
         .align = kPlanNumber,
         .unknown = "unknown",
         .value = [](const Row &row) { return known<Count>(row.point->totals.allStored()); }},
        {.key = "time_s",
         .title = "time",
         .unit = "s",
         .explanation = "Engine time on the slowest chip of those whose ceilings are known",
         .align = kPlanNumber,
         .unknown = "unknown",
         .value = [](const Row &row) { return known<Seconds>(plan::slowest(row.point->totals)); }},
        {.key = "forms",
         .title = "forms",
         .explanation = "The form of each weight, in the order of the plan",
         .shown = kDocument,
         .document = formsOf},
    };
}

std::vector<Column<FrontRow>> frontColumns()
{
    return joinedColumns(frontIdentityColumns(), frontErrorColumns(), frontCostColumns());
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
                                          const std::vector<std::string> &why, bool withCandidates)
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
    static const TableOf<PlannedWeight> kTable{
        "plan",
        plannedColumns(),
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
    static const TableOf<FrontRow> kTable{"front", frontColumns()};
    return kTable;
}

} // namespace kernscope::report
