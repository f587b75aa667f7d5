// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/choose_form.h"
#include "core/plan/form_name.h"
#include "core/plan/plan.h"
#include "core/report/chip_json.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// Whoever is asked about a bundle's layers on a chip (decide, the roofline, Choose, the report),
/// the answer is the same. The checks fail the test function that calls them.
namespace kernscope::test {

/// What encode, section build and plan are refused is what decide, choose and the matrix call
/// illegal, by the same rule, for every form that is tried.
inline void refusals(const roofline::Placement &placed, const target::Target &target)
{
    for (const roofline::Assessment &point : placed.trail) {
        const auto rule = decision::encoderRefusal(point.weight, target);
        QCOMPARE(rule ? rule->gate : std::string(), point.decision.verdict->refusedBy);
    }
}

/// The program's time is that of the runs of the layers that are listed; where how often one runs
/// is not known, no sum is.
inline void sumsAgree(const roofline::Network &network, const report::Json &document)
{
    double sum = 0;
    bool known = true;
    for (std::size_t i = 0; i < network.placements.size(); ++i) {
        const report::Json &drawn = document["layers"][i];
        for (const report::Json &run : drawn["runs"]) {
            if (!run["backend"].is_null() && run["backend"] != roofline::kEngineBackend)
                continue; // the engine has no part in it
            if (run["times"].is_null() || drawn["time_s"].is_null())
                known = false;
            else
                sum += double(run["times"]) * double(drawn["time_s"]);
        }
    }
    QCOMPARE(network.program.knownS, sum);
    // An operation hands out its output once, however many weights it reads.
    std::map<std::string, std::vector<const report::Json *>> readers;
    for (const report::Json &drawn : document["layers"])
        readers[report::Json({drawn["function"], drawn["op"], drawn["name"]}).dump()].push_back(
            &drawn);
    for (const auto &[operation, rows] : readers) {
        std::set<std::string> operands;
        std::size_t handsOut = 0;
        for (const report::Json *row : rows) {
            operands.insert((*row)["param"]);
            handsOut += (*row)["output_bytes"] != 0 ? 1U : 0U;
        }
        if (operands.size() == rows.size())
            QVERIFY2(handsOut <= 1, operation.c_str());
    }
    QVERIFY(known || !network.program.engineTimeS);
}

/// What a plan says of the whole program before anything is changed, by target; nothing of a bundle
/// that cannot be planned.
inline std::vector<roofline::ProgramTime> plannedPrograms(const Bundle &bundle)
{
    plan::SurveyOptions options;
    options.targets = allTargets();
    options.forms = {std::string(plan::kKeep)}; // none is tried
    const auto survey = plan::survey(bundle, options);
    if (!survey)
        return {};
    const auto totals = plan::totalsOf(*survey, std::vector<std::size_t>(survey->rows.size(), 0));
    return totals.programs;
}

inline void compareOnChip(const Bundle &bundle, const DecisionTable &table, std::size_t column,
                          const std::vector<roofline::Layer> &layers, const report::Json &decided)
{
    const target::Target &target = table.target(column);
    decision::Judge judge;
    const auto roofs = roofline::roofsOf(target);
    const auto network = roofline::assessNetwork(layers, *roofs, judge);
    QVERIFY(network);
    report::Json document;
    report::addRoofline(document, *roofs, network->placements, 1, network->program);
    std::vector<bool> seen(table.rows(), false);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const roofline::Placement &placed = network->placements[i];
        const report::Json &drawn = document["layers"][i];
        const report::Json &row = decided[layers[i].weight * table.columns() + column];
        const auto &stored = drawn["forms"]["stored"];
        const Weight &weight = bundle.weights()[layers[i].weight];
        if (weight.consumers[layers[i].consumer].geometry.insideLoop)
            QVERIFY(drawn["runs"][0]["times"].is_null());
        QCOMPARE(row["outcome"], stored["outcome"]);
        if (!row["bytes_moved"].is_null())
            QCOMPARE(row["bytes_moved"], stored["weight_bytes"]);
        // The layer that the weight is judged in is one of those that are drawn.
        const bool same = row["time_s"] == stored["time_s"] && row["bound"] == stored["bound"] &&
                          row["speedup"] == stored["speedup"] &&
                          row["predicted_speedup"] == stored["predicted_speedup"];
        seen[layers[i].weight] = seen[layers[i].weight] || same;
        // What Choose and Geometry are given.
        const auto again = roofline::assess(layers[i], layers[i].form, *roofs, judge);
        QCOMPARE(report::assessmentJson(again), stored);
        for (const auto &other : placed.trail) {
            const auto answer = roofline::assess(layers[i], other.weight, *roofs, judge);
            QCOMPARE(answer.outcome, other.outcome);
            QCOMPARE(answer.timeS, other.timeS);
            QCOMPARE(answer.bound, other.bound);
        }
    }
    for (std::size_t i = 0; i < layers.size(); ++i)
        refusals(network->placements[i], target);
    sumsAgree(*network, document);
    if (QTest::currentTestFailed())
        return;
    for (const roofline::Layer &layer : layers)
        QVERIFY(seen[layer.weight]);
}

