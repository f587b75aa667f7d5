// SPDX-License-Identifier: GPL-3.0-or-later
// The one answer: outcomes that no table overrides, measured figures under their conditions, and
// changes that really help.
#include "core/assessment/calibrate.h"
#include "tests/test_program.h"

using namespace kernscope::decision;
using namespace kernscope::roofline;

namespace {

const target::Target &named(const char *name)
{
    return *target::findTarget(name)->target;
}

/// A dense layer of `channels` squared, kernel k x k over extent x extent.
Layer layer(const char *op, std::uint64_t channels, std::uint64_t k, std::uint64_t extent)
{
    Layer made;
    made.name = made.op = op;
    made.form.shape = {channels, channels, k, k};
    made.form.elements = channels * channels * k * k;
    made.form.storedBytes = made.form.denseBytes = 2 * made.form.elements;
    made.form.use = {true, false, std::nullopt, true, true};
    made.flops = 2 * made.form.elements * extent * extent;
    made.inputBytes = made.outputBytes = 2 * channels * extent * extent;
    LayerOperation operation;
    operation.inputChannels = operation.outputChannels = channels;
    operation.kernelWidth = operation.kernelHeight = k;
    operation.outputWidth = operation.outputHeight = extent;
    made.operation = operation;
    return made;
}

Assessment assessed(const Layer &on, const WeightForm &form, const char *target)
{
    Judge judge;
    return assess(on, form, *roofsOf(named(target)), judge);
}

WeightForm as(const Layer &on, const char *key, double density = 0.37)
{
    WeightForm form = on.form;
    form.density = density;
    const auto other = asForm(form, key);
    return other ? *other : form;
}

WeightForm microscaled(const Layer &on)
{
    WeightForm form = as(on, "blockwise");
    form.node = FormNode::Microscaled;
    form.element = ElementType::Fp8E4M3Fn;
    return form;
}

Outcome outcome(const WeightForm &form, const char *target)
{
    Judge judge;
    return judge.decide(form, named(target)).outcome();
}

std::string change(const WeightForm &form, const char *target)
{
    Judge judge;
    return judge.verdict(form, named(target))->nearestChange;
}

} // namespace

