// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/analysis/accuracy.h"
#include "core/codec/analysis/reduction.h"
#include "core/codec/encode/form_encoder.h"
#include "core/numeric/convert.h"
#include "encoded.h"

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

Result<AccuracyError> errorAfter(const FormSpec &form, std::span<const float> weights,
                                 const Shape &shape, const LayerShape &layer)
{
    const auto encoded = TRY(encodeForm(weights, shape, form));
    const auto decoder = TRY(Decoder::make(encoded.encoding()));
    return accuracyError(decoder, weights, layer);
}

} // namespace

/// The engine's reduction, the error worked out with it, and the forms by name.
class TestEncoder : public QObject
{
    Q_OBJECT

private slots:
    /// What messages offer as a name is one, and prints as itself.
    void namesOfForms()
    {
        for (const FormEncoder *encoder : formEncoders()) {
            QCOMPARE(formEncoder(encoder->node), encoder);
            QCOMPARE(formEncoderOfWord(encoder->word), encoder);
            const auto examples =
                QString::fromUtf8(encoder->examples.data(), qsizetype(encoder->examples.size()))
                    .split(u", "_s);
            for (const QString &example : examples) {
                const std::string name = example.toStdString();
                QCOMPARE(formEncoderOfName(name), encoder);
                FormSpec spec;
                spec.node = encoder->node;
                QVERIFY2(encoder->read(name, {0, 1}, spec), name.c_str());
                QCOMPARE(encoder->name(spec), name);
                QVERIFY(!encoder->describe(spec).empty());
            }
        }
        QCOMPARE(encoderWords(), "dense, affine, palette, sparse or blockwise");
        QCOMPARE(survivorWordList(), (std::vector<std::string>{"plain", "palette", "blockwise"}));
        QVERIFY(formEncoder(FormNode::Microscaled) == nullptr);
        QVERIFY(formEncoderOfName("keep") == nullptr);
    }

