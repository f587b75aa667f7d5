// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/worst_places.h"
#include "diff_sample.h"
#include "tests/test_program.h"

namespace {

constexpr std::size_t kBins = PairBins::kBins;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t sum(const std::vector<std::uint64_t> &counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
}

/// Every element counts once in each histogram and once in what both values say together, in the
/// bin whose edges hold it.
void checkAgainst(const PairBins &bins, const std::vector<double> &a, const std::vector<double> &b)
{
    const std::uint64_t all = a.size();
    QCOMPARE(sum(bins.a) + bins.outsideA + bins.notFiniteA, all);
    QCOMPARE(sum(bins.b) + bins.outsideB + bins.notFiniteB, all);
    QCOMPARE(sum(bins.both) + sum(bins.zeroed) + sum(bins.revived) + bins.zeros + bins.outside +
                 bins.notFinite,
             all);
    PairBins plain;
    plain.a.assign(kBins, 0);
    plain.both.assign(kBins * kBins, 0);
    plain.first.assign(kBins * kBins, PairBins::kNoElement);
    plain.zeroed.assign(kBins, 0);
    const auto bin = [&](double value) {
        std::size_t found = kBins;
        for (std::size_t i = 0; i < kBins; ++i)
            found = bins.edge(i) <= value && value < bins.edge(i + 1) ? i : found;
        return found;
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t x = bin(a[i]), y = bin(b[i]);
        if (x < kBins)
            ++plain.a[x];
        if (x == kBins || y == kBins)
            continue;
        if (a[i] != 0 && b[i] == 0)
            ++plain.zeroed[x];
        if (a[i] != 0 && b[i] != 0 && plain.both[y * kBins + x]++ == 0)
            plain.first[y * kBins + x] = i;
    }
    QCOMPARE(bins.a, plain.a);
    QCOMPARE(bins.both, plain.both);
    QCOMPARE(bins.first, plain.first);
    QCOMPARE(bins.zeroed, plain.zeroed);
}

} // namespace

class TestPairBins : public QObject
{
    Q_OBJECT

private slots:
    void random_data()
    {
        addColumns<double, double>();
        addRow("as wide as needed", 1.0, 0.99);
        addRow("widened once", 1.0, 1.9);
        addRow("widened twice", 1.0, 3.9);
        addRow("some beyond", 1.0, 40.0);
        addRow("tiny", 3e-7, 2.5e-7);
        addRow("no range", 0.0, 0.5);
    }

    void random()
    {
        const auto [range, scale] = fetched<double, double>();
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> value(-scale, scale);
        std::vector<double> a, b;
        for (int i = 0; i < 3000; ++i) {
            a.push_back(i % 7 == 0 ? 0 : value(random));
            b.push_back(i % 5 == 0 ? 0 : i % 3 == 0 ? value(random) : a.back());
        }
        diff::PairBinner binner(range);
        // In runs: widening later must not change what was counted before.
        for (std::size_t at = 0; at < a.size(); at += 100)
            binner.add(at, std::span(a).subspan(at, 100), std::span(b).subspan(at, 100));
        const PairBins bins = binner.take();
        checkAgainst(bins, a, b);
        if (scale <= 4 * range)
            QCOMPARE(bins.outside, std::uint64_t(0));
    }

    void wild()
    {
        diff::PairBinner binner(1);
        const std::vector<double> a{kNan, 1, -kInfinity, 0, -0.0, 1e30, 4},
            b{1, kInfinity, kNan, -0.0, 5e-324, 1, 0};
        binner.add(10, a, b);
        const PairBins bins = binner.take();
        QCOMPARE(bins.notFiniteA, std::uint64_t(2));
        QCOMPARE(bins.notFiniteB, std::uint64_t(2));
        QCOMPARE(bins.notFinite, std::uint64_t(3));
        QCOMPARE(bins.zeros, std::uint64_t(1));
        QCOMPARE(sum(bins.revived), std::uint64_t(1));
        QCOMPARE(bins.outsideA, std::uint64_t(2)); // 1e30; 4 is the edge of the widest bins
        QCOMPARE(bins.outside, std::uint64_t(2));
        QVERIFY(bins.occupied());
        QVERIFY(!diff::PairBinner(1).take().occupied());
    }

    /// All elements, by the pass that finds the worst places.
    void ofWeights()
    {
        for (const SampleForm &form : sampleForms()) {
            const BundlePtr a = *sampleBundle("dense-fp16").open();
            const BundlePtr b = *sampleBundle(form.name).open();
            const auto from = decoded(*a, "w"), to = decoded(*b, "w");
            if (from.size() != to.size())
                continue;
            const auto places = findWorstPlaces(*a, *b, {0, 0}, {0, 0, true});
            QVERIFY(places && places->bins);
            QVERIFY(places->worstChannels.empty() && places->worstElements.empty());
            checkAgainst(*places->bins, {from.begin(), from.end()}, {to.begin(), to.end()});
            QVERIFY(!findWorstPlaces(*a, *b, {0, 0}, {1, 1})->bins);
        }
    }
};

KERNSCOPE_TEST(TestPairBins, QCoreApplication)
#include "tst_pair_bins.moc"