class TestAssess : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Table 7.1 speaks of plain forms: blocks of E4M3 and grouped palettes go by their gates.
    void tablesSpeakOfTheFormThatTheyAreAbout()
    {
        const Layer on = layer("conv", 1024, 1, 1);
        QCOMPARE(outcome(as(on, "blockwise"), "M5"), Outcome::Streams);
        QCOMPARE(outcome(microscaled(on), "M5"), Outcome::Rejected); // 0x52d is 0
        QCOMPARE(outcome(microscaled(on), "M1"), Outcome::Rejected); // and E4M3 cannot fold
        bool asked = false;
        const Assessment blocks = assessed(on, microscaled(on), "M5");
        for (const Reason &reason : blocks.decision.verdict->reasons)
            asked |=
                reason.offset && reason.offset->value == 0x52d && !reason.passes.value_or(true);
        QVERIFY(asked);
        QVERIFY(!assessed(on, microscaled(on), "M5").speedup);
        WeightForm grouped = as(on, "palette4");
        QCOMPARE(outcome(grouped, "M1"), Outcome::Streams);
        grouped.codebooks = 8;
        const Assessment refused = assessed(on, grouped, "M1");
        QCOMPARE(refused.outcome, Outcome::Rejected);
        QCOMPARE(refused.decision.verdict->refusedBy, "codebooks");
        QVERIFY(!refused.speedup);
        QCOMPARE(outcome(grouped, "M3"), Outcome::Streams);
    }

    /// A change is named where it saves bytes of a kernel of the engine, and nowhere else: not for
    /// a bias, not for what another backend reads, not for a weight smaller than a codebook.
    void nearestChangeIsOfUse()
    {
        const Layer on = layer("conv", 1024, 1, 1);
        const WeightForm dense = as(on, "dense", 1);
        Judge judge; // one for all: what it keeps is of the very form
        const auto of = [&](const WeightForm &form) {
            return judge.verdict(form, named("M1"))->nearestChange;
        };
        QVERIFY(of(dense).starts_with("It streams on H13 stored as a palette of 4-bit"));
        WeightForm other = dense;
        other.use.kernel = false;
        QCOMPARE(of(other), of(dense)); // a table that rows are fetched from, as `choose` has it
        WeightForm grouped = as(on, "palette4");
        grouped.codebooks = 8;
        grouped.use.kernel = false; // refused as it is: what is to be done is said
        QCOMPARE(judge.verdict(grouped, named("M1"))->outcome, Outcome::Rejected);
        QVERIFY2(of(grouped).starts_with("It streams on H13 with one codebook"),
                 of(grouped).c_str());
        WeightForm bias = other;
        bias.use.bias = true;
        QVERIFY2(of(bias).starts_with("A bias is always dense: it is"), of(bias).c_str());
        WeightForm added = other;
        added.use.layer = false;
        QVERIFY2(of(added).starts_with("No change is known: the gates apply to kernels"),
                 of(added).c_str());
        WeightForm elsewhere = dense;
        elsewhere.use.elsewhere = true;
        QVERIFY2(of(elsewhere).starts_with("What reads the weight runs on another backend"),
                 of(elsewhere).c_str());
        WeightForm small = dense;
        small.shape = {16, 1, 1, 1};
        small.elements = 16;
        small.denseBytes = 32; // a 4-bit codebook alone has as many
        QCOMPARE(of(small), "It streams on H13 stored as a mask and its values "
                            "(sparse), pruned to at least half zeros.");
        small.shape = {1, 1, 1, 1};
        small.elements = 1;
        small.denseBytes = 2;
        QVERIFY2(
            of(small).starts_with("No change saves anything: in every form that streams on H13"),
            of(small).c_str());
        QVERIFY(of(dense).starts_with("It streams on H13 stored as a palette of 4-bit"));
    }

    void unconfirmedFloorsSaySo()
    {
        const Layer on = layer("conv", 1024, 1, 1);
        const Assessment blocks = assessed(on, as(on, "blockwise"), "M3");
        QCOMPARE(blocks.outcome, Outcome::Streams);
        QVERIFY(blocks.decision.verdict->note.find("not confirmed on silicon") !=
                std::string::npos);
        QVERIFY(!blocks.speedup);
    }

    void measuredFiguresCarryTheirConditions()
    {
        // 2.37 on a bandwidth-bound 1x1 convolution, and only there.
        const Layer thin = layer("conv", 1024, 1, 2);
        const Assessment streams = assessed(thin, as(thin, "palette4"), "M1");
        QVERIFY(streams.speedup && streams.speedup->low == 2.37 && streams.speedup->high == 2.37);
        QCOMPARE(streams.speedup->confidence, format::Confidence::Verified);
        QVERIFY(streams.predictedSpeedup && *streams.predictedSpeedup > 1);
        const Layer busy = layer("conv", 1024, 1, 64);
        const Assessment computes = assessed(busy, as(busy, "palette4"), "M1");
        QCOMPARE(computes.bound, Bound::Compute);
        QVERIFY(!computes.speedup && !computes.measured.empty());
        QCOMPARE(computes.measured[0].holds(), std::optional(false));
        const Layer wide = layer("conv", 512, 3, 1);
        QVERIFY(!assessed(wide, as(wide, "palette4"), "M1").speedup); // 3x3
        // Sparse at 63 percent zeros; at 1.3 percent it is larger than dense.
        QVERIFY(assessed(thin, as(thin, "sparse", 0.37), "M1").speedup);
        WeightForm full = as(thin, "sparse", 0.37);
        full.density = 0.987;
        full.storedBytes = 2 * full.elements + full.elements / 8;
        QVERIFY(!assessed(thin, full, "M1").speedup);
        QVERIFY(*assessed(thin, full, "M1").predictedSpeedup < 1);
    }

    /// Sparse weights are held against the same values stored dense, and apart from that against
    /// dense weights without zeros. Where no chip was measured to skip zeros, both are one.
    void predictedAgainstTwoKindsOfDense()
    {
        const Layer wide = layer("conv", 2048, 1, 64); // compute bound
        const auto thin = as(wide, "sparse", 0.25);
        const Assessment m6 = assessed(wide, thin, "M6"), m1 = assessed(wide, thin, "M1");
        QCOMPARE(m6.bound, Bound::Compute);
        QCOMPARE(m6.predictedSpeedup.value_or(0), 1.0); // stored dense, its zeros are skipped too
        QVERIFY(std::abs(m6.predictedOverUnpruned.value_or(0) - 1 / (0.29 + 0.71 * 0.25)) < 1e-9);
        QVERIFY(m1.predictedSpeedup && m1.predictedSpeedup == m1.predictedOverUnpruned);
        QCOMPARE(m1.predictedSpeedup.value_or(0), 1.0);
        const Assessment palette = assessed(wide, as(wide, "palette4", 1), "M6");
        QCOMPARE(palette.predictedSpeedup, palette.predictedOverUnpruned);
    }

    /// A palette that streams takes longer than its bytes do, where that was measured.
    void palettesStreamSlower()
    {
        const Layer thin = layer("conv", 1024, 1, 2);
        const auto speed = [&thin](const char *key, const char *chip) {
            return assessed(thin, as(thin, key), chip).predictedSpeedup.value_or(0);
        };
        QVERIFY(speed("palette4", "M6") < 0.85 * speed("palette4", "M4 Pro"));
        const auto ratio = speed("int8", "M6") / speed("int8", "M4 Pro"); // no cost of int8's
        QVERIFY(std::abs(ratio - 1) < 0.1);
        const Layer wide = layer("conv", 512, 1, 64); // compute bound: its bytes do not matter
        const auto time = [&wide](const char *key) {
            return assessed(wide, as(wide, key, 1), "M6").timeS;
        };
        QVERIFY(time("palette4") && *time("palette4") > 0);
        QCOMPARE(time("palette4"), time("dense"));
    }

    /// A form that was measured on a chip is refused by no rule there, whatever layer reads it;
    /// what the chip's compiler refuses is refused to encoders as well.
    void measurementsOverrideRules()
    {
        const Layer thin = layer("conv", 2048, 1, 4);
        WeightForm narrow = as(thin, "palette4");
        narrow.bits = 2;
        QCOMPARE(outcome(narrow, "M6"), Outcome::Streams);
        QVERIFY(!encoderRefusal(narrow, named("M6")));
        QCOMPARE(outcome(narrow, "M5"), Outcome::Rejected);
        QVERIFY(encoderRefusal(narrow, named("M5")));
        narrow.use.unitStride = false;
        QCOMPARE(outcome(narrow, "M6"), Outcome::Folds);
        WeightForm vectors = as(thin, "palette4"), blocks = as(thin, "blockwise");
        vectors.vectorSize = 2;
        blocks.bits = 4;
        blocks.element = ElementType::Int4;
        for (WeightForm *form : {&vectors, &blocks}) {
            for (const bool unit : {true, false}) {
                form->use.unitStride = unit;
                QCOMPARE(outcome(*form, "M6"), Outcome::Rejected);
            }
            const auto rule = encoderRefusal(*form, named("M6"));
            QVERIFY(rule && rule->gate == "compiler");
            QVERIFY(!assessed(thin, *form, "M6").predictedSpeedup);
        }
    }

    /// While the engine waits it draws the floor of its rail; where that is not known, no more than
    /// when it works: nothing less bounds the energy of a dispatch.
    void energyOfADispatch()
    {
        const double engine = 1e-6, whole = 1e-4;
        const auto first = programEnergy(named("M1"), engine, whole);
        QVERIFY(first && first->lowJ && first->highJ);
        QCOMPARE(*first->lowJ, 0.81 * whole);
        QCOMPARE(*first->highJ, 4.7 * engine + 0.81 * (whole - engine));
        const auto later = programEnergy(named("M6"), engine, whole);
        QVERIFY(later && !later->lowJ && later->highJ);
        QCOMPARE(*later->highJ, 6.2 * whole);
    }

    /// The rate of Winograd stands where it was measured, and zeros turn it off.
    void winogradWhereItWasMeasured()
    {
        const Layer wide = layer("conv", 512, 3, 16);
        const auto dense = assessed(wide, as(wide, "dense", 1), "M6");
        QCOMPARE(dense.computeRoof->ceiling.name, "winograd_3x3_fp16_flops");
        QCOMPARE(*dense.computeS, *dense.flops / 31.0e12);
        QVERIFY(assessed(wide, as(wide, "sparse", 0.5), "M6").computeRoof->isOfAll());
        QVERIFY(assessed(wide, as(wide, "dense", 1), "M4 Pro").computeRoof->isOfAll());
        Layer strided = wide, unknown = wide;
        strided.operation->strideX = 2;
        unknown.operation.reset();
        for (const Layer &other : {layer("conv", 512, 1, 16), layer("conv", 64, 3, 16),
                                   layer("conv", 512, 3, 64), strided, unknown})
            QVERIFY(assessed(other, as(other, "dense", 1), "M6").computeRoof->isOfAll());
        // Each with parameters that leave its own row out.
        int rows = 0;
        for (const CalibrationRow &row : calibrate(target::findTarget("M6")->target)) {
            if (row.unit != "ratio" || row.condition.find("3x3, 512 channels, 16x16") != 0)
                continue;
            QVERIFY2(row.within().value_or(false), row.form.c_str());
            QVERIFY(row.fittedOn.find("leaving " + row.form + " out") != std::string::npos);
            ++rows;
        }
        QCOMPARE(rows, 3);
    }

    /// What calibrate predicts is what is said of that very layer, and nothing else.
    void calibrateAsksTheAssessment()
    {
        const Layer thin = layer("conv", 4096, 1, 1);
        const auto predicted = [](const char *chip, const char *form, const char *measurement) {
            for (const CalibrationRow &row : calibrate(&named(chip))) {
                if (row.form == form && row.measurement == measurement)
                    return row;
            }
            return CalibrationRow();
        };
        const auto palette = predicted("M1", "palette4", "speedup_vs_fp16");
        QCOMPARE(palette.unit, "speedup");
        QCOMPARE(palette.low, 2.37); // not its reciprocal
        QCOMPARE(*palette.predicted, *assessed(thin, as(thin, "palette4"), "M1").predictedSpeedup);
        QVERIFY(std::abs(*palette.predicted - 1.97) < 0.02);
        const auto sparse = predicted("M1", "sparse", "speedup_vs_dense");
        QCOMPARE(*sparse.predicted, *assessed(thin, as(thin, "sparse"), "M1").predictedSpeedup);
        QVERIFY(std::abs(*sparse.predicted - 1.78) < 0.01);
        // Forms that fold take as long, as predicted: they say nothing of the model.
        const auto int8 = predicted("M1", "int8", "speedup_vs_fp16");
        QVERIFY(int8.isTrivial() && !int8.counts() && int8.within().value_or(false));
        for (const CalibrationRow &row : calibrate(&named("M2"))) {
            QVERIFY2(row.within().value_or(false), row.condition.c_str());
            QCOMPARE(row.own, row.source == "engine guide ch.10");
        }
        // A second pass over channel groups costs as much as a full one.
        const auto step = predicted("M1", "dense", "conv1x1 256 channels");
        QVERIFY(std::abs(*step.predicted - 53.3e-6) < 0.1e-6 && step.within().value_or(false));
        Layer wide = layer("conv", 256, 1, 32);
        QCOMPARE(*step.predicted, *assessed(wide, as(wide, "dense", 1), "M1").timeS);
    }

    /// The ratio of a layer leaves out what a call takes beside it; that of a call, where the law
    /// is known, is the one that calibrate holds against the measurement.
    void aCallAndItsLayer()
    {
        const Layer on = layer("matmul", 4096, 1, 1);
        const Assessment dense = assessed(on, as(on, "dense", 1), "M2");
        const Assessment int8 = assessed(on, as(on, "int8"), "M2");
        QVERIFY(int8.callS && dense.callS && int8.predictedCallSpeedup);
        QCOMPARE(*int8.callS, 0.129e-3 + *int8.timeS);
        QCOMPARE(*int8.predictedCallSpeedup, *dense.callS / *int8.callS);
        QVERIFY(*int8.predictedSpeedup > 1.9 && *int8.predictedCallSpeedup < 1.7);
        int rows = 0;
        for (const CalibrationRow &row : calibrate(&named("M2"))) {
            if (row.form != "int8" || row.condition.find("width 4096") == std::string::npos)
                continue;
            ++rows;
            QVERIFY(std::abs(*row.predicted * *int8.predictedCallSpeedup - 1) < 1e-9 ||
                    row.unit == "s");
        }
        QVERIFY(rows > 0);
        // A small layer waits for the floor, whatever its form.
        const Layer small = layer("matmul", 1024, 1, 1);
        QCOMPARE(assessed(small, as(small, "int8"), "M2").callS.value_or(0), 0.23e-3);
        QCOMPARE(assessed(small, as(small, "int8"), "M2").predictedCallSpeedup.value_or(0), 1.0);
        // Where the law is not known there is none.
        const Assessment m1 = assessed(on, as(on, "palette4"), "M1");
        QVERIFY(m1.predictedSpeedup && !m1.callS && !m1.predictedCallSpeedup);
    }

    void figuresOfDifferentWidthsAreNotMerged()
    {
        const Layer narrow = layer("linear", 2048, 1, 1), broad = layer("matmul", 8192, 1, 1);
        const auto low = assessed(narrow, as(narrow, "int8"), "M2");
        const auto high = assessed(broad, as(broad, "int8"), "M2");
        QVERIFY(low.speedup && high.speedup);
        QVERIFY(low.speedup->high < 1.2); // 0.87 of the time, not the contested 0.85
        QVERIFY(high.speedup->low > 1.9); // 0.52
        int contested = 0;
        for (const Measurement &each : low.measured)
            contested += each.confidence == format::Confidence::Contested ? 1 : 0;
        QCOMPARE(contested, 1);
        const Layer folded = layer("conv", 1024, 1, 1);
        const auto m1 = assessed(folded, as(folded, "int8"), "M1");
        QVERIFY(m1.speedup && m1.speedup->high == 1.0);
    }

    void withoutALayerConditionsAreOpen()
    {
        Layer none;
        none.shareRead.reset();
        const Layer on = layer("conv", 1024, 1, 1);
        const Assessment open = assessed(none, as(on, "palette4"), "M1");
        QVERIFY(open.speedup && !open.timeS);
        QCOMPARE(open.speedup->confidence, format::Confidence::Assumed);
        QVERIFY(!open.measured[0].holds());
        // Its shape is known all the same: what was measured of 1x1 kernels is not of a 3x3 one.
        WeightForm kernel = as(on, "palette4");
        kernel.shape = {96, 96, 1, 3, 3};
        QVERIFY(!assessed(none, kernel, "M1").speedup);
    }

    /// What is named flips the outcome, and no smaller set does.
    void theNearestChangeHelps()
    {
        const Layer on = layer("conv", 1024, 1, 1);
        const std::string int8 = change(as(on, "int8"), "M1");
        QVERIFY2(int8.starts_with("It streams on H13 stored as a palette of 4-bit indices"),
                 int8.c_str());
        QVERIFY(int8.find("stride") == std::string::npos);
        WeightForm palette = as(on, "palette4");
        palette.codebooks = 4;
        QVERIFY(change(palette, "M1").starts_with("It streams on H13 with one codebook"));
        palette.bits = 6;
        const std::string two = change(palette, "M1");
        QVERIFY2(two.find("another") == std::string::npos && !two.empty(), two.c_str());
        WeightForm strided = as(on, "int8");
        strided.use.unitStride = false;
        QVERIFY(change(strided, "M1").starts_with("No change of form"));
        QVERIFY(change(as(on, "palette4"), "M1").starts_with("None is needed"));
        WeightForm asymmetric = as(on, "int8");
        asymmetric.zeroPoint = true;
        QVERIFY(change(asymmetric, "M1").find("stored as a palette") != std::string::npos);
        QVERIFY(change(as(on, "int8"), "H11").starts_with("No change is known"));
    }

    void encodersRefuseByTheirRule()
    {
        const Layer on = layer("conv", 64, 1, 1);
        WeightForm six = as(on, "palette4");
        six.bits = 6;
        QCOMPARE(encoderRefusal(six, named("M1"))->gate, "odd index width");
        QVERIFY(!encoderRefusal(six, named("M2")));
        QVERIFY(!encoderRefusal(as(on, "int8"), named("M1"))); // folds, and is legal
        six.use.unitStride = false;
        QVERIFY(!encoderRefusal(six, named("M2"))); // the use is nothing to an encoder
        WeightForm packed = as(on, "palette4");
        packed.masked = true;
        const auto refusal = encoderRefusal(packed, named("M1"));
        QVERIFY(refusal && refusal->required.find("0x424") != std::string::npos);
    }

    void familyRulesAreRows()
    {
        QCOMPARE(target::defaultTarget().name, "H13");
        QCOMPARE(target::comparedTarget().name, "H17s");
        QCOMPARE(target::encoderVersion(named("H13g")).value_or(0), 5U);
        QCOMPARE(target::encoderVersion(named("M2")).value_or(0), 11U);
        QCOMPARE(target::sharesKernelMemory(named("M1")), std::optional(false));
        QCOMPARE(target::sharesKernelMemory(named("M5")), std::optional(true));
        QVERIFY(!target::sharesKernelMemory(named("U1")));
        for (const target::TargetRule &rule : target::targetRules())
            QVERIFY(!rule.source.empty());
    }
};

KERNSCOPE_TEST(TestAssess, QCoreApplication)
#include "tst_assess.moc"
