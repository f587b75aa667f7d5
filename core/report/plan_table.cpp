// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/plan_table.h"

#include "core/bundle/shapes/tensor.h"
#include "core/report/encode_table.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/placement_table.h"
#include "core/report/program_table.h"

namespace kernscope::report {

namespace {

using plan::Candidate;

Json chipFiguresJson(const std::string &target, const plan::ChipFigures &figures)
{
    Json json{{"target", target},
              {"outcome", decision::outcomeName(figures.outcome)},
              {"bytes_moved", numberJson(figures.moved)}};
    // A weight that no layer reads has no time.
    json["time_s"] = figures.layerS.empty() ? Json(nullptr) : optionalJson(figures.timeS);
    return json;
}

Json triedJson(const PlannedWeight &weight, const Candidate &candidate)
{
    Json json{{"form", candidate->name},
              {"refused", candidate->refused.empty() ? Json(nullptr) : Json(candidate->refused)}};
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
    return listJson(*weight.row().candidates,
                    [&](const auto &candidate) { return triedJson(weight, candidate); });
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

/// A weight that is not planned has no time.
Value timeOf(const Candidate &candidate)
{
    if (!candidate)
        return View("-");
    return known<Seconds>(plan::slowest(candidate));
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

Json formsOf(const FrontRow &row)
{
    const plan::Survey &survey = *row.subject->survey;
    const std::vector<std::size_t> &choice = row.point->choice;
    Json forms = Json::array();
    for (std::size_t r = 0; r < survey.rows.size(); ++r)
        forms.push_back(plan::formOf(survey.rows[r], choice[r]));
    return forms;
}

constexpr std::string_view kNotKnown = "unknown";

/// Four significant digits.
Value errorValue(double error)
{
    return Real{error, 4, true};
}

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
        Json chip{{"target", survey.targets[t]->name},
                  {"bytes_moved", numberJson(totals.moved[t])}};
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
    const auto unknown = std::ranges::count_if(survey.rows, [target](const plan::Row &row) {
        return row.candidates && !row.candidates->front()->chips[target].timeS;
    });
    std::string weights =
        unknown == 0 ? "" : "those of " + counted(static_cast<std::uint64_t>(unknown), "weight");
    if (!survey.fixed[target].timeS)
        weights += std::string(weights.empty() ? "" : " and ") + "those of weights that stay";
    return fmt::format("The sum of times on {} is not known: {} are not.", name,
                       weights.empty() ? "those of some forms" : weights);
}

/// What the program takes on a target: engine, floor of its dispatches, both. Where a run enters
/// one of several functions: the rows of each.
void addProgramRows(const std::string &name, const roofline::ProgramTime &before,
                    const roofline::ProgramTime &after, std::vector<PlanTotal> &rows)
{
    if (after.alternatives) {
        for (std::size_t i = 0; i < after.dispatches.size() && i < before.dispatches.size(); ++i)
            addProgramRows(name + " " + after.dispatches[i].function, before.dispatches[i],
                           after.dispatches[i], rows);
        return;
    }
    const auto add = [&](const char *what, const std::optional<double> &was,
                         const std::optional<double> &is) {
        rows.push_back({name + what, known<Seconds>(was), known<Seconds>(is)});
    };
    add(" engine time s", before.engineTimeS, after.engineTimeS);
    if (!before.dispatchFloorS && !after.dispatchFloorS)
        return;
    add(" dispatch floor s", before.dispatchFloorS, after.dispatchFloorS);
    add(" time s", before.timeS, after.timeS);
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
            if (std::ranges::find(notes, note) == notes.end())
                notes.push_back(std::move(note));
        }
    }
    if (!any)
        notes.push_back(
            "There is no front of error against time, because no sum of times is known.");
}

/// `pareto`, the plans of both fronts, and `fronts`, how many there are of each.
void addFronts(Json &document, const PlanSubject &subject)
{
    std::vector<FrontRow> fronts = frontRows(subject, "stored", subject.plan->storedFront);
    for (const FrontRow &row : frontRows(subject, "time", subject.plan->timeFront))
        fronts.push_back(row);
    document["pareto"] = jsonArray(frontTable, fronts);
    document["fronts"] = Json::array();
    addCount(document["fronts"], "stored", subject.plan->storedFront, subject.plan->storedCount);
    addCount(document["fronts"], "time", subject.plan->timeFront, subject.plan->timeCount);
}

} // namespace

