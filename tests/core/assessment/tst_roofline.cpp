// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"
#include "tests/test_program.h"

using namespace kernscope::roofline;

namespace {

const target::Target &targetNamed(const char *name)
{
    return *target::findTarget(name)->target;
}

/// A convolution of `channels` by `channels`, kernel k x k, over extent x extent.
Layer layerOf(std::uint64_t channels, std::uint64_t k, std::uint64_t extent)
{
    Layer layer;
    layer.name = "conv";
    layer.op = "conv";
    layer.form.elements = channels * channels * k * k;
    layer.form.storedBytes = layer.form.denseBytes = 2 * layer.form.elements;
    layer.form.use.kernel = true;
    layer.flops = 2 * layer.form.elements * extent * extent;
    layer.inputBytes = layer.outputBytes = 2 * channels * extent * extent;
    return layer;
}

Placement placed(const Layer &layer, const char *target, std::uint64_t batch = 1)
{
    decision::Judge judge;
    const auto roofs = roofsOf(targetNamed(target));
    auto result = place(layer, *roofs, judge, batch);
    if (!result)
        qFatal("not placed");
    return *result;
}

} // namespace

class TestRoofline : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The roofs have the working set of the geometry, with both figures where sources disagree.
    void workingSets()
    {
        const auto m2 = roofsOf(targetNamed("M2")), m5 = roofsOf(targetNamed("M5"));
        QVERIFY(m2 && m5);
        QCOMPARE(m2->workingSetBytes.value_or(0), 2097152.0);
        QVERIFY(m2->workingSetSource.find("contested") == std::string::npos);
        QCOMPARE(m5->workingSetBytes.value_or(0), 4.72e6);
        QVERIFY(m5->workingSetSource.find("contested") != std::string::npos);
        QVERIFY(m5->workingSetSource.find("2097152 bytes") != std::string::npos);
    }

    void ridges_data()
    {
        QTest::addColumn<double>("ridge");
        addRow("M1", 141.0);
        addRow("M5", 10.191e12 / 145e9);
        addRow("M6", 137.0);
    }
    void ridges()
    {
        QFETCH(double, ridge);
        const auto roofs = roofsOf(targetNamed(QTest::currentDataTag()));
        QVERIFY(roofs && roofs->ridge);
        QVERIFY2(std::abs(*roofs->ridge - ridge) < 0.5, qPrintable(QString::number(*roofs->ridge)));
        const bool another = roofs->ridgeSource.find("published of another") != std::string::npos;
        QCOMPARE(another, ridge < 100); // 424 is of standalone elementwise work
        QVERIFY(roofs->taken.count("weight_stream_bandwidth") == 1);
    }

    void chipsWithoutFiguresBorrowNone()
    {
        const auto roofs = roofsOf(targetNamed("H11"));
        QVERIFY(roofs && roofs->all.empty() && !roofs->ridge);
        const Placement point = placed(layerOf(64, 1, 8), "H11");
        QCOMPARE(point.stored().bound, Bound::Unknown);
        QVERIFY(!point.stored().timeS);
        QVERIFY(!roofsOf(targetNamed("H14"))->compute);
    }

    void aThreeByThreeAtTwoHundredFiftySixIsComputeBound()
    {
        const Placement point = placed(layerOf(256, 3, 128), "M1");
        QCOMPARE(point.stored().bound, Bound::Compute);
        QVERIFY(*point.stored().intensity > 141);
        QCOMPARE(*point.stored().attainable, 12e12);
        QVERIFY(point.aboveWorkingSet.value_or(false));
        QVERIFY(!point.above.empty()); // passes the slower measured roofs: flagged
    }

    void aRowTimesAMatrixIsBandwidthBound()
    {
        const Layer layer = layerOf(4096, 1, 1);
        const Placement point = placed(layer, "M1");
        QCOMPARE(point.stored().bound, Bound::Bandwidth);
        QVERIFY(*point.stored().intensity < 1.01);
        QCOMPARE(point.bestForm()->form, "palette4");
        QVERIFY(*point.bestForm()->timeS < *point.stored().timeS);
        // int8 folds on the M1: no gain there, but on the M5.
        for (const char *chip : {"M1", "M5"}) {
            const Placement on = placed(layer, chip);
            for (const Assessment &each : on.trail) {
                if (each.form == "int8")
                    QCOMPARE(each.weightBytes == layer.form.denseBytes, chip[1] == '1');
            }
        }
    }

    /// The floor belongs to the dispatch: the layers keep their own bounds and times.
    void theDispatchFloorIsTheProgrammes()
    {
        using ProgramBound = ProgramTime::Bound;
        const auto roofs = roofsOf(targetNamed("M1"));
        const std::vector<Placement> small{placed(layerOf(8, 1, 4), "M1"),
                                           placed(layerOf(256, 3, 32), "M1")};
        const ProgramTime waits = programTime(small, *roofs);
        QCOMPARE(waits.timeS.value_or(0), 0.23e-3);
        QCOMPARE(waits.bound, ProgramBound::Dispatch);
        QCOMPARE(*waits.engineTimeS, *small[0].stored().timeS + *small[1].stored().timeS);
        QCOMPARE(small[0].stored().bound, Bound::Bandwidth);
        QCOMPARE(small[1].stored().bound, Bound::Compute);
        const std::vector<Placement> large{placed(layerOf(8, 1, 4), "M1"),
                                           placed(layerOf(4096, 1, 1), "M1")};
        const ProgramTime works = programTime(large, *roofs);
        QCOMPARE(works.bound, ProgramBound::Engine);
        QVERIFY(*works.timeS > 0.23e-3 && works.timeS == works.engineTimeS);
        const ProgramTime none = programTime(std::span<const Placement>(), *roofs);
        QVERIFY(!none.timeS && !none.engineTimeS && none.bound == ProgramBound::Unknown);
    }

    /// Each function that is entered is a dispatch: of a pipeline all are made, of a model one is.
    void severalFunctionsAreSeveralDispatches()
    {
        using ProgramBound = ProgramTime::Bound;
        const auto roofs = roofsOf(targetNamed("M1"));
        const auto in = [](Layer layer, const char *model, const char *entry) {
            layer.model = model;
            layer.runs = {{entry}};
            return placed(layer, "M1");
        };
        const Layer small = layerOf(8, 1, 4), large = layerOf(4096, 1, 1);
        std::vector<Placement> layers{in(small, "", "decode"), in(large, "", "prefill"),
                                      in(small, "", "decode")};
        const ProgramTime one = programTime(layers, *roofs);
        QVERIFY(one.alternatives && one.dispatches.size() == 2);
        QVERIFY(!one.engineTimeS && !one.timeS && one.bound == ProgramBound::Unknown);
        QCOMPARE(one.dispatches[0].function, "decode");
        QCOMPARE(one.dispatches[0].layers, 2U);
        QCOMPARE(one.dispatches[0].bound, ProgramBound::Dispatch);
        QCOMPARE(one.dispatches[1].bound, ProgramBound::Engine);
        QCOMPARE(&dispatchOf(one, layers[1].layer.runs[0]), &one.dispatches[1]);
        layers[1].layer.model = "second";
        const ProgramTime both = programTime(layers, *roofs);
        QVERIFY(!both.alternatives);
        QCOMPARE(*both.dispatchFloorS, 2 * 0.23e-3);
        QCOMPARE(*both.timeS, 0.23e-3 + *both.dispatches[1].timeS);
        QVERIFY(both.bound == ProgramBound::Engine && !both.hidesGains());
        // Functions that one other calls, no backend named, are parts of its dispatch.
        for (Placement &each : layers) {
            each.layer.runs = {{"main"}};
            each.layer.model.clear();
        }
        QVERIFY(programTime(layers, *roofs).dispatches.empty());
    }

    void aProgramWithAnUnknownLayerHasNoTime()
    {
        using ProgramBound = ProgramTime::Bound;
        const auto roofs = roofsOf(targetNamed("M1"));
        Layer open = layerOf(64, 1, 8);
        open.flops.reset();
        open.outputBytes.reset();
        std::vector<Placement> layers{placed(open, "M1")};
        QVERIFY(!programTime(layers, *roofs).timeS);
        QCOMPARE(programTime(layers, *roofs).bound, ProgramBound::Unknown);
        layers.push_back(placed(layerOf(8, 1, 4), "M1"));
        const ProgramTime some = programTime(layers, *roofs);
        QVERIFY(!some.engineTimeS && some.timed == 1 && some.knownS > 0);
        QCOMPARE(some.bound, ProgramBound::Unknown);
        // What is known is past the floor already: more can only add.
        layers.push_back(placed(layerOf(4096, 1, 1), "M1"));
        QCOMPARE(programTime(layers, *roofs).bound, ProgramBound::Engine);
        QVERIFY(!programTime(layers, *roofs).timeS);
    }

    /// The M2 has no published compute ceiling: no batch makes it fast.
    void anUnknownCeilingIsNoLimitAtAll()
    {
        for (const std::uint64_t batch : {1U, 1000U}) {
            const Placement layer = placed(layerOf(1024, 1, 8), "M2", batch);
            const Assessment &point = layer.stored();
            QVERIFY(point.intensity && point.memoryS && !point.computeS);
            QVERIFY(!point.attainable && !point.timeS && !point.rate);
            QCOMPARE(point.bound, Bound::Unknown);
        }
        const Placement on = placed(layerOf(1024, 1, 8), "M2");
        QCOMPARE(on.bestForm()->form, "palette4"); // the fewest bytes all the same
        QVERIFY(on.openForms);
        // Bytes bind for certain below 30 FLOP/B: int8 at 18, not palette4 at 36.
        const Placement below = placed(layerOf(1024, 1, 3), "M2");
        QCOMPARE(below.bestForm()->form, "int8");
        QVERIFY(*below.bestForm()->timeS < *below.stored().timeS);
        QVERIFY(below.openForms && !placed(layerOf(1024, 1, 3), "M1").openForms);
    }

    void aGatherReadsSomeRows()
    {
        Layer layer = layerOf(1024, 1, 1);
        layer.flops = 0;
        layer.shareRead = 0.01;
        const Placement on = placed(layer, "M1");
        const Assessment &point = on.stored();
        QCOMPARE(*point.intensity, 0.0);
        QCOMPARE(*point.bytes, 0.01 * 2 * 1024 * 1024); // its output stays on chip
        QCOMPARE(point.bound, Bound::Bandwidth);
        QVERIFY(*placed(layer, "M1", 1000).stored().bytes < 2.1e6 + 4.1e6);
    }

    void theBatchMovesTheIntensity()
    {
        const Layer layer = layerOf(1024, 1, 1);
        double last = 0;
        for (const std::uint64_t batch : {1U, 4U, 16U, 64U, 256U}) {
            const double intensity = *placed(layer, "M1", batch).stored().intensity;
            QVERIFY(intensity > last);
            last = intensity;
        }
        decision::Judge judge;
        const auto roofs = roofsOf(targetNamed("M1"));
        QCOMPARE(QString::fromStdString(place(layer, *roofs, judge, 0).error().code),
                 u"roofline.batch"_s);
    }

    /// One rule, by kind of layer and kind of stream; a ceiling that was chosen stands for all.
    void eachKindOfLayerHasItsRoof()
    {
        const auto roofsOn = [](const char *chip, const char *op, std::uint64_t channels,
                                std::uint64_t k, const RoofChoice &choice = {}) {
            Layer layer = layerOf(channels, k, 8);
            layer.op = op;
            layer.operation.emplace();
            layer.operation->inputChannels = layer.operation->outputChannels = channels;
            layer.operation->kernelWidth = layer.operation->kernelHeight = k;
            layer.operation->outputWidth = layer.operation->outputHeight = 8;
            decision::Judge judge;
            return assess(layer, layer.form, *roofsOf(targetNamed(chip), choice), judge);
        };
        const auto computes = [](const Assessment &point) {
            return point.computeRoof->ceiling.value;
        };
        QCOMPARE(computes(roofsOn("M1", "conv", 512, 1)), 7e12);
        QCOMPARE(computes(roofsOn("M1", "conv", 512, 3)), 12e12);
        QCOMPARE(computes(roofsOn("M1", "linear", 512, 1)), 12e12);
        QCOMPARE(computes(roofsOn("M1", "matmul", 4096, 1)), 4.8e12);
        QCOMPARE(computes(roofsOn("M5", "conv", 512, 3)), 18.8e12);
        QCOMPARE(computes(roofsOn("M5", "linear", 512, 1)), 10.191e12);
        QCOMPARE(roofsOn("M5", "conv", 64, 3).weightRoof->ceiling.value, 145e9);
        const Assessment m1 = roofsOn("M1", "conv", 512, 1);
        QCOMPARE(m1.weightRoof->ceiling.value, 51e9);
        QCOMPARE(m1.weightRoof->confidence, format::Confidence::Contested); // 48 in chapter 25
        QVERIFY(roofsOn("M2", "conv", 512, 1).computeRoof == nullptr);
        const Assessment chosen =
            roofsOn("M1", "conv", 512, 1, {"single_conv_fp16_flops", "dram_bandwidth"});
        QCOMPARE(computes(chosen), 1.8e12);
        QCOMPARE(*chosen.memoryS, *chosen.bytes / 85e9);
    }

    /// Inputs and outputs cross where they are larger than the working set, and only then.
    void activationsWithinTheWorkingSetStayOnChip()
    {
        const Assessment small = placed(layerOf(64, 3, 128), "M1").stored(); // 2 MiB each
        QCOMPARE(*small.activationBytes, 0.0);
        QCOMPARE(*small.bytes, 2.0 * 64 * 64 * 9);
        const Assessment large = placed(layerOf(64, 3, 128), "M1", 2).stored();
        QCOMPARE(*large.activationBytes, 4.0 * 2 * 64 * 128 * 128);
        QCOMPARE(*large.memoryS, 2.0 * 64 * 64 * 9 / 51e9 + *large.activationBytes / 85e9);
    }

    /// A call of the M2: 0.129 ms and its bytes at 59.4 GB/s, at least 0.23 ms.
    void aCallOfTheM2()
    {
        const auto roofs = roofsOf(targetNamed("M2"));
        for (const std::uint64_t side : {1024U, 2048U, 4096U, 8192U}) {
            const std::vector<Placement> one{placed(layerOf(side, 1, 1), "M2")};
            const double bytes = 2.0 * double(side * side);
            QCOMPARE(one[0].stored().bound, Bound::Bandwidth);
            QCOMPARE(*one[0].stored().timeS, bytes / 59.4e9);
            QCOMPARE(*programTime(one, *roofs).timeS, std::max(0.23e-3, 0.129e-3 + bytes / 59.4e9));
        }
    }

    /// What the compiler refuses does not run: no times, no energy, and the program says why.
    void aRefusedWeightHasNoTime()
    {
        Layer layer = layerOf(64, 1, 8);
        layer.form.shape = {64, 64, 1, 1};
        layer.form.node = FormNode::Palette;
        layer.form.bits = 6;
        layer.form.storedBytes = 64 * 64 * 6 / 8 + 128;
        const std::vector<Placement> layers{placed(layer, "M1"), placed(layerOf(8, 1, 4), "M1")};
        const Assessment &refused = layers[0].stored();
        QCOMPARE(refused.outcome, decision::Outcome::Rejected);
        QVERIFY(!refused.timeS && !refused.computeS && !refused.memoryS && !refused.energy);
        QVERIFY(!refused.weightBytes && !refused.bytes && !refused.intensity && refused.flops);
        QVERIFY(layers[0].bestForm() && layers[0].bestForm()->timeS);
        const ProgramTime program = programTime(layers, *roofsOf(targetNamed("M1")));
        QVERIFY(!program.timeS && !program.engineTimeS && !program.energy);
        QCOMPARE(program.bound, ProgramTime::Bound::Unknown);
        QCOMPARE(program.refused, 1U);
        QVERIFY(program.notes.at(0).find("palette6: odd index width") != std::string::npos);
    }

    void sparseNeedsHalfZeros()
    {
        Layer layer = layerOf(512, 1, 1);
        layer.form.density = 0.37;
        const auto sparse = VERIFIED(asForm(layer.form, "sparse"));
        const double ratio = double(*sparse->storedBytes) / double(layer.form.denseBytes);
        QVERIFY(std::abs(ratio - 0.43) < 0.005);
        layer.form.density = 0.6;
        QVERIFY(!asForm(layer.form, "sparse"));
        layer.form.density.reset();
        QVERIFY(!asForm(layer.form, "sparse"));
        QVERIFY(!asForm(layer.form, "no such form"));
    }

    void ceilingsMayBeChosen()
    {
        const auto chosen = VERIFIED(roofsOf(targetNamed("M1"), {"single_conv_fp16_flops", ""}));
        QCOMPARE(chosen->compute->value, 1.8e12);
        for (const RoofChoice &wrong : {RoofChoice{"no_such", ""},
                                        {"dram_bandwidth", ""},
                                        {"", "peak_fp16_flops"},
                                        {"peak_int8_ops", ""}})
            QCOMPARE(QString::fromStdString(roofsOf(targetNamed("M1"), wrong).error().code),
                     u"roofline.ceiling"_s);
    }

    void unknownExtentsStayUnknown()
    {
        Layer layer = layerOf(64, 1, 8);
        QVERIFY(!placed(layer, "M1").estimated);
        layer.inputBytes.reset();
        layer.flops.reset();
        const Placement open = placed(layer, "M1");
        QVERIFY(open.estimated);
        QVERIFY(!open.aboveWorkingSet);
        for (const Assessment &point : open.trail) {
            QVERIFY(!point.flops && !point.bytes && !point.intensity && !point.attainable);
            QVERIFY(!point.timeS && !point.rate);
            QCOMPARE(point.bound, Bound::Unknown);
        }
        QCOMPARE(open.stored().weightBytes.value_or(0), std::uint64_t(2 * 64 * 64));
    }
};

KERNSCOPE_TEST(TestRoofline, QCoreApplication)
#include "tst_roofline.moc"
