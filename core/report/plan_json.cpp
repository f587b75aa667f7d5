// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/prediction_note.h"
#include "core/base/counted_text.h"
#include "core/bundle/shapes/tensor.h"
#include "core/report/command_documents.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/plan_report.h"
#include "core/report/plan_table.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

Json planTotalsJson(const plan::Survey &survey, const plan::PlanTotals &totals)
{
    Json json;
    json["bytes"] = numberJson(totals.allStored());
    json["ratio"] = totals.unread > 0 ? Json(nullptr)
                                      : ratioJson(survey.denseBytes == 0
                                                      ? 0
                                                      : static_cast<double>(totals.stored) /
                                                            static_cast<double>(survey.denseBytes));
    json["error"] = totals.error;
    json["largest_error"] = totals.largestError;
    json["largest_error_of"] =
        totals.largest == kNoIndex ? Json(nullptr) : Json(survey.names[totals.largest]);
    json["chips"] = Json::array();
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        Json chip;
        chip["target"] = survey.targets[t]->name;
        chip["bytes_moved"] = numberJson(totals.moved[t]);
        chip.update(programJson(totals.programs[t]));
        json["chips"].push_back(std::move(chip));
    }
    return json;
}

void addCount(Json &fronts, std::string_view axis, const std::vector<plan::FrontPoint> &points,
              const plan::FrontCount &count)
{
    fronts.push_back({{"front", axis},
                      {"points", numberJson(points.size())},
                      {"found", numberJson(count.found)},
                      {"whole", count.whole}});
}

Json raisedJson(const std::vector<plan::RaisedModel> &raised)
{
    Json list = Json::array();
    for (const plan::RaisedModel &model : raised) {
        Json json;
        json["model"] = model.model;
        json["before"] = model.before;
        json["after"] = model.after;
        json["changes"] = Json::array();
        for (const OpsetChange &change : model.changes)
            json["changes"].push_back({{"operation", change.operation},
                                       {"function", change.function},
                                       {"count", change.count},
                                       {"opset", "ios" + std::to_string(change.opset)},
                                       {"change", change.change},
                                       {"rewritten", change.rewritten}});
        list.push_back(std::move(json));
    }
    return list;
}

} // namespace

std::vector<std::string> planRules(const plan::Survey &survey)
{
    std::vector<std::string> rules;
    rules.push_back(survey.model == plan::ErrorModel::Weights
                        ? "The error of a layer is the root of the sum of squared differences of "
                          "its weights over that of the weights themselves, times its sensitivity. "
                          "Where statistics of its inputs are given, it is that of the outputs "
                          "that are expected by them."
                        : "The error of a layer is that of its outputs through the engine's "
                          "reduction (an estimate from samples), times its sensitivity.");
    rules.push_back("The error of the network is the root of the sum of the squared errors of the "
                    "layers, each times the sum of its squared weights, over the sum of those.");
    if (survey.targets.size() > 1)
        rules.push_back(
            "A form must be one that every chip takes. A layer counts with the chip "
            "that is slowest at it; chips whose ceilings are not known have no part in times.");
    return rules;
}

std::vector<std::string> contestedOf(const PlanSubject &subject)
{
    std::vector<std::string> lines;
    std::set<const decision::Verdict *> seen;
    const auto add = [&](const auto &chips) {
        for (const plan::ChipFigures &chip : chips) {
            if (!chip.verdict || !seen.insert(chip.verdict.get()).second)
                continue;
            for (const std::string &line : chip.verdict->disagreements) {
                std::string whole = fmt::format("{} on {}: {}", chip.verdict->key,
                                                chip.verdict->target->name, line);
                if (std::find(lines.begin(), lines.end(), whole) == lines.end())
                    lines.push_back(std::move(whole));
            }
        }
    };
    for (std::size_t r = 0; r < subject.survey->rows.size(); ++r) {
        const plan::Row &row = subject.survey->rows[r];
        add(row.fixedChips);
        if (!row.candidates)
            continue;
        add(row.candidates->front()->chips);
        add((*row.candidates)[subject.plan->choice[r]]->chips);
    }
    return lines;
}