bool hasFunctions(const plan::Survey &survey)
{
    return std::ranges::any_of(survey.rows, [&survey](const plan::Row &row) {
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

const TableOf<PlannedWeight> plannedWeightTable(
    "plan",
    {{kName, "weight", "Name of the weight", CELL(row.survey->names[row.number])},
     {kDocument, "address", "Model, function and name of the weight", CELL(plannedAddress(row))},
     {kName, "function", "The function of the program that reads the weight",
      CELL(row.ofSeveral ? Value(row.row().function) : Value(Absent())),
      jsonOf(CELL(Json(row.row().function)))},
     {"from", "The form that it has", CELL(row.row().stored)},
     {"to", "The form that it gets, with what the first chip does with it",
      [](auto &row) {
          const auto form = row.after();
          return Word({}, form ? outcomeMark(form->chips[0].outcome) : Mark::None,
                      plan::formOf(row.row(), row.choice));
      }},
     {kDocument, "changed", "Whether the form is another one", CELL(row.choice != 0)},
     {kNumber, "bytes_before", "stored", "Stored bytes now",
      CELL(row.before() ? Value(Count(row.before()->stored)) : known<Count>(row.ownBytes())),
      withUnit("B"), unknownAs("unknown")},
     {kNumber, "bytes", "planned", "Stored bytes in the planned form",
      CELL(row.after() ? Value(Count(row.after()->stored)) : known<Count>(row.ownBytes())),
      withUnit("B"), unknownAs("unknown")},
     {kNumber, "error",
      "Relative error of the planned form, with the weight's sensitivity; ~ from some of the "
      "rows",
      plannedError, jsonOf(CELL(Json(errorOf(row))))},
     {kDocument, "method", "The way of encoding whose error is least", methodOf},
     {kDocument, "sampled", "Whether figures are from some of the rows",
      CELL(row.after() ? Value(row.after()->sampled) : Value(Absent()))},
     {kNumber | kDocument, "sensitivity", "Factor of the weight's relative error",
      CELL(row.after() ? Value(Real(row.row().sensitivity, 3, true)) : Value(Absent()))},
     {kNumber, "time_before_s", "time",
      "Predicted time of its layers on the slowest chip of those whose ceilings are known",
      CELL(timeOf(row.before())), withUnit("s"), unknownAs("unknown"),
      jsonOf(CELL(row.before() ? optionalJson(plan::slowest(row.before())) : noKey()))},
     {kNumber, "time_s", "planned time", "Predicted time in the planned form",
      CELL(timeOf(row.after())), withUnit("s"), unknownAs("unknown"),
      jsonOf(CELL(row.after() ? optionalJson(plan::slowest(row.after())) : Json(nullptr)))},
     {kName, "why", "Why it gets that form, or stays", CELL(std::string(row.why))},
     {kDocument, "chips", "Outcome, bytes moved and time on each chip, after and before",
      chipsJson},
     {kDocument, "candidates", "Every form that was tried", triedFormsJson}},
    {"weight", "from", "to", "changed", "why", "error", "method", "sampled", "sensitivity"},
    {"weight", "function", "from", "to", "bytes", "error", "time_s"});

std::vector<FrontRow> frontRows(const PlanSubject &subject, std::string_view front,
                                const std::vector<plan::FrontPoint> &points)
{
    std::vector<FrontRow> rows;
    for (const plan::FrontPoint &point : points)
        rows.push_back({front, &point, &subject});
    return rows;
}

const TableOf<FrontRow> frontTable(
    "front",
    {{kDocument, "front", "What the error is set against: stored bytes or time",
      CELL(Word(row.front))},
     {kDocument, "corner", "Whether no mixture of two other points is better",
      CELL(row.point->corner)},
     {kNumber, "error", "Error of the network", CELL(Real(row.point->totals.error, 4, true))},
     {kNumber, "largest_error", "largest of a layer", "Largest error of a layer",
      CELL(Real(row.point->totals.largestError, 4, true))},
     {kDocument, "within_tolerance", "Whether every layer's error is at most the tolerance",
      CELL(row.point->totals.largestError <= row.subject->limits->tolerance)},
     {kNumber, "bytes", "stored", "Stored bytes of all weights",
      CELL(known<Count>(row.point->totals.allStored())), withUnit("B"), unknownAs("unknown")},
     {kNumber, "time_s", "time",
      "Engine time on the slowest chip of those whose ceilings are known",
      CELL(known<Seconds>(plan::slowest(row.point->totals))), withUnit("s"), unknownAs("unknown")},
     {kDocument, "forms", "The form of each weight, in the order of the plan", formsOf}});

std::vector<PlanTotal> planTotals(const PlanSubject &subject)
{
    const plan::Survey &survey = *subject.survey;
    const plan::PlanTotals &before = subject.plan->before, &after = subject.plan->after;
    std::vector<PlanTotal> rows{
        {"stored bytes", known<Count>(before.allStored()), known<Count>(after.allStored())},
        {"error of the network", errorValue(before.error), errorValue(after.error)},
        {"largest error of a layer", errorValue(before.largestError),
         errorValue(after.largestError)}};
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        rows.push_back({survey.targets[t]->name + " bytes moved", known<Count>(before.moved[t]),
                        known<Count>(after.moved[t])});
        addProgramRows(survey.targets[t]->name, before.programs[t], after.programs[t], rows);
    }
    return rows;
}

const TableOf<PlanTotal> planTotalsTable(
    "plan_totals",
    {{"name", "figure", "What is summed over the network", member<&PlanTotal::name>},
     {kNumber, "before", "As it is stored now", member<&PlanTotal::before>, unknownAs(kNotKnown)},
     {kNumber, "after", "As it is planned", member<&PlanTotal::after>, unknownAs(kNotKnown)}});

std::vector<BuildTotals> buildTotals(const PlanSubject &subject, bool own)
{
    std::vector<BuildTotals> rows;
    if (own)
        rows.push_back({"this plan", &subject.plan->after});
    for (const plan::Build &build : subject.builds)
        rows.push_back({build.name, &build.totals});
    return rows;
}

const TableOf<BuildTotals> buildTotalsTable(
    "plan_builds",
    {{kName, "bundle", "build", "A build of the network", member<&BuildTotals::name>},
     {kNumber, "error", "error of the network", "Root of the summed squared errors of its layers",
      CELL(errorValue(row.totals->error))},
     {kNumber, "largest_error", "largest error of a layer",
      "The error of the layer that has the largest", CELL(errorValue(row.totals->largestError))},
     {kNumber, "bytes", "stored bytes", "Stored bytes of all its weights",
      CELL(known<Count>(row.totals->allStored())), unknownAs(kNotKnown)},
     {kNumber, "time_s", "time", "Predicted time on the slowest chip",
      CELL(known<Seconds>(plan::slowest(*row.totals))), withUnit("s"), unknownAs(kNotKnown)}});

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
            "A form must be one that every chip takes. The slowest chip counts "
            "for each layer; chips whose ceilings are not known have no part in times.");
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
                if (std::ranges::find(lines, whole) == lines.end())
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
    if (byStored && plan.before.hidesGains())
        notes.push_back("A run waits for its calls, whatever the forms: stored bytes are least, "
                        "because no goal was given.");
    else if (byStored && plan.untimed == 0)
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

Json planJson(const PlanSubject &subject)
{
    Json document = report::document("plan");
    const plan::Survey &survey = *subject.survey;
    const plan::Limits &limits = *subject.limits;
    document["bundle"] = subject.bundle;
    if (subject.verdict)
        addVerdict(document, *subject.verdict);
    document["targets"] =
        listJson(survey.targets, [&](const auto *target) { return target->name; });
    document["times_of"] = listJson(plan::timedTargets(*subject.survey),
                                    [&](const auto *target) { return target->name; });
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
        jsonArray(plannedWeightTable, plannedWeights(survey, subject.plan->choice,
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
    document["opsets"] = nullptr;
    if (subject.raised != nullptr)
        document["opsets"] = listJson(*subject.raised, [](const plan::RaisedModel &model) {
            Json json{{"model", model.model}};
            json.update(raisedJson(model.before, model.after, model.changes));
            return json;
        });
    if (survey.shaped)
        addBoundShapes(document, survey.shaped->summary, survey.defaultShapes);
    return document;
}

} // namespace kernscope::report
