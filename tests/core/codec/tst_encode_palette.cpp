// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/kmeans.h"
#include "encoded.h"

using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

/// Error of a codebook.
double errorWith(const std::vector<MassedValue> &values, const std::vector<float> &book)
{
    double error = 0;
    for (const auto &[value, mass] : values) {
        double nearest = HUGE_VAL;
        for (const float centre : book)
            nearest = std::min(
                nearest, std::pow(static_cast<double>(value) - static_cast<double>(centre), 2));
        error += mass * nearest;
    }
    return error;
}

/// fp16 numbers with masses: a bell of them, evenly spread ones with many equal clusterings, small
/// ones beside large ones.
std::vector<MassedValue> someMasses(int kind, std::size_t count, std::mt19937 &random)
{
    std::normal_distribution<float> normal(0, 0.1f);
    std::map<float, double> masses;
    while (masses.size() < count) {
        const float value = kind == 0 ? normal(random)
                            : kind == 1
                                ? static_cast<float>(masses.size())
                                : std::ldexp(normal(random), static_cast<int>(random() % 9));
        masses[toHalf(value)] += kind == 1 ? 1.0 : 0.25 * static_cast<double>(1 + random() % 9);
    }
    std::vector<MassedValue> values;
    for (const auto &[value, mass] : masses)
        values.push_back({value, mass});
    return values;
}

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

/// Least squared error by the plain programme, which tries every split of every row.
double plainError(const std::vector<MassedValue> &values, std::size_t clusters, bool half)
{
    const std::size_t n = values.size();
    std::vector<long double> mass(n + 1), sum(n + 1), square(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
        const long double m = values[i].mass, v = values[i].value;
        mass[i + 1] = mass[i] + m;
        sum[i + 1] = sum[i] + m * v;
        square[i + 1] = square[i] + m * v * v;
    }
    const auto runError = [&](std::size_t first, std::size_t end) {
        const long double m = mass[end] - mass[first], s = sum[end] - sum[first];
        long double off = 0;
        if (half)
            off = halfToFloat(doubleToHalf(static_cast<double>(s / m))) - s / m;
        return square[end] - square[first] - s * s / m + m * off * off;
    };
    std::vector<long double> best(n + 1, std::numeric_limits<long double>::infinity());
    best[0] = 0;
    for (std::size_t c = 0; c < clusters; ++c) {
        for (std::size_t end = n; end > 0; --end) {
            best[end] = std::numeric_limits<long double>::infinity();
            for (std::size_t split = c; split < end; ++split)
                best[end] = std::min(best[end], best[split] + runError(split, end));
        }
        best[0] = std::numeric_limits<long double>::infinity();
    }
    return static_cast<double>(best[n]);
}

/// Lloyd's rounds as they are written in books; the first centres are given.
std::vector<float> plainRound(const std::vector<float> &points, const std::vector<float> &masses,
                              std::size_t vector, std::vector<float> centres, bool &allServed)
{
    const std::size_t clusters = centres.size() / vector;
    std::vector<double> sums(centres.size()), totals(centres.size());
    std::vector<char> served(clusters, 0);
    for (std::size_t at = 0; at < points.size(); at += vector) {
        std::size_t nearest = 0;
        double least = HUGE_VAL;
        for (std::size_t c = 0; c < clusters; ++c) {
            double distance = 0;
            for (std::size_t v = 0; v < vector; ++v) {
                const double off = static_cast<double>(points[at + v]) -
                                   static_cast<double>(centres[c * vector + v]);
                distance +=
                    (masses.empty() ? 1.0 : static_cast<double>(masses[at + v])) * off * off;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        served[nearest] = 1;
        for (std::size_t v = 0; v < vector; ++v) {
            const double mass = masses.empty() ? 1.0 : static_cast<double>(masses[at + v]);
            sums[nearest * vector + v] += mass * static_cast<double>(points[at + v]);
            totals[nearest * vector + v] += mass;
        }
    }
    allServed = allServed && std::count(served.begin(), served.end(), 0) == 0;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if (served[i / vector] != 0 && totals[i] > 0)
            centres[i] = static_cast<float>(sums[i] / totals[i]);
    }
    return centres;
}

} // namespace