namespace {

/// Why the sum of times on a chip is not known.
std::string untimedNote(const plan::Survey &survey, const roofline::ProgramTime &program,
                        std::size_t target)
{
    const std::string &name = survey.targets[target]->name;
    if (program.alternatives)
        return fmt::format(
            "A dispatch on {} enters one of {} functions: their times do not add up.", name,
            program.dispatches.size());
    if (program.layers == 0 && program.dispatches.empty())
        return fmt::format("There are no times on {}: no layer on the engine reads a weight.",
                           name);
    if (!survey.roofs[target].compute || !survey.roofs[target].bandwidth)
        return fmt::format("Times on {} are not known, because its ceilings are not.", name);
    const auto unknown =
        std::count_if(survey.rows.begin(), survey.rows.end(), [target](const plan::Row &row) {
            return row.candidates && !row.candidates->front()->chips[target].timeS;
        });
    std::string weights =
        unknown == 0 ? "" : "those of " + counted(static_cast<std::uint64_t>(unknown), "weight");
    if (!survey.fixed[target].timeS)
        weights += std::string(weights.empty() ? "" : " and ") + "those of weights that stay";
    return fmt::format("The sum of times on {} is not known: {} are not.", name,
                       weights.empty() ? "those of some forms" : weights);
}

/// Of several functions of which a run enters one the rows of each.
void addProgramRows(const std::string &name, const roofline::ProgramTime &before,
                    const roofline::ProgramTime &after, std::vector<ProgramRow> &rows)
{
    if (after.alternatives) {
        for (std::size_t i = 0; i < after.dispatches.size() && i < before.dispatches.size(); ++i)
            addProgramRows(name + " " + after.dispatches[i].function, before.dispatches[i],
                           after.dispatches[i], rows);
        return;
    }
    rows.push_back({name + " engine time s", before.engineTimeS, after.engineTimeS});
    if (!before.dispatchFloorS && !after.dispatchFloorS)
        return;
    rows.push_back({name + " dispatch floor s", before.dispatchFloorS, after.dispatchFloorS});
    rows.push_back({name + " time s", before.timeS, after.timeS});
}

std::string shapesNote(const shapes::Summary &shapes, bool byDefault)
{
    std::string bound;
    for (const shapes::ShapeBinding &each : shapes.bound)
        bound += fmt::format("{}{} = {}", bound.empty() ? "" : ", ", each.input,
                             shapes::dimsText(each.dims));
    return fmt::format("With {}{}: {} of {} open shapes follow.", bound,
                       byDefault ? " (the model's own default; --shape takes another)" : "",
                       shapes.inferred, shapes.open);
}

} // namespace

std::string timedChips(const plan::Survey &survey)
{
    const auto timed = plan::timedTargets(survey);
    if (timed.empty() || timed.size() == survey.targets.size())
        return "the slowest chip";
    std::string names;
    for (const target::Target *target : timed)
        names += (names.empty() ? "" : ", ") + target->name;
    return (timed.size() > 1 ? "the slowest of " : "") + names;
}

std::vector<ProgramRow> programRows(const PlanSubject &subject, std::size_t target)
{
    std::vector<ProgramRow> rows;
    addProgramRows(subject.survey->targets[target]->name, subject.plan->before.programs[target],
                   subject.plan->after.programs[target], rows);
    return rows;
}

namespace {

/// How far the times on each chip can be relied on, or why there are none.
void addTimeNotes(const plan::Survey &survey, const plan::Plan &plan,
                  std::vector<std::string> &notes)
{
    bool any = false;
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        const bool known = plan.before.engineTimeS(t) && plan.after.engineTimeS(t);
        any |= known;
        if (known)
            notes.push_back(roofline::predictionNote(*survey.targets[t]));
        else
            notes.push_back(untimedNote(survey, plan.after.programs[t], t));
        for (std::string &note : roofline::programNotes(plan.after.programs[t])) {
            if (std::find(notes.begin(), notes.end(), note) == notes.end())
                notes.push_back(std::move(note));
        }
    }
    if (!any)
        notes.push_back(
            "There is no front of error against time, because no sum of times is known.");
}

} // namespace

