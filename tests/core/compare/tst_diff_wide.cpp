// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/worst_places.h"
#include "diff_sample.h"
#include "tests/test_program.h"

namespace {

constexpr std::uint64_t kTwo53 = std::uint64_t{1} << 53;
constexpr std::uint64_t kTwo63 = std::uint64_t{1} << 63;

BundlePtr unsignedOf(const std::vector<std::uint64_t> &values)
{
    return checkpointOf("U64", values.size(), bytesOf(values));
}

BundlePtr signedOf(const std::vector<std::int64_t> &values)
{
    return checkpointOf("I64", values.size(), bytesOf(values));
}

BundlePtr doublesOf(const std::vector<double> &values)
{
    return checkpointOf("F64", values.size(), bytesOf(values));
}

ValueDifference figuresOf(const BundlePtr &a, const BundlePtr &b, double tolerance = 0)
{
    return *compareValues(*a, *b, {0, 0}, tolerance);
}

WorstPlaces placesOf(const BundlePtr &a, const BundlePtr &b)
{
    PlacesWanted wanted;
    wanted.channels = wanted.elements = 10;
    wanted.bins = true;
    return *findWorstPlaces(*a, *b, {0, 0}, wanted);
}

bool near(double found, double expected)
{
    return std::abs(found - expected) <= 1e-12 * std::abs(expected);
}

} // namespace

/// Numbers that doubles do not hold, or whose squares they do not hold.
class TestDiffWide : public QObject
{
    Q_OBJECT

private slots:
    /// Whether 2^63 + 1 equals -2^63 + 1, whose bits are the same, or 2^63, which is the same
    /// double.
    void unsignedAgainstSigned()
    {
        const auto a = unsignedOf({kTwo63 + 1, kTwo53 + 1, 7, UINT64_MAX});
        const auto b = signedOf({std::numeric_limits<std::int64_t>::min() + 1,
                                 static_cast<std::int64_t>(kTwo53), 7, -1});
        for (const bool swapped : {false, true}) {
            const auto found = swapped ? figuresOf(b, a) : figuresOf(a, b);
            QCOMPARE(found.equal, std::uint64_t{1});
            QCOMPARE(found.changed, std::uint64_t{3});
            QCOMPARE(found.maxUlp, UINT64_MAX); // 2^64 is more than is counted
            QCOMPARE(found.maxAbs, 0x1p64);
            QCOMPARE(found.ulpHistogram[1], std::uint64_t{1});
            QCOMPARE(found.unfaithful, std::uint64_t{3}); // fp16 has no number for any but -1
        }
    }

    void againstFloatingPoint()
    {
        const auto whole = unsignedOf({kTwo53 + 1, kTwo53, 0, 3});
        const auto real = doublesOf({0x1p53, 0x1p53, 0.25, std::nan("")});
        const auto found = figuresOf(whole, real);
        QCOMPARE(found.equal, std::uint64_t{1});
        QCOMPARE(found.changed, std::uint64_t{2});
        QCOMPARE(found.revived, std::uint64_t{1});
        QCOMPARE(found.notFinite, std::uint64_t{1});
        QCOMPARE(found.nonfiniteB, std::uint64_t{1});
        QVERIFY(std::isinf(found.maxAbs));
        QCOMPARE(found.maxUlp, std::uint64_t{1});
        QCOMPARE(figuresOf(real, whole).zeroed, std::uint64_t{1});
    }

    /// 2^53 and 2^53 + 1 are one apart, though one double stands for both.
    void neighboursBeyondDoubles()
    {
        const auto a = unsignedOf({kTwo53, 5, kTwo53, 6}),
                   b = unsignedOf({kTwo53 + 1, 5, kTwo53, 6});
        const auto found = figuresOf(a, b, 0.5);
        QCOMPARE(found.maxAbs, 1.0);
        QCOMPARE(found.meanAbs, 0.25);
        QCOMPARE(found.rmse, 0.5);
        QCOMPARE(found.beyondTolerance, std::uint64_t{1});
        QCOMPARE(figuresOf(a, b, 1).beyondTolerance, std::uint64_t{0});
        QVERIFY(found.worst && found.worst->a != found.worst->b);
        const WorstPlaces places = placesOf(a, b);
        QCOMPARE(places.worstElements.size(), std::size_t{1});
        QCOMPARE(places.worstElements.front().b - places.worstElements.front().a, ExactValue{1});
        QCOMPARE(places.differentChannels, std::uint64_t{1});
        QCOMPARE(places.worstChannels.front().maxAbs, 1.0);
    }

