// SPDX-License-Identifier: GPL-3.0-or-later
// What a whole program takes, where its layers do not run once each in one dispatch.
#include "core/assessment/weight_facts.h"
#include "made_programs.h"

using namespace kernscope::roofline;

namespace {

constexpr double kFloor = 0.23e-3; ///< of a dispatch on the M1

/// The program on the M1; `place` gets its layers.
NetworkAssessment assessedOnM1(const Result<BundlePtr> &bundle)
{
    if (!bundle || !(*bundle)->diagnostics().empty())
        qFatal("the made program cannot be read");
    decision::Judge judge;
    auto network = assessNetwork(layersOf(**bundle, weightForms(**bundle)),
                                 *roofsOf(*target::findTarget("M1")->target), judge);
    if (!network)
        qFatal("not assessed");
    // Collected one after the other, layers add up to the same.
    LayerTimes times;
    for (const Placement &placement : network->placements)
        times.add(placement.layer, placement.stored());
    const ProgramTime &whole = network->program, total = times.total(network->roofs);
    if (total.timeS != whole.timeS || total.knownS != whole.knownS ||
        programNotes(total) != programNotes(whole) ||
        total.dispatches.size() != whole.dispatches.size())
        qFatal("layers that are collected give another time");
    return std::move(*network);
}

bool says(const std::vector<std::string> &notes, const char *words)
{
    return std::ranges::any_of(
        notes, [words](const std::string &note) { return note.find(words) != note.npos; });
}

} // namespace