std::vector<std::string> planNotes(const PlanSubject &subject)
{
    const plan::Survey &survey = *subject.survey;
    const plan::Plan &plan = *subject.plan;
    std::vector<std::string> notes;
    if (survey.shaped)
        notes.push_back(shapesNote(survey.shaped->summary, survey.defaultShapes));
    if (survey.unread > 0)
        notes.push_back(
            fmt::format("The stored bytes of {} are not known: sums of stored bytes are "
                        "not known either; limits and fronts count the others.",
                        counted(survey.unread, "weight")));
    const bool byStored = !subject.limits->goal && plan.goal == plan::Goal::Stored;
    if (byStored && plan.untimed == 0)
        notes.push_back("No layer on the engine reads a weight that this plan may change: stored "
                        "bytes are least, because no goal was given.");
    else if (byStored)
        notes.push_back(
            fmt::format("The times of {} are not known: stored bytes are least, because no goal "
                        "was given.",
                        counted(plan.untimed, "weight")));
    if (plan.goal == plan::Goal::Time && plan.untimed > 0)
        notes.push_back(fmt::format("The times of {} are not known: they count as 0 in the time "
                                    "that is least.",
                                    counted(plan.untimed, "weight")));
    const auto &moved = plan.before.moved;
    if (plan.goal == plan::Goal::Moved &&
        std::find(moved.begin(), moved.end(), std::nullopt) != moved.end())
        notes.push_back("The bytes that some weights move are not known: all of their bytes count "
                        "in the sum that is least.");
    const std::size_t timed = plan::timedTargets(survey).size();
    if (timed > 0 && timed < survey.targets.size())
        notes.push_back(
            fmt::format("Times of weights, and of fronts, are those on {}.", timedChips(survey)));
    addTimeNotes(survey, plan, notes);
    return notes;
}

std::string frontTitle(std::string_view axis, const std::vector<plan::FrontPoint> &points,
                       const plan::FrontCount &count)
{
    std::string text = fmt::format("Front: error against {}", axis);
    if (points.size() < count.found)
        text += fmt::format(" ({} of {}{} plans)", points.size(), count.whole ? "" : "at least ",
                            count.found);
    else if (!count.whole)
        text += " (there may be more plans between these)";
    return text;
}

namespace {

/// `pareto`, the plans of both fronts, and `fronts`, how many there are of each.
void addFronts(Json &document, const PlanSubject &subject)
{
    std::vector<FrontRow> fronts = frontRows(subject, "stored", subject.plan->storedFront);
    for (const FrontRow &row : frontRows(subject, "time", subject.plan->timeFront))
        fronts.push_back(row);
    document["pareto"] = jsonArray(frontTable(), fronts);
    document["fronts"] = Json::array();
    addCount(document["fronts"], "stored", subject.plan->storedFront, subject.plan->storedCount);
    addCount(document["fronts"], "time", subject.plan->timeFront, subject.plan->timeCount);
}

} // namespace

Json planJson(const PlanSubject &subject)
{
    Json document = report::document("plan");
    const plan::Survey &survey = *subject.survey;
    const plan::Limits &limits = *subject.limits;
    document["bundle"] = subject.bundle;
    document["targets"] = Json::array();
    for (const target::Target *target : survey.targets)
        document["targets"].push_back(target->name);
    document["times_of"] = Json::array();
    for (const target::Target *target : plan::timedTargets(*subject.survey))
        document["times_of"].push_back(target->name);
    document["minimise"] = plan::goalName(subject.plan->goal);
    document["minimise_asked"] = limits.goal ? Json(plan::goalName(*limits.goal)) : Json(nullptr);
    document["tolerance"] = limits.tolerance;
    document["total_tolerance"] = optionalJson(limits.totalTolerance);
    document["max_bytes"] = limits.maxBytes ? numberJson(*limits.maxBytes) : Json(nullptr);
    document["error_model"] = plan::errorModelName(survey.model);
    document["rules"] = planRules(survey);
    document["notes"] = planNotes(subject);
    document["contested"] = contestedOf(subject);
    document["proven"] = subject.plan->proven;
    document["cost"] = subject.plan->cost;
    document["bound"] = subject.plan->bound;
    document["untimed"] = numberJson(subject.plan->untimed);
    document["plan"] =
        jsonArray(plannedWeightTable(), plannedWeights(survey, subject.plan->choice,
                                                       subject.plan->why, subject.candidates));
    document["totals"]["before"] = planTotalsJson(survey, subject.plan->before);
    document["totals"]["after"] = planTotalsJson(survey, subject.plan->after);
    addFronts(document, subject);
    document["builds"] = Json::array();
    for (const plan::Build &build : subject.builds) {
        Json json;
        json["bundle"] = build.name;
        json.update(planTotalsJson(survey, build.totals));
        json["paired"] = numberJson(build.paired);
        json["unpaired"] = build.unpaired;
        document["builds"].push_back(std::move(json));
    }
    document["output"] = subject.output.empty() ? Json(nullptr) : Json(subject.output);
    document["opsets"] = subject.raised == nullptr ? Json(nullptr) : raisedJson(*subject.raised);
    if (survey.shaped)
        addBoundShapes(document, survey.shaped->summary, survey.defaultShapes);
    return document;
}

} // namespace kernscope::report
