// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/analysis/accuracy.h"
#include "core/codec/analysis/reduction.h"
#include "encoded.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

std::vector<std::uint16_t> halvesOf(const std::vector<float> &values)
{
    std::vector<std::uint16_t> halves;
    for (const float value : values)
        halves.push_back(floatToHalf(value));
    return halves;
}

/// What is left of sixteen ones among [+B, -B, +1] triples.
Reduction survivors(float b)
{
    std::vector<float> values;
    for (int i = 0; i < 16; ++i)
        values.insert(values.end(), {b, -b, 1.0f});
    return reduceProducts(halvesOf(values), halvesOf(std::vector<float>(values.size(), 1.0f)));
}

} // namespace

/// The engine's reduction, the error worked out with it, and the forms by name.
class TestAccuracy : public QObject
{
    Q_OBJECT

private slots:
    void measuredSums()
    {
        std::vector<float> values(1025, 1.0f);
        values[0] = 4096;
        const auto sum = reduceProducts(halvesOf(values), halvesOf(std::vector<float>(1025, 1.0f)));
        QCOMPARE(halfToFloat(sum.port), 5116.0f);
        // Sixteen ones beside a partial sum of 8192 survive: the accumulator is wide.
        std::vector<float> wide(4 * 17, 0.0f);
        wide[0] = 8192;
        for (std::size_t i = 1; i <= 16; ++i)
            wide[4 * i] = 1;
        QCOMPARE(reduceProducts(halvesOf(wide), halvesOf(std::vector<float>(68, 1.0f))).accumulator,
                 8208.0f);
    }

    void tracedStepByStep()
    {
        const auto values =
            VERIFIED(parseReductionValues(std::vector<std::string>{"4096", "1*1024"}));
        QCOMPARE(values->size(), std::size_t(1025));
        const ReductionTrace trace = traceReduction(*values);
        QCOMPARE(trace.tiles.size(), std::size_t(257));
        QCOMPARE(trace.tiles.back().accumulator, trace.whole.accumulator);
        QCOMPARE(trace.tiles.back().exact, 5120.0);
        QCOMPARE(trace.exact, 5120.0);
        QCOMPARE(trace.everyStep, 4096.0f); // an fp16 accumulator never gets past it
        QCOMPARE(halfToFloat(trace.whole.port), 5116.0f);
        for (const char *bad : {"", "x", "1*0", "1*-2", "1*2*3", "1*1048577"}) {
            const auto refused = parseReductionValues(std::vector<std::string>{bad});
            QVERIFY2(!refused, bad);
            QCOMPARE(refused.error().code, "reduction.value");
        }
        QVERIFY(traceReduction({}).tiles.empty());
    }

    void survivorsOfTheTriples()
    {
        for (int b = 1; b < 2048; ++b) {
            QCOMPARE(halfToFloat(survivors(static_cast<float>(b)).port), 16.0f);
            QVERIFY(!survivors(static_cast<float>(b)).isContested() || b == 2047);
        }
        for (const float b : {4096.0f, 5000.0f, 8192.0f, 10000.0f, 30000.0f, 65504.0f}) {
            QCOMPARE(halfToFloat(survivors(b).port), 4.0f);
            QVERIFY(!survivors(b).isContested());
        }
        // The text has sixteen; the model 4 to 28, and says so.
        float least = 100;
        float most = 0;
        for (int b = 2048; b < 4096; ++b) {
            const Reduction sum = survivors(static_cast<float>(b));
            QVERIFY(sum.isContested() || b == 4095); // which is 4096 in fp16
            least = std::min(least, halfToFloat(sum.port));
            most = std::max(most, halfToFloat(sum.port));
        }
        QCOMPARE(least, 4.0f);
        QCOMPARE(most, 28.0f);
    }

    /// The second reading gives what chapter 20 prints for every B that fp16 has, in both orders.
    void alignedReading()
    {
        const auto traceOf = [](float b, bool oneLast) {
            std::vector<float> values;
            for (int i = 0; i < 16; ++i) {
                if (oneLast)
                    values.insert(values.end(), {b, -b, 1.0f});
                else
                    values.insert(values.end(), {b, 1.0f, -b});
            }
            return traceReduction(halvesOf(values));
        };
        for (int code = 0x0001; code < 0x7c00; code += 3) {
            const float b = halfToFloat(static_cast<std::uint16_t>(code));
            for (const bool oneLast : {true, false}) {
                const ReductionTrace trace = traceOf(b, oneLast);
                QCOMPARE(halfToFloat(trace.aligned.port), b < 4096 ? 16.0f : 4.0f);
                QCOMPARE(trace.tiles.back().alignedAccumulator, trace.aligned.accumulator);
                // Of whole numbers the readings differ in the contested range only.
                if (trace.readingsDiffer() && b >= 1 && b == std::floor(b))
                    QVERIFY(trace.whole.isContested());
            }
        }
        QVERIFY(traceOf(2600, true).readingsDiffer());
        std::vector<float> values(1025, 1.0f);
        values[0] = 4096;
        QCOMPARE(halfToFloat(traceReduction(halvesOf(values)).aligned.port), 5116.0f);
        values.assign(17, 1.0f);
        values[0] = 8192;
        QCOMPARE(halfToFloat(traceReduction(halvesOf(values)).aligned.port), 8208.0f);
        const float infinite = std::numeric_limits<float>::infinity();
        QCOMPARE(traceReduction(halvesOf({1.0f, infinite, 2.0f})).aligned.accumulator, infinite);
    }