/// The plan's figures of the program are those of the roofline.
inline void planAgrees(const roofline::ProgramTime &planned, const target::Target &target,
                       const std::vector<roofline::Layer> &layers)
{
    decision::Judge judge;
    const auto network = roofline::assessNetwork(layers, *roofline::roofsOf(target), judge);
    QVERIFY(network);
    QCOMPARE(QString::fromStdString(report::programJson(planned).dump(1)),
             QString::fromStdString(report::programJson(network->program).dump(1)));
}

/// Every layer of the bundle, on every chip.
inline void hasOneAnswer(const Bundle &bundle)
{
    const auto targets = allTargets();
    const DecisionTable table(weightLayers(bundle), targets);
    std::string text;
    report::writeDecisions(bundle, table, report::document("decide"), {},
                           [&](std::string_view part) { text += part; });
    const report::Json decided = report::Json::parse(text)["decisions"];
    QCOMPARE(decided.size(), table.rows() * table.columns());
    const auto layers = layersOf(bundle, weightForms(bundle));
    const auto planned = plannedPrograms(bundle);
    QVERIFY(!planned.empty() || bundle.programFile() == kNoIndex || layers.empty());
    for (std::size_t column = 0; column < targets.size(); ++column) {
        compareOnChip(bundle, table, column, layers, decided);
        if (!planned.empty() && !QTest::currentTestFailed())
            planAgrees(planned[column], table.target(column), layers);
        if (QTest::currentTestFailed())
            return;
    }
}

/// The forms that Choose tries are those that the roofline places, with the same times. Each
/// candidate is encoded: asked for the smallest weight.
inline void choiceIsPlaced(const Bundle &bundle)
{
    const auto layers = layersOf(bundle, weightForms(bundle));
    const auto smallest = std::min_element(layers.begin(), layers.end(),
                                           [](const roofline::Layer &a, const roofline::Layer &b) {
                                               return a.form.elements < b.form.elements;
                                           });
    QVERIFY(smallest != layers.end());
    for (const char *chip : {"M1", "M2", "M5"}) {
        const auto roofs = roofline::roofsOf(*target::findTarget(chip)->target);
        decision::Judge judge;
        const auto choice = chooseForm(bundle, smallest->weight, *roofs, judge);
        QVERIFY2(choice, choice ? "" : choice.error().message.c_str());
        const auto placed = roofline::place(*smallest, *roofs, judge);
        bool stored = choice->stored.starts_with("dense"), eight = false;
        for (const FormCandidate &candidate : choice->candidates) {
            stored |= candidate.stored;
            eight |= candidate.form == "palette8";
            for (const auto &point : placed->trail) {
                if (point.form != candidate.form || point.weight.density)
                    continue;
                QCOMPARE(candidate.assessment.outcome, point.outcome);
                QCOMPARE(candidate.assessment.timeS, point.timeS);
            }
        }
        QVERIFY(stored && eight);
    }
}

} // namespace kernscope::test
