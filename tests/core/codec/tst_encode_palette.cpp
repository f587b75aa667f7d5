// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest> // first: moc 6.4 stumbles over <concepts> otherwise

#include "core/codec/encode/kmeans.h"
#include "encoded.h"

#include <algorithm>
#include <set>

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

/// Least squared error of any clustering into runs, by trying all of them.
double bestError(const std::vector<WeightedValue> &values, std::size_t clusters, std::size_t first)
{
    const auto runError = [&](std::size_t from, std::size_t end) {
        double count = 0;
        double sum = 0;
        for (std::size_t i = from; i < end; ++i) {
            count += static_cast<double>(values[i].count);
            sum += static_cast<double>(values[i].count) * static_cast<double>(values[i].value);
        }
        double error = 0;
        for (std::size_t i = from; i < end; ++i)
            error += static_cast<double>(values[i].count) *
                     std::pow(static_cast<double>(values[i].value) - sum / count, 2);
        return error;
    };
    if (clusters == 1)
        return runError(first, values.size());
    double least = HUGE_VAL;
    for (std::size_t end = first + 1; end + clusters - 1 <= values.size(); ++end)
        least = std::min(least, runError(first, end) + bestError(values, clusters - 1, end));
    return least;
}

} // namespace

class TestEncodePalette : public QObject
{
    Q_OBJECT

private slots:
    void palette_data();
    void palette();
    void paletteIsExactForFewValues();
    void optimalCentresAreOptimal();
    void optimalBesideLargeValues();
    void deterministic();
};

void TestEncodePalette::palette_data()
{
    QTest::addColumn<unsigned>("bits");
    QTest::addColumn<int>("groups");
    QTest::addColumn<int>("vector");
    QTest::addColumn<int>("type");
    for (const ElementType type : {ElementType::Fp16, ElementType::Int8, ElementType::Fp8E4M3Fn})
        for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u})
            for (const auto &[groups, vector] : {std::pair(1, 1), {4, 1}, {1, 2}, {3, 4}, {1, 5}})
                QTest::addRow("%u bits, %d groups, vectors of %d, %s", bits, groups, vector,
                              elementTypeName(type).data())
                    << bits << groups << vector << static_cast<int>(type);
}

void TestEncodePalette::palette()
{
    QFETCH(unsigned, bits);
    QFETCH(int, groups);
    QFETCH(int, vector);
    QFETCH(int, type);
    const Shape shape{60, 7, 3};
    const auto values = gaussian(60 * 7 * 3, bits);
    PaletteOptions options;
    options.bits = bits;
    options.groups = static_cast<std::uint64_t>(groups);
    options.vector = static_cast<std::uint64_t>(vector);
    options.entryType = static_cast<ElementType>(type);
    const auto weight = encodePalette(values, shape, options);
    QVERIFY2(weight, weight ? "" : describe(weight.error()).c_str());
    const auto decoded = decodeAll(*weight);
    QCOMPARE(decoded.size(), values.size());
    // Every element has the nearest entry of its codebook (with its vector).
    const auto decoder = Decoder::make(weight->encoding());
    const auto book = decoder->codebookValues();
    const std::uint64_t entries = std::uint64_t{1} << bits;
    if (type != static_cast<int>(ElementType::Fp16)) {
        QCOMPARE(part(*weight, PartRole::Lut).type, options.entryType);
        QCOMPARE(part(*weight, PartRole::Scale).shape, weight->grid);
    } else if (vector == 1) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint64_t g = decoder->codebookOf(i).codebook;
            const float value = toHalf(values[i]);
            for (std::uint64_t k = 0; k < entries; ++k)
                QVERIFY(std::abs(decoded[i] - value) <=
                        std::abs(book[g * entries + k] - value) * 1.000001f);
        }
    }
    // Better than one value for everything.
    QVERIFY(squaredError(decoded, values) <
            squaredError(std::vector<float>(values.size()), values));
    if (bits == 8 && vector == 1 && type == static_cast<int>(ElementType::Fp16))
        QVERIFY(squaredError(decoded, values) <
                squaredError(std::vector<float>(values.size()), values) * 1e-3);
}

