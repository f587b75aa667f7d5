// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_spec.h"
#include "core/codec/encode/kmeans.h"
#include "core/numeric/convert.h"
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
            nearest = std::min(nearest, std::pow(double(value) - double(centre), 2));
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
        const float value = kind == 0   ? normal(random)
                            : kind == 1 ? float(masses.size())
                                        : std::ldexp(normal(random), int(random() % 9));
        masses[toHalf(value)] += kind == 1 ? 1.0 : 0.25 * double(1 + random() % 9);
    }
    std::vector<MassedValue> values;
    for (const auto &[value, mass] : masses)
        values.push_back({value, mass});
    return values;
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
            off = halfToFloat(doubleToHalf(double(s / m))) - s / m;
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
    return double(best[n]);
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
                const double off = double(points[at + v]) - double(centres[c * vector + v]);
                distance += (masses.empty() ? 1.0 : double(masses[at + v])) * off * off;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        served[nearest] = 1;
        for (std::size_t v = 0; v < vector; ++v) {
            const double mass = masses.empty() ? 1.0 : double(masses[at + v]);
            sums[nearest * vector + v] += mass * double(points[at + v]);
            totals[nearest * vector + v] += mass;
        }
    }
    allServed = allServed && std::ranges::count(served, 0) == 0;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if (served[i / vector] != 0 && totals[i] > 0)
            centres[i] = float(sums[i] / totals[i]);
    }
    return centres;
}

/// Whether a sparse weight holds those halves that are to stay, and no others, bit by bit.
bool keepsExactly(const EncodedWeight &weight, const std::vector<std::uint16_t> &halves,
                  const std::vector<bool> &stays)
{
    std::vector<std::byte> mask((halves.size() + 7) / 8);
    std::vector<std::uint16_t> kept;
    for (std::size_t i = 0; i < halves.size(); ++i) {
        if (!stays[i])
            continue;
        mask[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        kept.push_back(halves[i]);
    }
    const auto bytes = std::as_bytes(std::span<const std::uint16_t>(kept));
    const auto &data = part(weight, PartRole::NonzeroData);
    return part(weight, PartRole::Mask).bytes == mask && data.shape == Shape{kept.size()} &&
           std::ranges::equal(bytes, data.bytes);
}

/// The definition of an n:m pattern: of each run of `of`, the `keep` largest in fp16, of equal ones
/// the first, and never a zero.
std::vector<bool> staysByPattern(const std::vector<std::uint16_t> &halves, const Shape &shape,
                                 const SparsePattern &pattern)
{
    std::size_t inner = 1;
    for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::size_t extent = shape[pattern.axis];
    std::vector<bool> stays(halves.size());
    std::vector<std::size_t> group;
    for (std::size_t lane = 0; extent != 0 && lane < halves.size() / extent; ++lane) {
        const std::size_t start = lane / inner * extent * inner + lane % inner;
        for (std::size_t at = 0; at < extent; at += group.size()) {
            group.resize(std::min<std::size_t>(pattern.of, extent - at));
            for (std::size_t i = 0; i < group.size(); ++i)
                group[i] = start + (at + i) * inner;
            std::ranges::stable_sort(group, [&](std::size_t a, std::size_t b) {
                return (halves[a] & 0x7fffu) > (halves[b] & 0x7fffu);
            });
            for (std::size_t i = 0; i < std::min<std::size_t>(pattern.keep, group.size()); ++i)
                stays[group[i]] = (halves[group[i]] & 0x7fffu) != 0;
        }
    }
    return stays;
}

/// What stays by definition: by magnitude in fp16, among equals the first ones, never a zero.
std::vector<bool> largest(const std::vector<std::uint16_t> &halves, double density)
{
    std::vector<std::uint64_t> histogram(0x8000);
    for (const std::uint16_t half : halves)
        ++histogram[half & 0x7fffu];
    auto left = std::uint64_t(std::llround(density * double(halves.size())));
    std::uint32_t least = 0x8000;
    while (least > 1 && left >= histogram[least - 1])
        left -= histogram[--least];
    std::vector<bool> stays(halves.size());
    for (std::size_t i = 0; i < halves.size(); ++i) {
        const std::uint32_t magnitude = halves[i] & 0x7fffu;
        const bool tie = magnitude != 0 && magnitude + 1 == least && left > 0;
        left -= tie ? 1 : 0;
        stays[i] = magnitude >= least || tie;
    }
    return stays;
}

} // namespace