    /// The squares of numbers above 1e154 are no doubles.
    void largestDoubles()
    {
        constexpr double kMost = std::numeric_limits<double>::max();
        const auto a = doublesOf({1e200, -1e200, 0, 1e200}),
                   b = doublesOf({1e200, 1e200, 0, 1e200});
        const auto found = figuresOf(a, b);
        QVERIFY(near(found.rmse, 1e200));
        QVERIFY(near(found.meanAbs, 5e199));
        QVERIFY(near(found.cosine, 1.0 / 3));
        QVERIFY(near(found.snr, 10 * std::log10(0.75)));
        const auto small = figuresOf(doublesOf({1e-200, 1e-200}), doublesOf({1e-200, -1e-200}));
        QVERIFY(near(small.cosine + 1, 1));
        QVERIFY(near(small.rmse, std::sqrt(2.0) * 1e-200));
        // Sums, and where both are the largest ones even a difference, are beyond them as well.
        const auto largest =
            figuresOf(doublesOf({kMost, kMost, 1}), doublesOf({kMost / 2, kMost, 1}));
        QVERIFY(near(largest.meanAbs, kMost / 6));
        QVERIFY(near(largest.rmse, kMost / 2 / std::sqrt(3.0)));
        QVERIFY(near(largest.cosine, 1.5 / std::sqrt(2.0) / std::sqrt(1.25)));
        const WorstPlaces places = placesOf(a, b);
        QVERIFY(near(places.worstChannels.front().maxAbs, 2e200));
        QVERIFY(near(places.worstChannels.front().rmse, 2e200));
        QVERIFY(std::isfinite(places.worstChannels.front().snr));
        const WorstPlaces edge = placesOf(doublesOf({kMost, 1}), doublesOf({kMost / 2, 1}));
        QVERIFY(edge.bins && std::isfinite(edge.bins->width));
        QCOMPARE(edge.bins->outside, std::uint64_t{0});
    }

    /// In their new order the channels are the same but for one that a float would not tell apart.
    void reorderedLongIntegers()
    {
        constexpr std::uint64_t kChannels = 8, kInputs = 64;
        std::vector<std::int64_t> a(kChannels * kInputs), b(a.size());
        std::uint64_t state = 1;
        for (std::int64_t &value : a) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            value = static_cast<std::int64_t>(state) / 4;
        }
        for (std::size_t i = 0; i < a.size(); ++i)
            b[(i / kInputs + 3) % kChannels * kInputs + i % kInputs] = a[i];
        b[5 * kInputs + 1] += 1;
        const auto file = [&](const std::vector<std::int64_t> &values) {
            return checkpointOf("I64", {kChannels, kInputs}, bytesOf(values));
        };
        const Difference difference = whole(file(a), file(b));
        const ComparedPair &pair = difference.weights.front();
        QVERIFY(pair.order && pair.reordered);
        QCOMPARE(pair.reordered->different, std::uint64_t{1});
        QCOMPARE(pair.reordered->maxAbs, 1.0);
    }

    void exactTexts()
    {
        QCOMPARE(exactText(0.1), "0.1");
        QCOMPARE(exactText(static_cast<ExactValue>(kTwo53 + 1)), "9007199254740993");
        QCOMPARE(exactText(static_cast<ExactValue>(UINT64_MAX)), "18446744073709551615");
        QCOMPARE(exactText(std::nan("")), "nan");
    }
};

KERNSCOPE_TEST(TestDiffWide, QCoreApplication)
#include "tst_diff_wide.moc"
