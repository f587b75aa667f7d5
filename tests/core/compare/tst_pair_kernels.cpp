// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_kernels.h"
#include "core/compare/worst_places.h"
#include "core/numeric/half.h"
#include "diff_sample.h"
#include "tests/test_program.h"

#include <hwy/targets.h>

using namespace kernscope::diff;

namespace {

using Halves = std::vector<std::uint16_t>;

struct Runs {
    std::string name;
    Halves a, b;
};

/// Every kind of number against every other, many times over.
Runs anyBits(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    Runs runs{"any bits", Halves(count), Halves(count)};
    for (std::size_t i = 0; i < count; ++i) {
        runs.a[i] = std::uint16_t(random());
        runs.b[i] = random() % 4 == 0 ? runs.a[i] : std::uint16_t(random());
    }
    return runs;
}

/// Finite numbers of which some become zero, some leave zero, and some move by a few steps.
Runs finiteBits(std::size_t count, unsigned seed, unsigned most)
{
    std::mt19937 random(seed);
    Runs runs{"finite up to " + std::to_string(most), Halves(count), Halves(count)};
    const auto half = [&] {
        const auto sign = std::uint16_t(random() % 2 == 0 ? 0x8000 : 0);
        return std::uint16_t(random() % (most + 1) | sign);
    };
    for (std::size_t i = 0; i < count; ++i) {
        runs.a[i] = random() % 8 == 0 ? std::uint16_t(random() % 2 << 15) : half();
        switch (random() % 5) {
        case 0: runs.b[i] = runs.a[i]; break;
        case 1: runs.b[i] = std::uint16_t(random() % 2 << 15); break;
        case 2: runs.b[i] = std::uint16_t(runs.a[i] ^ 1U); break;
        default: runs.b[i] = half();
        }
    }
    return runs;
}

/// Numbers of few values, so that the largest quotient comes many times; `step`: of B against A.
Runs fewValues(std::size_t count, unsigned seed, unsigned step)
{
    std::mt19937 random(seed);
    Runs runs{"few values, step " + std::to_string(step), Halves(count), Halves(count)};
    for (std::size_t i = 0; i < count; ++i) {
        runs.a[i] = std::uint16_t(0x2c00U + 0x61U * (random() % 16));
        runs.b[i] = std::uint16_t(runs.a[i] + step * (random() % 2));
    }
    return runs;
}

std::vector<Runs> allRuns()
{
    std::vector<Runs> runs;
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{31}, std::size_t{64}, std::size_t{1000}, std::size_t{4095},
          kKernelElements - 17, kKernelElements}) {
        for (unsigned seed = 1; seed <= 4; ++seed) {
            runs.push_back(anyBits(count, seed));
            for (const unsigned most : {0x0000U, 0x0002U, 0x03ffU, 0x2fffU, 0x7bffU})
                runs.push_back(finiteBits(count, seed, most));
            for (const unsigned step : {0U, 1U, 7U, 0x400U})
                runs.push_back(fewValues(count, seed, step));
        }
        // One that is not finite among many that are, at each end.
        for (const bool first : {true, false}) {
            Runs one = finiteBits(count, 9, 0x3c00);
            one.a[first ? 0 : count - 1] = 0x7c00;
            runs.push_back(one);
            one.b[first ? 0 : count - 1] = 0x7e01;
            runs.push_back(one);
        }
    }
    return runs;
}

constexpr double kOfOneRun = 1e-12;   ///< what the order of a sum of doubles comes to
constexpr double kOfManyRuns = 1e-10; ///< of the plain loop over all runs, one after the other

/// Sums of doubles in another order.
bool isNear(double a, double b, double within)
{
    return std::abs(a - b) <= within * std::max(std::abs(a), std::abs(b));
}

/// What differs; empty where nothing does.
std::string differs(const HalfFigures &found, const HalfFigures &plain, double within = kOfOneRun)
{
    if (found.equal != plain.equal || found.zeroed != plain.zeroed ||
        found.revived != plain.revived || found.notFinite != plain.notFinite ||
        found.finite != plain.finite)
        return "counts";
    if (found.maxUlp != plain.maxUlp || found.ulp != plain.ulp)
        return "steps";
    if (found.largest != plain.largest)
        return "largest difference";
    if (found.largestRelative != plain.largestRelative)
        return "largest quotient";
    if (!isNear(found.abs, plain.abs, within) || !isNear(found.square, plain.square, within) ||
        !isNear(found.aa, plain.aa, within) || !isNear(found.bb, plain.bb, within) ||
        std::abs(found.ab - plain.ab) > within * (plain.aa + plain.bb))
        return "sums";
    return {};
}

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

/// The vector code of comparisons against the plainest loop, on every instruction set.
class TestPairKernels : public QObject
{
    Q_OBJECT

private slots:
    void isThePlainLoop_data()
    {
        QTest::addColumn<qlonglong>("target");
        for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
            const std::int64_t target = rest & -rest;
            QTest::addRow("%s", hwy::TargetName(target)) << static_cast<qlonglong>(target);
        }
    }

    void isThePlainLoop()
    {
        QFETCH(const qlonglong, target);
        hwy::SetSupportedTargetsForTest(target);
        for (const Runs &runs : allRuns()) {
            HalfFigures found, plain;
            addHalfFigures(runs.a, runs.b, found);
            addHalfFiguresPlainly(runs.a, runs.b, plain);
            const std::string wrong = differs(found, plain);
            QVERIFY2(wrong.empty(),
                     (wrong + ": " + runs.name + ", " + std::to_string(runs.a.size())).c_str());
        }
    }

    /// What is known of runs before stays, whatever comes after.
    void figuresAddUp()
    {
        HalfFigures found, plain;
        for (const Runs &runs : allRuns()) {
            addHalfFigures(runs.a, runs.b, found);
            addHalfFiguresPlainly(runs.a, runs.b, plain);
            const std::string wrong = differs(found, plain, kOfManyRuns);
            QVERIFY2(wrong.empty(), (wrong + ": " + runs.name).c_str());
        }
    }

    void equalRuns()
    {
        for (const Runs &runs : allRuns()) {
            HalfFigures found, plain;
            addEqualHalves(runs.a, found);
            addHalfFiguresPlainly(runs.a, runs.a, plain);
            const std::string wrong = differs(found, plain);
            QVERIFY2(wrong.empty(), (wrong + ": " + runs.name).c_str());
        }
    }

    void cleanup() { hwy::SetSupportedTargetsForTest(0); }

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
            QCOMPARE(bins.outside, 0U);
    }

    void wild()
    {
        diff::PairBinner binner(1);
        const std::vector<double> a{kNan, 1, -kInfinity, 0, -0.0, 1e30, 4},
            b{1, kInfinity, kNan, -0.0, 5e-324, 1, 0};
        binner.add(10, a, b);
        const PairBins bins = binner.take();
        QCOMPARE(bins.notFiniteA, 2U);
        QCOMPARE(bins.notFiniteB, 2U);
        QCOMPARE(bins.notFinite, 3U);
        QCOMPARE(bins.zeros, 1U);
        QCOMPARE(sum(bins.revived), 1U);
        QCOMPARE(bins.outsideA, 2U); // 1e30; 4 is the edge of the widest bins
        QCOMPARE(bins.outside, 2U);
        const std::vector<ElementPair> far{{15, 1e30, 1}, {16, 4, 0}};
        QCOMPARE(bins.far, far);
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

KERNSCOPE_TEST(TestPairKernels, QCoreApplication)
#include "tst_pair_kernels.moc"