class TestEncodePalette : public QObject
{
    Q_OBJECT

private slots:
    void palette_data()
    {
        addColumns<unsigned, int, int, int>();
        for (const ElementType type :
             {ElementType::Fp16, ElementType::Int8, ElementType::Fp8E4M3Fn})
            for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u})
                for (const auto &[groups, vector] :
                     {std::pair(1, 1), {4, 1}, {1, 2}, {3, 4}, {1, 5}})
                    QTest::addRow("%u bits, %d groups, vectors of %d, %s", bits, groups, vector,
                                  elementTypeName(type).data())
                        << bits << groups << vector << int(type);
    }

    void palette()
    {
        const auto [bits, groups, vector, type] = fetched<unsigned, int, int, int>();
        const Shape shape{60, 7, 3};
        const auto values = gaussian(60 * 7 * 3, bits);
        PaletteOptions options;
        options.bits = bits;
        options.groups = std::uint64_t(groups);
        options.vector = std::uint64_t(vector);
        options.entryType = static_cast<ElementType>(type);
        const auto weight = VERIFIED(encodePalette(values, shape, options));
        const auto decoded = decodeAll(*weight);
        QCOMPARE(decoded.size(), values.size());
        // Every element has the nearest entry of its codebook (with its vector).
        const auto decoder = Decoder::make(weight->encoding());
        const auto book = decoder->codebookValues();
        const std::uint64_t entries = std::uint64_t{1} << bits;
        if (type != int(ElementType::Fp16)) {
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
        if (bits == 8 && vector == 1 && type == int(ElementType::Fp16))
            QVERIFY(squaredError(decoded, values) <
                    squaredError(std::vector<float>(values.size()), values) * 1e-3);
    }

    void paletteIsExactForFewValues()
    {
        std::vector<float> values;
        for (int i = 0; i < 400; ++i)
            values.push_back(float((i * 7) % 16) - 8.0f);
        const auto weight = VERIFIED(encodePalette(values, {400}, {}));
        QCOMPARE(decodeAll(*weight), values);
        // Fewer values than entries: the entries left over are never used.
        const auto wide = VERIFIED(encodePalette(values, {400}, {8, 1, 1}));
        QCOMPARE(decodeAll(*wide), values);
        const auto use = Decoder::make(wide->encoding())->codebookUse();
        QCOMPARE(std::ranges::count(use, 25u), 16);
        QCOMPARE(std::ranges::count(use, 0u), 240);
    }

    /// Large values that have clusters of their own do not blur the choice among small ones.
    void optimalBesideLargeValues()
    {
        std::mt19937 random(9);
        for (int round = 0; round < 50; ++round) {
            std::set<int> distinct;
            while (distinct.size() < 9)
                distinct.insert(int(random() % 2000));
            std::vector<MassedValue> small;
            std::vector<MassedValue> values{{-60000.0f, 1000}, {50016.0f, 777}};
            for (const int value : distinct) {
                small.push_back({float(value) * 0x1p-20f, double(1 + random() % 5)});
                values.insert(values.end() - 1, small.back());
            }
            const std::vector<float> centres = optimalCentres(values, 6);
            QVERIFY(std::ranges::count(centres, -60000.0f) == 1 &&
                    std::ranges::count(centres, 50016.0f) == 1);
            QVERIFY(errorWith(small, centres) <= plainError(small, 4, false) * 1.0001 + 1e-18);
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
            QVERIFY(std::ranges::is_sorted(halves));
            QVERIFY2(errorWith(values, halves) <= best * (1 + 1e-9) + 1e-12,
                     qPrintable(QString::number(errorWith(values, halves) / best, 'g', 15)));
            std::vector<MassedValue> whole;
            for (const auto &[value, mass] : values)
                whole.push_back({value, 1 + std::floor(mass)});
            const auto means = optimalCentres(whole, clusters);
            // The centres are rounded to fp32.
            QVERIFY(errorWith(whole, means) <=
                    plainError(whole, clusters, false) * (1 + 1e-6) + 1e-9);
        }
    }

    void vectorCentresAsByPlainRounds_data()
    {
        addColumns<int, bool>();
        for (const int vector : {1, 2, 3, 4, 5, 7}) {
            for (const bool massed : {false, true})
                QTest::addRow("vectors of %d%s", vector, massed ? " with masses" : "")
                    << vector << massed;
        }
    }

    /// Of any number of points, whole runs of the processor's vectors or not.
    void vectorCentresAsByPlainRounds()
    {
        const auto [vector, massed] = fetched<int, bool>();
        const auto size = std::size_t(vector);
        std::mt19937 random(13);
        for (const std::size_t count : {1u, 5u, 16u, 17u, 333u}) {
            const auto points = gaussian(count * size);
            std::vector<float> masses(massed ? points.size() : 0);
            for (float &mass : masses)
                mass = 0.125f * float(1 + random() % 5);
            std::vector<float> centres;
            for (std::size_t c = 0; c < std::min<std::size_t>(count, 6); ++c)
                centres.insert(centres.end(), points.begin() + std::ptrdiff_t(c * size),
                               points.begin() + std::ptrdiff_t((c + 1) * size));
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

    void threshold()
    {
        auto values = gaussian(1003);
        for (std::size_t i = 0; i < values.size(); i += 3)
            values[i] = 0;
        const auto weight = VERIFIED(encodeSparse(values, {1003}, 0.08f));
        const auto decoded = decodeAll(*weight);
        const auto decoder = Decoder::make(weight->encoding());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool keep = std::abs(values[i]) >= 0.08f;
            QCOMPARE(decoder->stored(i), keep);
            QCOMPARE(decoded[i], keep ? toHalf(values[i]) : 0.0f);
        }
        // Without a threshold everything but the zeros.
        const auto all = encodeSparse(values, {1003}, 0);
        QCOMPARE(
            part(*all, PartRole::NonzeroData).shape,
            Shape{std::uint64_t(std::ranges::count_if(values, [](float v) { return v != 0; }))});
    }

    void density_data()
    {
        addColumns<double, int>();
        addRow("none", 0.0, 0);
        addRow("tenth", 0.1, 100);
        addRow("half", 0.5, 500);
        addRow("most", 0.9, 900);
        addRow("all", 1.0, 1000);
    }

    void density()
    {
        const auto [density, kept] = fetched<double, int>();
        const auto values = gaussian(1000);
        const auto weight = VERIFIED(encodeSparseDensity(values, {10, 100}, density));
        QCOMPARE(part(*weight, PartRole::NonzeroData).shape, Shape{std::uint64_t(kept)});
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

    void densityOfMany_data()
    {
        addColumns<std::size_t, QString>();
        for (const std::size_t count :
             {std::size_t{77}, std::size_t{8 * 4096}, (std::size_t{1} << 20) + 77})
            for (const char *kind :
                 {"even", "few magnitudes", "channels apart", "sorted", "special"})
                QTest::addRow("%zu %s", count, kind) << count << QString::fromLatin1(kind);
    }

    /// Long tensors are cut by a sample and one pass, short ones by their rank, others by a
    /// histogram: all the same as by the order of all magnitudes.
    void densityOfMany()
    {
        const auto [count, kind] = fetched<std::size_t, QString>();
        auto values = gaussian(count);
        const bool few = kind == u"few magnitudes"_s, apart = kind == u"channels apart"_s,
                   sorted = kind == u"sorted"_s, special = kind == u"special"_s;
        for (std::size_t i = 0; i < count; ++i) {
            if (few)
                values[i] = std::round(values[i] * 20) / 4;
            else if (apart)
                values[i] *= float(1 + i / 4096 % 7);
            else if (sorted)
                values[i] = float(i) / float(count);
            else if (special && i % 3 == 0)
                values[i] = i % 9 == 0 ? NAN : i % 9 == 3 ? -INFINITY : 0;
        }
        std::vector<std::uint16_t> halves(values.size());
        convertFloatToHalf(values, halves);
        for (const double density : {0.0, 0.001, 0.1, 0.4, 0.5, 0.97, 1.0}) {
            const auto weight = VERIFIED(encodeSparseDensity(values, {count}, density));
            QVERIFY2(keepsExactly(*weight, halves, largest(halves, density)),
                     fmt::format("density {}", density).c_str());
        }
    }

    void pattern_data()
    {
        addColumns<QString, int, int, QList<int>>();
        const QList<QList<int>> shapes{
            {12, 8, 6}, {24, 520}, {9, 72, 3, 3}, {7, 33, 16}, {300, 50}};
        const std::pair<int, int> patterns[] = {
            {2, 4}, {1, 4},  {4, 8},   {1, 2},   {2, 2},       {0, 3},        {3, 3},
            {2, 5}, {5, 16}, {31, 64}, {20, 65}, {1, 1000000}, {70000, 70000}};
        for (const char *kind : {"even", "few magnitudes", "special"})
            for (const auto &[keep, of] : patterns)
                for (const auto &shape : shapes)
                    QTest::addRow("%s, %d:%d of %dx%d…", kind, keep, of, shape[0], shape[1])
                        << QString::fromLatin1(kind) << keep << of << shape;
    }

    void pattern()
    {
        const auto [kind, keep, of, dimensions] = fetched<QString, int, int, QList<int>>();
        const Shape shape(dimensions.begin(), dimensions.end());
        auto values =
            gaussian(std::accumulate(shape.begin(), shape.end(), std::size_t{1},
                                     [](auto product, auto size) { return product * size; }));
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (kind == "few magnitudes"_L1)
                values[i] = std::round(values[i] * 20) / 4;
            else if (kind == "special"_L1 && i % 3 == 0)
                values[i] = i % 9 == 0 ? NAN : i % 9 == 3 ? -INFINITY : -0.0f;
        }
        std::vector<std::uint16_t> halves(values.size());
        convertFloatToHalf(values, halves);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const SparsePattern pattern{std::uint64_t(keep), std::uint64_t(of), axis};
            const auto weight = VERIFIED(encodeSparsePattern(values, shape, pattern));
            QVERIFY2(keepsExactly(*weight, halves, staysByPattern(halves, shape, pattern)),
                     qPrintable(u"axis %1"_s.arg(axis)));
        }
    }

    void patternOfNothing()
    {
        const auto weight = VERIFIED(encodeSparsePattern({}, {4, 0, 3}, {2, 4, 1}));
        QVERIFY(part(*weight, PartRole::NonzeroData).bytes.empty());
        const auto huge =
            VERIFIED(encodeSparsePattern(gaussian(12), {3, 4}, {UINT64_MAX, UINT64_MAX, 0}));
        QCOMPARE(part(*huge, PartRole::NonzeroData).shape, Shape{12});
    }

    void fp32StaysExact_data()
    {
        addColumns<int, bool>();
        for (const bool fitted : {false, true}) {
            const char *const method = fitted ? "fitted" : "plain";
            QTest::addRow("every non-zero, %s", method) << 0 << fitted;
            QTest::addRow("threshold, %s", method) << 1 << fitted;
            QTest::addRow("density, %s", method) << 2 << fitted;
            QTest::addRow("pattern, %s", method) << 3 << fitted;
        }
    }

    /// Values that fp16 cannot hold: what is kept of an fp32 weight is kept bit by bit, and chosen
    /// by its own magnitude.
    void fp32StaysExact()
    {
        const auto [how, fitted] = fetched<int, bool>();
        auto values = gaussian(24 * 40);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] *= i % 3 == 0 ? 1e30f : i % 3 == 1 ? 1e-30f : 1.0f; // ties in fp16: inf and 0
        values[5] = 0.0f;
        values[6] = -0.0f;
        values[7] = std::numeric_limits<float>::denorm_min();
        const Shape shape{24, 40};
        FormSpec spec;
        spec.node = FormNode::Sparse;
        spec.method = fitted ? EncodeMethod::Fitted : EncodeMethod::Plain;
        std::vector<bool> stays(values.size());
        const auto larger = [&](std::size_t a, std::size_t b) {
            return std::abs(values[a]) > std::abs(values[b]);
        };
        if (how < 2) {
            if (how == 1)
                spec.threshold = 1e-10f;
            for (std::size_t i = 0; i < values.size(); ++i)
                stays[i] = values[i] != 0 && std::abs(values[i]) >= (how == 1 ? 1e-10f : 0.0f);
        } else {
            const std::size_t run = how == 2 ? values.size() : 4;
            const std::size_t keep = how == 2 ? 720 : 3;
            if (how == 2)
                spec.density = 0.75;
            else
                spec.pattern = SparsePattern{3, 4, 1};
            for (std::size_t first = 0; first < values.size(); first += run) {
                std::vector<std::size_t> order(run);
                std::iota(order.begin(), order.end(), first);
                std::ranges::stable_sort(order, larger);
                for (std::size_t i = 0; i < keep; ++i)
                    stays[order[i]] = values[order[i]] != 0;
            }
        }
        const auto encoded = VERIFIED(encodeForm(values, shape, spec, ElementType::Fp32));
        QVERIFY(encoded->type == ElementType::Fp32);
        std::vector<std::byte> mask(values.size() / 8);
        std::vector<float> kept;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!stays[i])
                continue;
            mask[i / 8] |= static_cast<std::byte>(1u << (i % 8));
            kept.push_back(values[i]);
        }
        QVERIFY(part(*encoded, PartRole::Mask).bytes == mask);
        const auto &data = part(*encoded, PartRole::NonzeroData);
        QVERIFY(data.type == ElementType::Fp32);
        QCOMPARE(data.bytes.size(), 4 * kept.size());
        QVERIFY(std::memcmp(data.bytes.data(), kept.data(), data.bytes.size()) == 0);
    }
};

KERNSCOPE_TEST(TestEncodePalette, NoApplication)
#include "tst_encode_palette.moc"