    void errorOfForms()
    {
        const Shape shape{32, 48, 3};
        const auto weights = gaussian(32 * 48 * 3);
        const auto errorOf = [&](const FormSpec &form) {
            const auto error = accuracyError(form, weights, shape, layerOf(shape));
            return error ? *error : AccuracyError{};
        };
        FormSpec dense;
        FormSpec eight;
        eight.node = FormNode::Affine;
        FormSpec four;
        four.node = FormNode::Palette;
        FormSpec two = four;
        two.palette.bits = 2;
        const auto d = errorOf(dense);
        const auto e = errorOf(eight);
        const auto f = errorOf(four);
        const auto t = errorOf(two);
        QCOMPARE(d.outputs, std::uint64_t{32 * 8});
        QCOMPARE(d.outputRelative, d.denseRelative);
        QVERIFY(d.outputRelative > 0 && d.outputRelative < 0.002);
        QVERIFY(d.weightRelative < e.weightRelative && e.weightRelative < f.weightRelative &&
                f.weightRelative < t.weightRelative);
        QVERIFY(e.outputRelative < f.outputRelative && f.outputRelative < t.outputRelative);
        QVERIFY(std::abs(f.outputRelative / f.weightRelative - 1) < 0.2); // random inputs
        QVERIFY(t.weightMaxAbs >= t.weightRmse);
        // The same twice over.
        QCOMPARE(errorOf(four).outputRmse, f.outputRmse);
        QCOMPARE(accuracyError(four, weights, shape, {31, 144}).error().code, "codec.shape");
        const auto empty = accuracyError(dense, {}, {0, 4}, layerOf(Shape{0, 4}));
        QVERIFY(empty && empty->outputs == 0);
    }

    /// The figures of the weights are of all of them; those of the outputs of at most 64 channels.
    void everyWeightCounts()
    {
        std::vector<float> weights(200 * 4, 0.25f);
        weights[199 * 4] = 100; // of a channel that is not picked
        FormSpec palette;
        palette.node = FormNode::Palette;
        palette.palette.bits = 1;
        palette.palette.groups = 1;
        const auto encoded = VERIFIED(encodeForm(weights, {200, 4}, palette));
        auto off = weights;
        off[199 * 4] = 90;
        const auto stored = Decoder::make(encoded->encoding());
        const auto error = VERIFIED(accuracyError(*stored, off, layerOf(Shape{200, 4})));
        QCOMPARE(error->weightMaxAbs, 10.0);
        QCOMPARE(error->outputs, std::uint64_t{64 * 8});
        AccuracyOptions outputsAlone;
        outputsAlone.weightFigures = false;
        QCOMPARE(accuracyError(*stored, off, layerOf(Shape{200, 4}), outputsAlone)->weightMaxAbs,
                 0.0);
    }

    void overflowIsCounted()
    {
        const std::vector<float> weights(4 * 4096, 60000.0f);
        const auto error = accuracyError(FormSpec{}, weights, {4, 4096}, {4, 4096});
        QVERIFY(error && error->nonFinite > 0 && std::isfinite(error->outputRmse));
    }

    void formsByName()
    {
        FormSpec spec;
        QCOMPARE(describe(spec), "dense fp16");
        spec.node = FormNode::Palette;
        spec.palette = {6, 4, 2, ElementType::Int8};
        QCOMPARE(describe(spec), "palette 6 bit, 4 codebooks, vectors of 2, int8 entries");
        spec.node = FormNode::Sparse;
        QCOMPARE(describe(spec), "sparse, every non-zero");
        spec.pattern = SparsePattern{2, 4, 1};
        QCOMPARE(describe(spec), "sparse 2:4 along axis 1");
        const auto weights = gaussian(8 * 16);
        for (const FormNode node : {FormNode::Dense, FormNode::Affine, FormNode::Palette,
                                    FormNode::Sparse, FormNode::Blockwise}) {
            FormSpec each;
            each.node = node;
            each.blockwise.block = 8;
            QVERIFY(encodeForm(weights, {8, 16}, each));
            QVERIFY(!describe(each).empty());
        }
        for (const FormNode node :
             {FormNode::Microscaled, FormNode::ActivationTable, FormNode::Unknown}) {
            FormSpec none;
            none.node = node;
            const Error refused = REFUSED(encodeForm(weights, {8, 16}, none));
            QCOMPARE(refused.code, "encode.form");
        }
    }
};

KERNSCOPE_TEST(TestAccuracy, kernscope::test::NoApplication)
#include "tst_accuracy.moc"