    void dense()
    {
        const auto values = gaussian(240);
        for (const ElementType type :
             {ElementType::Fp16, ElementType::Fp32, ElementType::Bf16, ElementType::Fp8E4M3Fn,
              ElementType::Fp8E5M2, ElementType::Int8, ElementType::Uint4, ElementType::Int4}) {
            const auto weight = VERIFIED(encodeDense(values, {4, 60}, type));
            const auto decoded = decodeAll(*weight);
            QCOMPARE(decoded.size(), values.size());
            const auto again = encodeDense(decoded, {4, 60}, type);
            QCOMPARE(again->parts[0].bytes, weight->parts[0].bytes);
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (type == ElementType::Fp16)
                    QCOMPARE(decoded[i], toHalf(values[i]));
                else if (type == ElementType::Fp32)
                    QCOMPARE(decoded[i], values[i]);
                else if (!isFloatingPoint(type))
                    QCOMPARE(decoded[i], isUnsignedInteger(type)
                                             ? std::max(0.0f, std::nearbyint(values[i]))
                                             : std::nearbyint(values[i]));
            }
        }
    }

    /// Results so large that they lie in large pages hold every element once, in its place.
    void largeResults()
    {
        constexpr std::uint64_t kColumns = 4099, kRows = 2100; // no part of the work ends with them
        const Shape shape{kRows, kColumns};
        auto values = gaussian(kColumns);
        values.resize(kRows * kColumns);
        for (std::size_t i = kColumns; i < values.size(); ++i)
            values[i] = values[i - kColumns] * 0.999f;
        for (const ElementType type : {ElementType::Fp16, ElementType::Fp32}) {
            const auto dense = VERIFIED(encodeDense(values, shape, type));
            QVERIFY(dense->parts[0].shape == shape);
            QCOMPARE(dense->parts[0].bytes.size(), values.size() * bitWidth(type) / 8);
            const auto decoded = decodeAll(*dense);
            for (std::size_t i = 0; i < values.size(); ++i)
                QVERIFY(decoded[i] == (type == ElementType::Fp16 ? toHalf(values[i]) : values[i]));
        }
        const auto sparse = encodeSparse(values, shape, 0.001f);
        QVERIFY(sparse && sparse->parts[1].bytes.size() > std::size_t{8} << 20);
        const auto kept = decodeAll(*sparse);
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY(kept[i] == (std::abs(values[i]) < 0.001f ? 0.0f : toHalf(values[i])));
        const auto affine = VERIFIED(encodeAffine(values, shape, {}));
        QCOMPARE(affine->parts[0].bytes.size(), values.size());
        const auto row = encodeAffine(std::span(values).last(kColumns), {1, kColumns}, {});
        QVERIFY(std::equal(row->parts[0].bytes.begin(), row->parts[0].bytes.end(),
                           affine->parts[0].bytes.end() - kColumns));
    }

    void affine_data()
    {
        addColumns<bool, int, bool>();
        for (const bool isSigned : {true, false})
            for (const int axis : {-1, 0, 1, 2})
                for (const bool symmetric : {true, false})
                    QTest::addRow("%s axis %d %s", isSigned ? "int8" : "uint8", axis,
                                  symmetric ? "symmetric" : "ranged")
                        << isSigned << axis << symmetric;
    }

    void affine()
    {
        const auto [isSigned, axis, symmetric] = fetched<bool, int, bool>();
        auto values = gaussian(5 * 8 * 9);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] += symmetric ? 0.0f : 0.05f;
        AffineOptions options;
        options.codeType = isSigned ? ElementType::Int8 : ElementType::Uint8;
        options.axis = axis < 0 ? std::nullopt : std::optional(std::uint64_t(axis));
        options.symmetric = symmetric;
        const Shape shape{5, 8, 9};
        const auto weight = VERIFIED(encodeAffine(values, shape, options));
        const auto decoded = decodeAll(*weight);
        QCOMPARE(decoded.size(), values.size());
        float largest = 0;
        for (const float value : values)
            largest = std::max(largest, std::abs(value));
        // At most half a step, and what fp16 makes of the scale and the result.
        const float step = 2 * largest / 255;
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY(std::abs(decoded[i] - values[i]) <= 0.51f * step + largest * 0.003f);
        const EncodedPart &scale = part(*weight, PartRole::Scale);
        QCOMPARE(scale.shape, axis < 0 ? Shape{} : Shape{shape[std::size_t(axis)]});
        if (symmetric) {
            for (const std::byte zero : part(*weight, PartRole::ZeroPoint).bytes)
                QCOMPARE(zero, isSigned ? std::byte{0} : std::byte{128});
        }
    }

    void blockwise_data()
    {
        addColumns<int, int, int, bool>();
        for (const ElementType type :
             {ElementType::Int4, ElementType::Uint4, ElementType::Int8, ElementType::Uint8})
            for (const auto &[block, axis] : {std::pair(32, 1), {8, 1}, {1, 1}, {2, 0}, {3, 2}})
                for (const bool offset : {false, true})
                    if (offset || isSignedInteger(type))
                        QTest::addRow("%s blocks of %d along %d%s", elementTypeName(type).data(),
                                      block, axis, offset ? " with offset" : "")
                            << int(type) << block << axis << offset;
    }

    void blockwise()
    {
        const auto [type, block, axis, offset] = fetched<int, int, int, bool>();
        const Shape shape{6, 64, 3};
        const auto values = gaussian(6 * 64 * 3);
        BlockwiseOptions options;
        options.codeType = static_cast<ElementType>(type);
        options.block = std::uint64_t(block);
        options.axis = std::uint64_t(axis);
        options.withOffset = offset;
        const auto weight = VERIFIED(encodeBlockwise(values, shape, options));
        const auto decoded = decodeAll(*weight);
        float largest = 0;
        for (const float value : values)
            largest = std::max(largest, std::abs(value));
        const float step = 2 * largest / (bitWidth(options.codeType) == 4 ? 14.0f : 254.0f);
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY(std::abs(decoded[i] - values[i]) <= step * (offset ? 1.01f : 0.51f) + 0.002f);
    }

    /// Survivors that are coded: the mask is the sparse one, what it leaves out is 0, and every
    /// survivor is the nearest that its codebook or its block's steps can hold.
    void joint()
    {
        const Shape shape{8, 32};
        const auto values = gaussian(8 * 32, 5);
        const auto sparse = VERIFIED(encodeSparseDensity(values, shape, 0.4));
        const auto kept = decodeAll(*sparse);
        const auto palette = VERIFIED(encodeSparsePalette(values, *sparse, {4, 4, 1}));
        QCOMPARE(part(*palette, PartRole::Mask).bytes, part(*sparse, PartRole::Mask).bytes);
        QCOMPARE(part(*palette, PartRole::Lut).shape, (Shape{4, 1, 16, 1}));
        const auto looked = decodeAll(*palette);
        const auto blockwise =
            VERIFIED(encodeSparseBlockwise(values, *sparse, {ElementType::Int8, 16, 1, false}));
        const auto scaled = decodeAll(*blockwise);
        QCOMPARE(looked.size(), values.size());
        QCOMPARE(scaled.size(), values.size());
        const EncodedPart &book = part(*palette, PartRole::Lut);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (kept[i] == 0) {
                QVERIFY(looked[i] == 0 && scaled[i] == 0);
                continue;
            }
            QVERIFY(std::abs(scaled[i] - values[i]) < 0.004f);
            double least = HUGE_VAL;
            for (std::size_t k = 0; k < 16; ++k)
                least = std::min(least, std::abs(loadValue(book.bytes, book.type, i / 64 * 16 + k) -
                                                 double(kept[i])));
            QVERIFY(std::abs(double(looked[i]) - double(kept[i])) <= least * 1.000001);
        }
        // No survivor at all, and what the forms cannot have.
        const auto empty = encodeSparseDensity(values, shape, 0);
        QCOMPARE(decodeAll(*encodeSparsePalette(values, *empty, {})),
                 std::vector<float>(values.size()));
        QCOMPARE(encodeSparsePalette(values, *sparse, {4, 1, 2}).error().field, "vector");
        QCOMPARE(encodeSparsePalette(values, *sparse, {4, 3, 1}).error().field, "groups");
        QCOMPARE(encodeSparsePalette(values, *sparse, {4, 1, 1, ElementType::Int8}).error().field,
                 "entryType");
        QCOMPARE(encodeSparsePalette(values, *palette, {}).error().field, "sparse");
        QCOMPARE(
            encodeSparseBlockwise(values, *sparse, {ElementType::Int8, 7, 1, false}).error().field,
            "block");
    }

    void refusals()
    {
        const auto values = gaussian(12);
        const Shape shape{4, 3};
        const auto codeOf = [](const auto &result) {
            return result ? std::string("taken") : result.error().code;
        };
        const std::string badShape = "codec.shape";
        const std::string badArgument = "codec.argument";
        QCOMPARE(codeOf(encodeDense(values, {13}, ElementType::Fp16)), badShape);
        QCOMPARE(codeOf(encodeDense(values, {UINT64_MAX, 2}, ElementType::Fp16)), badShape);
        QCOMPARE(codeOf(encodeDense(values, shape, ElementType::String)), badArgument);
        QCOMPARE(codeOf(encodeAffine(values, shape, {ElementType::Uint5, 0, true})), badArgument);
        QCOMPARE(codeOf(encodeAffine(values, shape, {ElementType::Uint1, 0, true})), badArgument);
        QCOMPARE(codeOf(encodeAffine(values, shape, {ElementType::Int8, 2, true})), badArgument);
        QCOMPARE(codeOf(encodePalette(values, shape, {5, 1, 1})), badArgument);
        QCOMPARE(codeOf(encodePalette(values, shape, {4, 3, 1})), badArgument);
        QCOMPARE(codeOf(encodePalette(values, shape, {4, 0, 1})), badArgument);
        QCOMPARE(codeOf(encodePalette(values, shape, {4, 1, 0})), badArgument);
        QCOMPARE(codeOf(encodePalette(values, shape, {4, UINT64_MAX, 2})), badArgument);
        QCOMPARE(codeOf(encodePalette(values, shape, {4, 4, 2})), badArgument);
        QCOMPARE(codeOf(encodePalette(gaussian(12), {12, 1}, {4, 1, 3})), badArgument);
        QCOMPARE(codeOf(encodePalette(gaussian(12), {12, 1}, {4, 1, 6})), badArgument);
        QCOMPARE(codeOf(encodePalette(values, shape, {4, 1, 1, ElementType::Fp32})), badArgument);
        QCOMPARE(codeOf(encodeSparsePattern(values, shape, {3, 2, 0})), badArgument);
        QCOMPARE(codeOf(encodeSparsePattern(values, shape, {0, 0, 0})), badArgument);
        QCOMPARE(codeOf(encodeSparsePattern(values, shape, {2, 4, 2})), badArgument);
        QCOMPARE(codeOf(encodeSparse(values, shape, std::nanf(""))), badArgument);
        QCOMPARE(codeOf(encodeSparseDensity(values, shape, 1.5)), badArgument);
        QCOMPARE(codeOf(encodeSparseDensity(values, shape, std::nan(""))), badArgument);
        QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Int8, 2, 1, false})),
                 badArgument);
        QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Int8, 0, 1, false})),
                 badArgument);
        QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Int8, 1, 2, false})),
                 badArgument);
        QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Uint8, 3, 1, false})),
                 badArgument);
        QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Fp16, 3, 1, false})),
                 badArgument);
    }

    /// Numbers at the end of fp16 do not decode to infinities.
    void largestValues()
    {
        std::mt19937 random(31);
        for (int round = 0; round < 200; ++round) {
            std::vector<float> values(32);
            const float low = toHalf(-65504.0f / float(1 + random() % 4000));
            for (float &value : values)
                value = random() % 3 == 0 ? low : toHalf(float(random() % 65505));
            values[3] = random() % 2 == 0 ? 65504.0f : -65504.0f;
            std::vector<Result<EncodedWeight>> weights;
            for (const bool symmetric : {true, false}) {
                for (const ElementType type : {ElementType::Int8, ElementType::Uint8})
                    weights.push_back(encodeAffine(values, {2, 16}, {type, 0, symmetric}));
                for (const ElementType type : {ElementType::Int8, ElementType::Int4})
                    weights.push_back(encodeBlockwise(values, {2, 16}, {type, 8, 1, !symmetric}));
            }
            for (const ElementType type : {ElementType::Int8, ElementType::Fp8E4M3Fn})
                weights.push_back(encodePalette(values, {2, 16}, {4, 1, 1, type}));
            for (const auto &weight : weights) {
                QVERIFY(weight);
                for (const float value : decodeAll(*weight))
                    QVERIFY(std::isfinite(value));
            }
        }
    }

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
        QCOMPARE(values->size(), 1025U);
        const ReductionTrace trace = traceReduction(*values);
        QCOMPARE(trace.tiles.size(), 257U);
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
            QCOMPARE(halfToFloat(survivors(float(b)).port), 16.0f);
            QVERIFY(!survivors(float(b)).isContested() || b == 2047);
        }
        for (const float b : {4096.0f, 5000.0f, 8192.0f, 10000.0f, 30000.0f, 65504.0f}) {
            QCOMPARE(halfToFloat(survivors(b).port), 4.0f);
            QVERIFY(!survivors(b).isContested());
        }
        // The text has sixteen; the model 4 to 28, and says so.
        float least = 100;
        float most = 0;
        for (int b = 2048; b < 4096; ++b) {
            const Reduction sum = survivors(float(b));
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
            const float b = halfToFloat(std::uint16_t(code));
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
            const auto error = errorAfter(form, weights, shape, layerOf(shape));
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
        QCOMPARE(errorAfter(four, weights, shape, {31, 144}).error().code, "codec.shape");
        const auto empty = errorAfter(dense, {}, {0, 4}, layerOf(Shape{0, 4}));
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
        const auto error = errorAfter(FormSpec{}, weights, {4, 4096}, {4, 4096});
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
            QCOMPARE(REFUSED(encodeForm(weights, {8, 16}, none)).code, "encode.form");
        }
    }
};

KERNSCOPE_TEST(TestEncoder, NoApplication)
#include "tst_encoder.moc"
