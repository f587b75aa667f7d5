// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest> // first: moc 6.4 stumbles over <concepts> otherwise

#include "core/numeric/convert.h"
#include "encoded.h"

#include <algorithm>

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

class TestEncoder : public QObject
{
    Q_OBJECT

private slots:
    void dense();
    void affine_data();
    void affine();
    void sparse();
    void sparseDensity_data();
    void sparseDensity();
    void sparseDensityOfMany_data();
    void sparseDensityOfMany();
    void sparsePattern_data();
    void sparsePattern();
    void blockwise_data();
    void blockwise();
    void refusals();
    void specialValues();
};

void TestEncoder::dense()
{
    const auto values = gaussian(240);
    for (const ElementType type :
         {ElementType::Fp16, ElementType::Fp32, ElementType::Bf16, ElementType::Fp8E4M3Fn,
          ElementType::Fp8E5M2, ElementType::Int8, ElementType::Uint4, ElementType::Int4}) {
        const auto weight = encodeDense(values, {4, 60}, type);
        QVERIFY(weight);
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

void TestEncoder::affine_data()
{
    QTest::addColumn<bool>("isSigned");
    QTest::addColumn<int>("axis");
    QTest::addColumn<bool>("symmetric");
    for (const bool isSigned : {true, false})
        for (const int axis : {-1, 0, 1, 2})
            for (const bool symmetric : {true, false})
                QTest::addRow("%s axis %d %s", isSigned ? "int8" : "uint8", axis,
                              symmetric ? "symmetric" : "ranged")
                    << isSigned << axis << symmetric;
}

void TestEncoder::affine()
{
    QFETCH(bool, isSigned);
    QFETCH(int, axis);
    QFETCH(bool, symmetric);
    auto values = gaussian(5 * 8 * 9);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += symmetric ? 0.0f : 0.05f;
    AffineOptions options;
    options.codeType = isSigned ? ElementType::Int8 : ElementType::Uint8;
    options.axis = axis < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(axis));
    options.symmetric = symmetric;
    const Shape shape{5, 8, 9};
    const auto weight = encodeAffine(values, shape, options);
    QVERIFY(weight);
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
    QCOMPARE(scale.shape, axis < 0 ? Shape{} : Shape{shape[static_cast<std::size_t>(axis)]});
    if (symmetric) {
        for (const std::byte zero : part(*weight, PartRole::ZeroPoint).bytes)
            QCOMPARE(zero, isSigned ? std::byte{0} : std::byte{128});
    }
}

void TestEncoder::sparse()
{
    auto values = gaussian(1003);
    for (std::size_t i = 0; i < values.size(); i += 3)
        values[i] = 0;
    const auto weight = encodeSparse(values, {1003}, 0.08f);
    QVERIFY(weight);
    const auto decoded = decodeAll(*weight);
    const auto decoder = Decoder::make(weight->encoding());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool keep = std::abs(values[i]) >= 0.08f;
        QCOMPARE(decoder->stored(i), keep);
        QCOMPARE(decoded[i], keep ? toHalf(values[i]) : 0.0f);
    }
    // Without a threshold everything but the zeros.
    const auto all = encodeSparse(values, {1003}, 0);
    QCOMPARE(part(*all, PartRole::NonzeroData).shape,
             Shape{static_cast<std::uint64_t>(
                 std::count_if(values.begin(), values.end(), [](float v) { return v != 0; }))});
}

void TestEncoder::sparseDensity_data()
{
    QTest::addColumn<double>("density");
    QTest::addColumn<int>("kept");
    QTest::newRow("none") << 0.0 << 0;
    QTest::newRow("tenth") << 0.1 << 100;
    QTest::newRow("half") << 0.5 << 500;
    QTest::newRow("most") << 0.9 << 900;
    QTest::newRow("all") << 1.0 << 1000;
}

void TestEncoder::sparseDensity()
{
    QFETCH(double, density);
    QFETCH(int, kept);
    const auto values = gaussian(1000);
    const auto weight = encodeSparseDensity(values, {10, 100}, density);
    QVERIFY(weight);
    QCOMPARE(part(*weight, PartRole::NonzeroData).shape, Shape{static_cast<std::uint64_t>(kept)});
    const auto decoded = decodeAll(*weight);
    float leastKept = HUGE_VALF;
    float largestDropped = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (decoded[i] != 0)
            leastKept = std::min(leastKept, std::abs(decoded[i]));
        else
            largestDropped = std::max(largestDropped, std::abs(toHalf(values[i])));
    }
    QVERIFY(kept == 0 || leastKept >= largestDropped);
    // Equal magnitudes: the first ones stay.
    const std::vector<float> equal(10, -2.0f);
    const auto first = encodeSparseDensity(equal, {10}, 0.3);
    QCOMPARE(decodeAll(*first), (std::vector<float>{-2, -2, -2, 0, 0, 0, 0, 0, 0, 0}));
}