class TestProgramTime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// How often a body runs is not known, so neither is the time of the whole.
    void theBodyOfALoop()
    {
        const NetworkAssessment network = assessedOnM1(loopProgram().open());
        QCOMPARE(network.placements.size(), 2U);
        const auto &before = network.placements[0], &within = network.placements[1];
        QCOMPARE(before.layer.runs.front().times, std::optional<std::uint64_t>(1));
        QVERIFY(!within.layer.runs.front().times);
        QVERIFY(before.stored().timeS && within.stored().timeS); // of one run
        const ProgramTime &program = network.program;
        QVERIFY(!program.engineTimeS && !program.timeS && !program.energy);
        QCOMPARE(program.bound, ProgramTime::Bound::Unknown);
        QCOMPARE(program.layers, 2U);
        QCOMPARE(program.timed, 1U);
        QCOMPARE(program.knownS, *before.stored().timeS);
        QVERIFY(says(program.notes, "loop"));
        QVERIFY(!says(assessedOnM1(MadeProgramOfOne()).program.notes, "loop"));
    }

    /// A function counts as often as each entry calls it.
    void everyCallCounts()
    {
        const NetworkAssessment network = assessedOnM1(calledProgram().open());
        QCOMPARE(network.placements.size(), 1U);
        const double once = *network.placements[0].stored().timeS;
        const auto &runs = network.placements[0].layer.runs;
        QCOMPARE(runs.size(), 2U);
        QCOMPARE(runs[0].entry, "main");
        QCOMPARE(runs[0].times, std::optional<std::uint64_t>(3));
        QCOMPARE(runs[1].entry, "other");
        QCOMPARE(runs[1].times, std::optional<std::uint64_t>(1));
        const ProgramTime &program = network.program;
        QVERIFY(program.alternatives && program.dispatches.size() == 2);
        QCOMPARE(program.dispatches[0].function, "main");
        QCOMPARE(program.dispatches[0].engineTimeS, std::optional(3 * once));
        QCOMPARE(program.dispatches[1].engineTimeS, std::optional(once));
        QCOMPARE(network.placements[0].layer.ofRuns(once), std::optional(4 * once));
    }

    /// Each call that names the engine's backend is a launch; without one, the entry is.
    void everyLaunchHasTheFloor()
    {
        const ProgramTime either = assessedOnM1(calledProgram().open()).program;
        QVERIFY(!either.launches &&
                !either.dispatchFloorS); // those of the function that is entered
        const ProgramTime &main = either.dispatches[0];
        QCOMPARE(main.launches, std::optional<std::uint64_t>(3));
        QCOMPARE(main.dispatchFloorS, std::optional(3 * kFloor));
        QCOMPARE(main.timeS, std::optional(3 * kFloor));
        QVERIFY(says(main.notes, "launches the engine 3 times"));
        QVERIFY(says(main.notes, "\"ane\"") && says(main.notes, "Launch_ane_ms"));
        const ProgramTime silent = assessedOnM1(calledProgram({}).open()).program.dispatches[0];
        QCOMPARE(silent.launches, std::optional<std::uint64_t>(1));
        QCOMPARE(silent.timeS, std::optional(kFloor));
        QCOMPARE(silent.notes.size(), 1U); // of the bytes of a second run
        QVERIFY(says(silent.notes, "run more than once"));
    }

    void aStepBesideTheEngineParts()
    {
        const NetworkAssessment network = assessedOnM1(segmentedProgram().open());
        QCOMPARE(network.placements.size(), 3U);
        const double once = *network.placements[0].stored().timeS;
        const ProgramTime &program = network.program;
        QCOMPARE(program.function, "main");
        QVERIFY(!program.alternatives);
        QCOMPARE(program.launches, std::optional<std::uint64_t>(3));
        QCOMPARE(program.dispatchFloorS, std::optional(3 * kFloor));
        QCOMPARE(program.timeS, std::optional(3 * kFloor));
        QCOMPARE(program.engineTimeS, std::optional(2 * once)); // not the layer beside it
        QCOMPARE(program.layers, 2U);
        QCOMPARE(program.dispatches.size(), 3U);
        QVERIFY(says(program.notes, "1 of the layers"));
        for (const Placement &placed : network.placements) {
            const LayerRun &run = placed.layer.runs.front();
            QCOMPARE(run.onEngine(), run.launch != "beside");
            QCOMPARE(placed.layer.ofRuns(once).has_value(), run.onEngine());
            if (run.onEngine())
                QCOMPARE(dispatchOf(program, run).function, run.launch);
        }
    }

    void callsOfCallsMultiply()
    {
        const NetworkAssessment eight = assessedOnM1(doublingProgram(3).open());
        QCOMPARE(eight.program.engineTimeS, std::optional(8 * *eight.placements[0].stored().timeS));
        // 2^70 do not fit the count.
        const NetworkAssessment many = assessedOnM1(doublingProgram(70).open());
        QVERIFY(!many.placements[0].layer.runs[0].times && !many.program.engineTimeS);
    }

    void callsThatCannotBeCounted()
    {
        const std::string seg = "seg";
        MadeProgram looped;
        looped.function(seg, "a", looped.weight("w") + MadeProgram::linear("s", "w", "a"), "s");
        looped.function("main", "x",
                        MadeProgram::call("y", seg, "x") +
                            MadeProgram::loop("z", "y", "t", MadeProgram::call("t", seg, "r")),
                        "z");
        const NetworkAssessment inLoop = assessedOnM1(looped.open());
        QCOMPARE(inLoop.placements[0].layer.runs[0].entry, "main");
        QVERIFY(!inLoop.placements[0].layer.runs[0].times && !inLoop.program.engineTimeS);
        MadeProgram ring;
        ring.function("a", "x",
                      ring.weight("w") + MadeProgram::linear("s", "w", "x") +
                          MadeProgram::call("y", "b", "s"),
                      "y");
        ring.function("b", "x", MadeProgram::call("y", "a", "x"), "y");
        const NetworkAssessment around = assessedOnM1(ring.open());
        QVERIFY(!around.placements[0].layer.runs[0].times && !around.program.engineTimeS);
    }

    /// What an operation has once is charged once, however many of its operands are weights.
    void severalWeightsOfOneOperation()
    {
        const NetworkAssessment network = assessedOnM1(sharedProgram().open());
        std::map<std::string, std::uint64_t> flops, inputs, outputs, layers;
        for (const Placement &placed : network.placements) {
            const Layer &layer = placed.layer;
            ++layers[layer.op];
            flops[layer.op] += layer.flops.value_or(0);
            inputs[layer.op] += layer.inputBytes.value_or(0);
            outputs[layer.op] += layer.outputBytes.value_or(0);
        }
        constexpr std::uint64_t kMatrix = 2 * 128 * 128, kProduct = 2 * 128 * 128 * 128;
        QCOMPARE(layers["matmul"], 2U);
        QCOMPARE(flops["matmul"], kProduct);
        QCOMPARE(inputs["matmul"], 0U); // both operands are weights
        QCOMPARE(outputs["matmul"], kMatrix);
        QCOMPARE(layers["scaled_dot_product_attention"], 2U);
        QCOMPARE(flops["scaled_dot_product_attention"], 2 * kProduct);
        QCOMPARE(inputs["scaled_dot_product_attention"], kMatrix); // the key
        QCOMPARE(outputs["scaled_dot_product_attention"], kMatrix);
        QCOMPARE(layers["lstm"], 2U);
        QCOMPARE(flops["lstm"], 8 * kProduct); // each weight with every step
        QCOMPARE(inputs["lstm"], kMatrix);
        QCOMPARE(outputs["lstm"], kMatrix);
    }

    /// A weight times itself is read once.
    void oneWeightTwiceInAProduct()
    {
        MadeProgram made;
        made.function("main", "x",
                      made.weight("w") + "tensor<fp16, [128, 128]> y = matmul(x = w, y = w)[name = "
                                         "string(\"y\")];\n",
                      "y");
        const NetworkAssessment network = assessedOnM1(made.open());
        QCOMPARE(network.placements.size(), 1U);
        const Placement &placed = network.placements[0];
        QCOMPARE(placed.stored().weightBytes, std::optional<std::uint64_t>(2 * 128 * 128));
        QCOMPARE(placed.layer.flops, std::optional<std::uint64_t>(2 * 128 * 128 * 128));
        QCOMPARE(placed.layer.outputBytes, std::optional<std::uint64_t>(2 * 128 * 128));
        QCOMPARE(placed.stored().bytes, std::optional(2.0 * 128 * 128)); // the output stays
        MadeProgram attention;
        attention.function("main", "x",
                           attention.weight("w") +
                               "tensor<fp16, [128, 128]> q = squeeze(x = x)[name = "
                               "string(\"q\")];\ntensor<fp16, [128, 128]> y = "
                               "scaled_dot_product_attention(query = q, key = w, value = "
                               "w)[name = string(\"y\")];\n",
                           "y");
        const NetworkAssessment both = assessedOnM1(attention.open());
        QCOMPARE(both.placements.size(), 1U);
        QCOMPARE(both.placements[0].layer.flops,
                 std::optional<std::uint64_t>(2 * 2 * 128 * 128 * 128)); // two products
    }

    /// What the compiler gives another backend has no part in the engine's time.
    void operationsBesideTheEngine()
    {
        const auto linear = [](const char *out, const char *weight, const char *backend) {
            std::string statement = MadeProgram::linear(out, weight, "x");
            statement.insert(statement.rfind(']'),
                             std::string(", SelectedBackend = string(\"") + backend + "\")");
            return statement;
        };
        MadeProgram made;
        made.function("main", "x",
                      made.weight("v") + made.weight("w") + linear("y", "v", "ane") +
                          linear("z", "w", "bnns"),
                      "z");
        const NetworkAssessment network = assessedOnM1(made.open());
        QCOMPARE(network.placements.size(), 2U);
        const double once = *network.placements[0].stored().timeS;
        QCOMPARE(network.program.engineTimeS, std::optional(once));
        QCOMPARE(network.program.layers, 1U);
        QCOMPARE(network.program.launches, std::optional<std::uint64_t>(1));
        QVERIFY(says(network.program.notes, "1 of 2 layers run elsewhere"));
        QVERIFY(!network.placements[1].layer.ofRuns(once));
        MadeProgram none;
        none.function("main", "x", none.weight("w") + linear("z", "w", "bnns"), "z");
        const NetworkAssessment beside = assessedOnM1(none.open());
        QVERIFY(!beside.program.engineTimeS && !beside.program.timeS);
        QCOMPARE(beside.program.launches, std::optional<std::uint64_t>(0));
    }

    /// Two operations of one name are two.
    void operationsOfOneName()
    {
        MadeProgram made;
        const auto twice = [](const char *out, const char *weight, const char *side) {
            return std::string("tensor<fp16, [128, 128]> ") + out + " = matmul(" + side + " = " +
                   weight + ", " + (*side == 'x' ? "y" : "x") + " = a)[name = string(\"same\")];\n";
        };
        made.function("main", "x",
                      "tensor<fp16, [128, 128]> a = squeeze(x = x)[name = string(\"a\")];\n" +
                          made.weight("v") + made.weight("w") + twice("y", "v", "x") +
                          twice("z", "w", "y"),
                      "x");
        const NetworkAssessment network = assessedOnM1(made.open());
        QCOMPARE(network.placements.size(), 2U);
        for (const Placement &placed : network.placements)
            QVERIFY(*placed.layer.flops > 0 && *placed.layer.outputBytes > 0);
    }

private:
    static Result<BundlePtr> MadeProgramOfOne()
    {
        MadeProgram made;
        made.function("main", "x", made.weight("w") + MadeProgram::linear("y", "w", "x"), "y");
        return made.open();
    }
};

KERNSCOPE_TEST(TestProgramTime, QCoreApplication)
#include "tst_program_time.moc"
