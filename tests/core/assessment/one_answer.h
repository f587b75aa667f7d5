// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_layers.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/plan_table.h"
#include "one_comparison.h"
#include "one_geometry.h"

/// Of a bundle's layers on a chip all that answer (decide, the roofline, Choose, the report) say
/// the same. The checks fail the test function that calls them.
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

/// Bytes of a weight that could not be read are unknown to everyone, and so is what follows from
/// them.
inline void unknownBytesStayUnknown(const Weight &weight, const report::Json &decision)
{
    if (knownStoredBytes(weight) || decision["outcome"] != "streams")
        return;
    for (const char *key : {"bytes_moved", "time_s", "speedup", "predicted_speedup"})
        QVERIFY2(decision[key].is_null(), key);
    QCOMPARE(decision["bound"].get<std::string>(), "unknown");
    for (const char *key : {"demand", "fits"})
        QVERIFY2(decision["cap"][key].is_null(), key);
}

/// The same of a layer of the roofline.
inline void unknownBytesStayUnknownDrawn(const Weight &weight, const report::Json &layer)
{
    QCOMPARE(layer["weight_bytes_stored"].is_null(), !knownStoredBytes(weight).has_value());
    const report::Json &stored = layer["forms"]["stored"];
    if (knownStoredBytes(weight) || stored["outcome"] != "streams")
        return;
    for (const char *key : {"weight_bytes", "bytes", "memory_s", "intensity", "attainable_flops",
                            "time_s", "rate_flops", "speedup", "predicted_speedup", "energy"})
        QVERIFY2(stored[key].is_null(), key);
    QVERIFY(layer["forms"]["best"].is_null() && layer["estimated"].get<bool>());
}

/// Whether the engine has a part in a layer of the roofline.
inline bool isOnEngine(const report::Json &layer)
{
    return std::any_of(layer["runs"].begin(), layer["runs"].end(), [](const report::Json &run) {
        return run["backend"].is_null() || run["backend"] == roofline::kEngineBackend;
    });
}

/// What decide says a weight moves is the sum over the layers on the engine that the roofline
/// draws; of a weight in none, all of it once; nothing of what only runs elsewhere.
inline void sumIsMoved(const std::vector<report::Json> &layers, bool elsewhere,
                       const report::Json &decision, const decision::WeightForm &form)
{
    const report::Json &moved = decision["bytes_moved"];
    if (elsewhere || form.use.elsewhere) {
        QVERIFY(layers.empty());
        QCOMPARE(moved.get<std::uint64_t>(), 0U);
        return;
    }
    if (decision["outcome"] == "rejected" || decision["outcome"] == "unknown") {
        QVERIFY(moved.is_null());
        return;
    }
    std::optional<std::uint64_t> sum = 0;
    for (const report::Json &bytes : layers)
        sum = sum && !bytes.is_null() ? std::optional(*sum + bytes.get<std::uint64_t>())
                                      : std::nullopt;
    if (layers.empty())
        sum = decision["outcome"] == "streams" ? form.storedBytes : std::optional(form.denseBytes);
    QCOMPARE(moved.is_null(), !sum.has_value());
    if (sum)
        QCOMPARE(moved.get<std::uint64_t>(), *sum);
}

/// The program's time is that of the runs of the layers that are listed; where how often one runs
/// is not known, no sum is.
inline void sumsAgree(const roofline::NetworkAssessment &network, const report::Json &document)
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
inline std::vector<roofline::ProgramTime>
plannedPrograms(const Bundle &bundle, const std::vector<const target::Target *> &targets)
{
    plan::SurveyOptions options;
    options.targets = targets;
    options.forms = {std::string(plan::kKeep)}; // none is tried
    const auto survey = plan::survey(bundle, options);
    if (!survey)
        return {};
    const auto totals = plan::totalsOf(*survey, std::vector<std::size_t>(survey->rows.size(), 0));
    return totals.programs;
}