void TestEncoder::sparseDensityOfMany_data()
{
    QTest::addColumn<double>("density");
    QTest::addColumn<QString>("kind");
    for (const char *kind : {"even", "few magnitudes", "channels apart", "sorted", "special"})
        for (const double density : {0.001, 0.1, 0.4, 0.5, 0.97, 1.0})
            QTest::addRow("%s, %g", kind, density) << density << QString::fromLatin1(kind);
}

/// Long tensors are cut by a sample and one pass: the same as by the order of all magnitudes.
void TestEncoder::sparseDensityOfMany()
{
    QFETCH(double, density);
    QFETCH(QString, kind);
    constexpr std::size_t kCount = (std::size_t{1} << 20) + 77;
    auto values = gaussian(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        if (kind == QLatin1String("few magnitudes"))
            values[i] = std::round(values[i] * 20) / 4;
        else if (kind == QLatin1String("channels apart"))
            values[i] *= static_cast<float>(1 + i / 4096 % 7);
        else if (kind == QLatin1String("sorted"))
            values[i] = static_cast<float>(i) / kCount;
        else if (kind == QLatin1String("special") && i % 3 == 0)
            values[i] = i % 9 == 0 ? NAN : i % 9 == 3 ? -INFINITY : 0;
    }
    const auto weight = encodeSparseDensity(values, {kCount}, density);
    QVERIFY(weight);
    // The definition: by magnitude in fp16, among equals the first ones, never a zero.
    std::vector<std::uint16_t> halves(kCount);
    convertFloatToHalf(values, halves);
    std::vector<std::uint64_t> histogram(0x8000);
    for (const std::uint16_t half : halves)
        ++histogram[half & 0x7fffu];
    auto left = static_cast<std::uint64_t>(std::llround(density * kCount));
    std::uint32_t least = 0x8000;
    while (least > 1 && left >= histogram[least - 1])
        left -= histogram[--least];
    std::vector<std::byte> mask((kCount + 7) / 8);
    std::vector<std::uint16_t> kept;
    for (std::size_t i = 0; i < kCount; ++i) {
        const std::uint32_t magnitude = halves[i] & 0x7fffu;
        const bool tie = magnitude != 0 && magnitude + 1 == least && left > 0;
        if (magnitude < least && !tie)
            continue;
        left -= tie ? 1 : 0;
        mask[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        kept.push_back(halves[i]);
    }
    QVERIFY(part(*weight, PartRole::Mask).bytes == mask);
    const auto bytes = std::as_bytes(std::span<const std::uint16_t>(kept));
    const auto &data = part(*weight, PartRole::NonzeroData);
    QCOMPARE(data.shape, Shape{kept.size()});
    QVERIFY(std::equal(bytes.begin(), bytes.end(), data.bytes.begin(), data.bytes.end()));
}

void TestEncoder::sparsePattern_data()
{
    QTest::addColumn<int>("keep");
    QTest::addColumn<int>("of");
    QTest::addColumn<int>("axis");
    for (const auto &[keep, of] : {std::pair(2, 4), {1, 4}, {4, 8}, {1, 2}, {0, 3}, {3, 3}, {2, 5}})
        for (const int axis : {0, 1, 2})
            QTest::addRow("%d:%d along %d", keep, of, axis) << keep << of << axis;
}

void TestEncoder::sparsePattern()
{
    QFETCH(int, keep);
    QFETCH(int, of);
    QFETCH(int, axis);
    const Shape shape{12, 8, 6};
    const auto values = gaussian(12 * 8 * 6);
    const auto weight =
        encodeSparsePattern(values, shape,
                            {static_cast<std::uint64_t>(keep), static_cast<std::uint64_t>(of),
                             static_cast<std::uint64_t>(axis)});
    QVERIFY(weight);
    const auto decoded = decodeAll(*weight);
    const std::size_t inner = axis == 0 ? 48 : axis == 1 ? 6 : 1;
    const std::size_t extent = shape[static_cast<std::size_t>(axis)];
    for (std::size_t lane = 0; lane < values.size() / extent; ++lane) {
        const std::size_t start = lane / inner * extent * inner + lane % inner;
        for (std::size_t at = 0; at < extent; at += static_cast<std::size_t>(of)) {
            float leastKept = HUGE_VALF;
            float mostDropped = 0;
            std::size_t kept = 0;
            const std::size_t end = std::min(extent, at + static_cast<std::size_t>(of));
            for (std::size_t i = at; i < end; ++i) {
                const float value = std::abs(toHalf(values[start + i * inner]));
                const float found = decoded[start + i * inner];
                if (found != 0) {
                    QCOMPARE(found, toHalf(values[start + i * inner]));
                    leastKept = std::min(leastKept, value);
                    ++kept;
                } else {
                    mostDropped = std::max(mostDropped, value);
                }
            }
            QCOMPARE(kept, std::min(end - at, static_cast<std::size_t>(keep)));
            QVERIFY(leastKept >= mostDropped);
        }
    }
}

void TestEncoder::blockwise_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("block");
    QTest::addColumn<int>("axis");
    QTest::addColumn<bool>("offset");
    for (const ElementType type :
         {ElementType::Int4, ElementType::Uint4, ElementType::Int8, ElementType::Uint8})
        for (const auto &[block, axis] : {std::pair(32, 1), {8, 1}, {1, 1}, {2, 0}, {3, 2}})
            for (const bool offset : {false, true})
                if (offset || isSignedInteger(type))
                    QTest::addRow("%s blocks of %d along %d%s", elementTypeName(type).data(), block,
                                  axis, offset ? " with offset" : "")
                        << static_cast<int>(type) << block << axis << offset;
}