class TestEncodePalette : public QObject
{
    Q_OBJECT

private slots:
    void palette_data()
    {
        kernscope::test::addColumns<unsigned, int, int, int>();
        for (const ElementType type :
             {ElementType::Fp16, ElementType::Int8, ElementType::Fp8E4M3Fn})
            for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u})
                for (const auto &[groups, vector] :
                     {std::pair(1, 1), {4, 1}, {1, 2}, {3, 4}, {1, 5}})
                    QTest::addRow("%u bits, %d groups, vectors of %d, %s", bits, groups, vector,
                                  elementTypeName(type).data())
                        << bits << groups << vector << static_cast<int>(type);
    }

    void palette()
    {
        const auto [bits, groups, vector, type] =
            kernscope::test::fetched<unsigned, int, int, int>();
        const Shape shape{60, 7, 3};
        const auto values = gaussian(60 * 7 * 3, bits);
        PaletteOptions options;
        options.bits = bits;
        options.groups = static_cast<std::uint64_t>(groups);
        options.vector = static_cast<std::uint64_t>(vector);
        options.entryType = static_cast<ElementType>(type);
        const auto weight = VERIFIED(encodePalette(values, shape, options));
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

    void paletteIsExactForFewValues()
    {
        std::vector<float> values;
        for (int i = 0; i < 400; ++i)
            values.push_back(static_cast<float>((i * 7) % 16) - 8.0f);
        const auto weight = VERIFIED(encodePalette(values, {400}, {}));
        QCOMPARE(decodeAll(*weight), values);
        // Fewer values than entries: the entries left over are never used.
        const auto wide = VERIFIED(encodePalette(values, {400}, {8, 1, 1}));
        QCOMPARE(decodeAll(*wide), values);
        const auto use = Decoder::make(wide->encoding())->codebookUse();
        QCOMPARE(std::count(use.begin(), use.end(), 25u), 16);
        QCOMPARE(std::count(use.begin(), use.end(), 0u), 240);
    }

    void optimalCentresAreOptimal()
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
                    nearest = std::min(nearest, std::pow(static_cast<double>(value.value) -
                                                             static_cast<double>(centre),
                                                         2));
                error += nearest * static_cast<double>(value.count);
            }
            const double best = bestError(values, std::min(clusters, count), 0);
            QVERIFY(error <= best + 1e-4);
        }
    }

    /// Large values that have clusters of their own do not blur the choice among small ones.
    void optimalBesideLargeValues()
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
                    nearest = std::min(nearest, std::pow(static_cast<double>(value.value) -
                                                             static_cast<double>(centre),
                                                         2));
                error += nearest * static_cast<double>(value.count);
            }
            QVERIFY(error <= bestError(small, 4, 0) * 1.0001 + 1e-18);
        }
    }

    /// Both kinds of centres, also where very many clusterings are equally good.
    void optimalAsByThePlainProgramme()
    {
        std::mt19937 random(11);
        for (int round = 0; round < 60; ++round) {
            const auto values = someMasses(round % 3, 2 + random() % 200, random);
            const std::size_t clusters =
                1 + random() %
                        (round % 2 == 0 ? values.size() : std::min<std::size_t>(values.size(), 40));
            const double best = plainError(values, clusters, true);
            const auto halves = optimalHalfCentres(values, clusters);
            QCOMPARE(halves.size(), clusters);
            QVERIFY(std::is_sorted(halves.begin(), halves.end()));
            QVERIFY2(errorWith(values, halves) <= best * (1 + 1e-9) + 1e-12,
                     qPrintable(QString::number(errorWith(values, halves) / best, 'g', 15)));
            std::vector<WeightedValue> counted;
            std::vector<MassedValue> whole;
            for (const auto &[value, mass] : values) {
                counted.push_back({value, 1 + static_cast<std::uint64_t>(mass)});
                whole.push_back({value, static_cast<double>(counted.back().count)});
            }
            const auto means = optimalCentres(counted, clusters);
            // The centres are rounded to fp32.
            QVERIFY(errorWith(whole, means) <=
                    plainError(whole, clusters, false) * (1 + 1e-6) + 1e-9);
        }
    }

    void vectorCentresAsByPlainRounds_data()
    {
        kernscope::test::addColumns<int, bool>();
        for (const int vector : {1, 2, 3, 4, 5, 7}) {
            for (const bool massed : {false, true})
                QTest::addRow("vectors of %d%s", vector, massed ? " with masses" : "")
                    << vector << massed;
        }
    }

    /// Of any number of points, whole runs of the processor's vectors or not.
    void vectorCentresAsByPlainRounds()
    {
        const auto [vector, massed] = kernscope::test::fetched<int, bool>();
        const auto size = static_cast<std::size_t>(vector);
        std::mt19937 random(13);
        for (const std::size_t count : {1u, 5u, 16u, 17u, 333u}) {
            const auto points = gaussian(count * size);
            std::vector<float> masses(massed ? points.size() : 0);
            for (float &mass : masses)
                mass = 0.125f * static_cast<float>(1 + random() % 5);
            std::vector<float> centres;
            for (std::size_t c = 0; c < std::min<std::size_t>(count, 6); ++c)
                centres.insert(centres.end(),
                               points.begin() + static_cast<std::ptrdiff_t>(c * size),
                               points.begin() + static_cast<std::ptrdiff_t>((c + 1) * size));
            std::vector<float> plain = centres;
            bool served = true;
            for (int round = 0; round < 25; ++round)
                plain = plainRound(points, masses, size, plain, served);
            QVERIFY(served); // each centre began at a point of its own: these numbers empty none
            QCOMPARE(massedVectorCentres(points, masses, size, centres.size() / size, centres),
                     plain);
        }
    }

    /// Against the same rounds where the masses are all one.
    void vectorCentresAsByMassesOfOne()
    {
        for (const std::size_t size : {2u, 3u, 4u, 5u}) {
            for (const float grid : {0.0f, 4.0f, 32.0f, 512.0f}) {
                auto points = gaussian(601 * size);
                for (float &value : points)
                    value = grid > 0 ? std::round(value * grid) / grid : value;
                const std::vector<float> ones(points.size(), 1.0f);
                for (const std::size_t clusters : {47u, 48u, 64u, 256u})
                    QCOMPARE(massedVectorCentres(points, {}, size, clusters, {}),
                             massedVectorCentres(points, ones, size, clusters, {}));
            }
        }
    }

    void deterministic()
    {
        const auto values = gaussian(64 * 50);
        for (const PaletteOptions &options : {PaletteOptions{4, 1, 1}, PaletteOptions{6, 2, 4}}) {
            const auto one = encodePalette(values, {64, 50}, options);
            const auto two = encodePalette(values, {64, 50}, options);
            for (std::size_t i = 0; i < one->parts.size(); ++i)
                QCOMPARE(one->parts[i].bytes, two->parts[i].bytes);
        }
    }
};

KERNSCOPE_TEST(TestEncodePalette, kernscope::test::NoApplication)
#include "tst_encode_palette.moc"