/// `planned`: what a plan says of the whole program on that chip; null where there is no plan.
inline void compareOnChip(const Bundle &bundle, const DecisionTable &table, std::size_t column,
                          const std::vector<roofline::Layer> &layers, const report::Json &decided,
                          const roofline::ProgramTime *planned)
{
    const target::Target &target = table.target(column);
    for (std::size_t i = 0; i < table.rows(); ++i)
        unknownBytesStayUnknown(bundle.weights()[i], decided[i * table.columns() + column]);
    decision::Judge judge;
    const auto roofs = roofline::roofsOf(target);
    const auto network = roofline::assessNetwork(layers, *roofs, judge);
    QVERIFY(network);
    report::Json document;
    report::addRoofline(document, bundle, *roofs, *network, 1);
    std::vector<bool> seen(table.rows(), false);
    std::vector<std::vector<report::Json>> moved(table.rows()); // by weight, of each layer
    std::vector<bool> elsewhere(table.rows(), false);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const roofline::Placement &placed = network->placements[i];
        const report::Json &drawn = document["layers"][i];
        const report::Json &row = decided[layers[i].weight * table.columns() + column];
        const auto &stored = drawn["forms"]["stored"];
        unknownBytesStayUnknownDrawn(bundle.weights()[layers[i].weight], drawn);
        const Weight &weight = bundle.weights()[layers[i].weight];
        if (weight.consumers[layers[i].consumer].geometry.insideLoop)
            QVERIFY(drawn["runs"][0]["times"].is_null());
        QCOMPARE(row["outcome"], stored["outcome"]);
        if (isOnEngine(drawn))
            moved[layers[i].weight].push_back(stored["weight_bytes"]);
        else
            elsewhere[layers[i].weight] = true;
        // What a core holds is a matter of the weight, whichever layer is looked at.
        QCOMPARE(row["cap"]["demand"],
                 report::memoryJson(placed.stored().decision.memory)["demand"]);
        QCOMPARE(row["cap"]["fits"], report::memoryJson(placed.stored().decision.memory)["fits"]);
        // The layer that the weight is judged in is one of those that are drawn.
        const bool same = row["time_s"] == stored["time_s"] && row["bound"] == stored["bound"] &&
                          report::energyJson(table.assessment(layers[i].weight, column).energy) ==
                              stored["energy"] &&
                          row["speedup"] == stored["speedup"] &&
                          row["predicted_speedup"] == stored["predicted_speedup"];
        seen[layers[i].weight] = seen[layers[i].weight] || same;
        // What Choose and Geometry are given.
        const auto again = roofline::assess(layers[i], layers[i].form, *roofs, judge);
        QCOMPARE(report::assessmentJson(again), stored);
        geometryIsAssessed(placed, weight.consumers[layers[i].consumer], target);
        for (const auto &other : placed.trail) {
            const auto answer = roofline::assess(layers[i], other.weight, *roofs, judge);
            QCOMPARE(answer.outcome, other.outcome);
            QCOMPARE(answer.timeS, other.timeS);
            QCOMPARE(answer.bound, other.bound);
        }
    }
    for (std::size_t i = 0; i < table.rows(); ++i)
        sumIsMoved(moved[i], elsewhere[i] && moved[i].empty(),
                   decided[i * table.columns() + column], table.form(i));
    for (std::size_t i = 0; i < layers.size(); ++i)
        refusals(network->placements[i], target);
    sumsAgree(*network, document);
    if (QTest::currentTestFailed())
        return;
    for (const roofline::Layer &layer : layers)
        QVERIFY(seen[layer.weight]);
    // The plan's figures of the program are those of the roofline.
    if (planned)
        QCOMPARE(QString::fromStdString(report::programJson(*planned).dump(1)),
                 QString::fromStdString(report::programJson(network->program).dump(1)));
}

/// One that folds what others stream, one that streams, one of which much is not known.
inline std::vector<const target::Target *> someTargets()
{
    return {target::findTarget("M1")->target, target::findTarget("M5")->target,
            target::findTarget("H17")->target};
}

/// These and a third of the others: of each three bundles in a row, every chip.
inline std::vector<const target::Target *> chipsInTurn()
{
    static std::size_t bundle = 0;
    std::vector<const target::Target *> chips = someTargets();
    const auto all = allTargets();
    for (std::size_t i = bundle++ % 3; i < all.size(); i += 3) {
        if (std::ranges::find(chips, all[i]) == chips.end())
            chips.push_back(all[i]);
    }
    return chips;
}

/// Every layer of the bundle, on each of the chips.
inline void hasOneAnswer(const Bundle &bundle,
                         const std::vector<const target::Target *> &targets = chipsInTurn())
{
    const DecisionTable table(bundle, targets);
    std::string text;
    report::writeDecisions(bundle, table, report::document("decide"), {},
                           [&](std::string_view part) { text += part; });
    const report::Json decided = report::Json::parse(text)["decisions"];
    QCOMPARE(decided.size(), table.rows() * table.columns());
    comparisonAgrees(bundle, table, decided);
    const auto layers = layersOf(bundle, weightForms(bundle));
    const auto planned = plannedPrograms(bundle, targets);
    QVERIFY(!planned.empty() || bundle.programFile() == kNoIndex || layers.empty());
    for (std::size_t column = 0; column < targets.size(); ++column) {
        compareOnChip(bundle, table, column, layers, decided,
                      planned.empty() ? nullptr : &planned[column]);
        if (QTest::currentTestFailed())
            return;
    }
}