void TestEncoder::blockwise()
{
    QFETCH(int, type);
    QFETCH(int, block);
    QFETCH(int, axis);
    QFETCH(bool, offset);
    const Shape shape{6, 64, 3};
    const auto values = gaussian(6 * 64 * 3);
    BlockwiseOptions options;
    options.codeType = static_cast<ElementType>(type);
    options.block = static_cast<std::uint64_t>(block);
    options.axis = static_cast<std::uint64_t>(axis);
    options.withOffset = offset;
    const auto weight = encodeBlockwise(values, shape, options);
    QVERIFY2(weight, weight ? "" : describe(weight.error()).c_str());
    const auto decoded = decodeAll(*weight);
    float largest = 0;
    for (const float value : values)
        largest = std::max(largest, std::abs(value));
    const float step = 2 * largest / (bitWidth(options.codeType) == 4 ? 14.0f : 254.0f);
    for (std::size_t i = 0; i < values.size(); ++i)
        QVERIFY(std::abs(decoded[i] - values[i]) <= step * (offset ? 1.01f : 0.51f) + 0.002f);
}

void TestEncoder::refusals()
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
    QCOMPARE(codeOf(encodeAffine(values, shape, {ElementType::Int4, 0, true})), badArgument);
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
    QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Int8, 2, 1, false})), badArgument);
    QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Int8, 0, 1, false})), badArgument);
    QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Int8, 1, 2, false})), badArgument);
    QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Uint8, 3, 1, false})),
             badArgument);
    QCOMPARE(codeOf(encodeBlockwise(values, shape, {ElementType::Fp16, 3, 1, false})), badArgument);
}

void TestEncoder::specialValues()
{
    // Zeros, subnormals, huge numbers and NaN: never a zero or infinite scale.
    std::vector<float> values(16);
    values[1] = 1e-30f;
    values[5] = 1e30f;
    values[6] = -1e30f;
    values[9] = std::nanf("");
    values[10] = HUGE_VALF;
    for (const bool symmetric : {true, false}) {
        const auto weight = encodeAffine(values, {4, 4}, {ElementType::Int8, 0, symmetric});
        QVERIFY(weight);
        QVERIFY(Decoder::make(weight->encoding())->verify().empty());
        const auto decoded = decodeAll(*weight);
        for (std::size_t i = 12; i < 16; ++i)
            QCOMPARE(decoded[i], 0.0f);
    }
    const auto sparse = encodeSparse(values, {4, 4}, 0);
    QVERIFY(std::isnan(decodeAll(*sparse)[9]));
    const auto palette = encodePalette(values, {4, 4}, {});
    QVERIFY(!palette);
    QCOMPARE(palette.error().code, std::string("codec.argument"));
    const auto empty = encodePalette({}, {0, 4}, {});
    QVERIFY(empty);
    QVERIFY(decodeAll(*empty).empty());
}

QTEST_APPLESS_MAIN(TestEncoder)
#include "tst_encoder.moc"