void TestEncodePalette::paletteIsExactForFewValues()
{
    std::vector<float> values;
    for (int i = 0; i < 400; ++i)
        values.push_back(static_cast<float>((i * 7) % 16) - 8.0f);
    const auto weight = encodePalette(values, {400}, {});
    QVERIFY(weight);
    QCOMPARE(decodeAll(*weight), values);
    // Fewer values than entries: the entries left over are never used.
    const auto wide = encodePalette(values, {400}, {8, 1, 1});
    QVERIFY(wide);
    QCOMPARE(decodeAll(*wide), values);
    const auto use = Decoder::make(wide->encoding())->codebookUse();
    QCOMPARE(std::count(use.begin(), use.end(), 25u), 16);
    QCOMPARE(std::count(use.begin(), use.end(), 0u), 240);
}

void TestEncodePalette::optimalCentresAreOptimal()
{
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        std::set<int> distinct;
        const std::size_t count = 2 + random() % 9;
        while (distinct.size() < count)
            distinct.insert(static_cast<int>(random() % 60));
        std::vector<WeightedValue> values;
        for (const int value : distinct)
            values.push_back({static_cast<float>(value), 1 + random() % 5});
        const std::size_t clusters = 1 + random() % 4;
        const std::vector<float> centres = optimalCentres(values, clusters);
        QCOMPARE(centres.size(), std::min(clusters, count));
        QVERIFY(std::is_sorted(centres.begin(), centres.end()));
        double error = 0;
        for (const WeightedValue &value : values) {
            double nearest = HUGE_VAL;
            for (const float centre : centres)
                nearest = std::min(
                    nearest,
                    std::pow(static_cast<double>(value.value) - static_cast<double>(centre), 2));
            error += nearest * static_cast<double>(value.count);
        }
        const double best = bestError(values, std::min(clusters, count), 0);
        QVERIFY(error <= best + 1e-4);
    }
}

/// Large values that have clusters of their own do not blur the choice among small ones.
void TestEncodePalette::optimalBesideLargeValues()
{
    std::mt19937 random(9);
    for (int round = 0; round < 50; ++round) {
        std::set<int> distinct;
        while (distinct.size() < 9)
            distinct.insert(static_cast<int>(random() % 2000));
        std::vector<WeightedValue> small;
        for (const int value : distinct)
            small.push_back({static_cast<float>(value) * 0x1p-20f, 1 + random() % 5});
        std::vector<WeightedValue> values{{-60000.0f, 1000}};
        values.insert(values.end(), small.begin(), small.end());
        values.push_back({50016.0f, 777});
        const std::vector<float> centres = optimalCentres(values, 6);
        double error = 0;
        for (const WeightedValue &value : values) {
            double nearest = HUGE_VAL;
            for (const float centre : centres)
                nearest = std::min(
                    nearest,
                    std::pow(static_cast<double>(value.value) - static_cast<double>(centre), 2));
            error += nearest * static_cast<double>(value.count);
        }
        QVERIFY(error <= bestError(small, 4, 0) * 1.0001 + 1e-18);
    }
}

void TestEncodePalette::deterministic()
{
    const auto values = gaussian(64 * 50);
    for (const PaletteOptions &options : {PaletteOptions{4, 1, 1}, PaletteOptions{6, 2, 4}}) {
        const auto one = encodePalette(values, {64, 50}, options);
        const auto two = encodePalette(values, {64, 50}, options);
        for (std::size_t i = 0; i < one->parts.size(); ++i)
            QCOMPARE(one->parts[i].bytes, two->parts[i].bytes);
    }
}

QTEST_APPLESS_MAIN(TestEncodePalette)
#include "tst_encode_palette.moc"