/// What a plan says of the network as it is: every weight stays.
inline void planIsDecided(const Bundle &bundle,
                          const std::vector<const target::Target *> &targets = chipsInTurn())
{
    if (bundle.weights().empty())
        return;
    plan::SurveyOptions options;
    options.targets = targets;
    options.forms = {"keep"};
    options.mostElements = 1;
    const auto survey = plan::survey(bundle, options);
    QVERIFY2(survey, survey ? "" : describe(survey.error()).c_str());
    plan::Limits limits;
    limits.goal = plan::Goal::Stored;
    const auto made = plan::solve(*survey, limits);
    // Where a chip refuses a weight as it is, there is no plan that leaves it so.
    const std::vector<std::size_t> stays(survey->rows.size(), 0);
    const plan::PlanTotals totals = plan::totalsOf(*survey, stays);
    const DecisionTable table(bundle, options.targets);
    for (std::size_t chip = 0; chip < table.columns(); ++chip) {
        std::optional<std::uint64_t> moved = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const auto bytes = table.bytesMoved(row, chip);
            plan::addBytes(moved, bytes);
            if (survey->rows[row].candidates)
                QCOMPARE(survey->rows[row].candidates->front()->chips[chip].moved, bytes);
        }
        QCOMPARE(totals.moved[chip], moved);
        // A sum is known where none of its terms is open.
        QCOMPARE(table.totals(chip).movedOpen == 0, moved.has_value());
        if (moved)
            QCOMPARE(table.totals(chip).bytesMoved, *moved);
    }
    const std::size_t unread = weightsOfUnknownBytes(bundle);
    QCOMPARE(totals.unread, unread);
    QCOMPARE(totals.allStored().has_value(), unread == 0);
    if (unread == 0)
        QCOMPARE(totals.stored, bundle.totals().storedBytes.value);
    for (std::size_t r = 0; r < survey->rows.size(); ++r) {
        const auto stored = knownStoredBytes(bundle.weights()[survey->rows[r].weight]);
        const auto own = plan::ownBytes(*survey, survey->rows[r]);
        QCOMPARE(own.has_value(), stored.has_value());
        if (own)
            QCOMPARE(*own, stored->value);
    }
    if (!made)
        return;
    const report::Json document =
        report::planJson(report::PlanSubject{{}, {}, &*survey, &*made, &limits, nullptr, {}});
    QCOMPARE(document["totals"]["before"]["bytes"].is_null(), unread > 0);
}

/// What the encoders make of the weight takes the bytes that are shown of the candidate.
inline void candidateIsEncoded(const Bundle &bundle, const FormChoice &choice,
                               const FormCandidate &candidate)
{
    if (candidate.stored || choice.sampled)
        return;
    const Weight &weight = bundle.weights()[choice.weight];
    const auto decoder = bundle.decoder(choice.weight);
    QVERIFY(decoder);
    std::vector<float> values(weight.elements.value);
    decoder->decodeFloat(0, values);
    const auto spec = formSpecOf(candidate.form, weight.shape, judgedAxes(bundle)[choice.weight]);
    QVERIFY(spec);
    const auto encoded = codec::encodeForm(values, weight.shape, *spec, weight.type);
    QVERIFY2(encoded.has_value() == candidate.error.has_value(), candidate.form.c_str());
    if (!encoded)
        return;
    std::uint64_t bytes = 0;
    for (const codec::EncodedPart &part : encoded->parts)
        bytes += part.bytes.size();
    QVERIFY2(bytes == candidate.bytes, (choice.name + " " + candidate.form).c_str());
}

/// The forms that Choose tries for a weight are those that the roofline places, with the same bytes
/// and times. Each candidate is encoded.
inline void choiceIsPlaced(const Bundle &bundle, const roofline::Layer &layer)
{
    for (const char *chip : {"M1", "M2", "M5"}) {
        const auto roofs = roofline::roofsOf(*target::findTarget(chip)->target);
        decision::Judge judge;
        const auto choice = chooseForm(bundle, layer.weight, *roofs, judge);
        QVERIFY2(choice, choice ? "" : choice.error().message.c_str());
        QCOMPARE(choice->op, layer.op);
        const auto placed = roofline::place(layer, *roofs, judge);
        QCOMPARE(choice->bound, placed->trail[placed->dense].bound);
        bool stored = choice->stored.starts_with("dense"), eight = false;
        for (const FormCandidate &candidate : choice->candidates) {
            stored |= candidate.stored;
            eight |= candidate.form == "palette8";
            candidateIsEncoded(bundle, *choice, candidate);
            if (candidate.form == choice->chosen)
                QVERIFY(candidate.bytes < layer.form.denseBytes);
            for (const auto &point : placed->trail) {
                if (point.form != candidate.form || (choice->sampled && point.weight.density))
                    continue;
                QCOMPARE(candidate.bytes, point.weight.storedBytes.value_or(0));
                QCOMPARE(candidate.assessment.outcome, point.outcome);
                QCOMPARE(candidate.assessment.timeS, point.timeS);
            }
        }
        QVERIFY(stored && eight);
    }
}

/// Asked for the smallest weight, in the layer that decide judges it in.
inline void choiceIsPlaced(const Bundle &bundle)
{
    std::vector<roofline::Layer> layers;
    const LayerReader reader(bundle);
    for (std::size_t i = 0; i < reader.weights(); ++i) {
        if (const WeightLayers weight = reader.at(i); !weight.all.empty())
            layers.push_back(weight.judged);
    }
    const auto smallest =
        std::ranges::min_element(layers, [](const roofline::Layer &a, const roofline::Layer &b) {
            return a.form.elements < b.form.elements;
        });
    QVERIFY(smallest != layers.end());
    choiceIsPlaced(bundle, *smallest);
}

} // namespace kernscope::test
