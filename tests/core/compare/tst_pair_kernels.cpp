// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_kernels.h"
#include "core/numeric/half.h"
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
        runs.a[i] = static_cast<std::uint16_t>(random());
        runs.b[i] = random() % 4 == 0 ? runs.a[i] : static_cast<std::uint16_t>(random());
    }
    return runs;
}

/// Finite numbers of which some become zero, some leave zero, and some move by a few steps.
Runs finiteBits(std::size_t count, unsigned seed, unsigned most)
{
    std::mt19937 random(seed);
    Runs runs{"finite up to " + std::to_string(most), Halves(count), Halves(count)};
    const auto half = [&] {
        const auto sign = static_cast<std::uint16_t>(random() % 2 == 0 ? 0x8000 : 0);
        return static_cast<std::uint16_t>(random() % (most + 1) | sign);
    };
    for (std::size_t i = 0; i < count; ++i) {
        runs.a[i] = random() % 8 == 0 ? static_cast<std::uint16_t>(random() % 2 << 15) : half();
        switch (random() % 5) {
        case 0: runs.b[i] = runs.a[i]; break;
        case 1: runs.b[i] = static_cast<std::uint16_t>(random() % 2 << 15); break;
        case 2: runs.b[i] = static_cast<std::uint16_t>(runs.a[i] ^ 1U); break;
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
        runs.a[i] = static_cast<std::uint16_t>(0x2c00U + 0x61U * (random() % 16));
        runs.b[i] = static_cast<std::uint16_t>(runs.a[i] + step * (random() % 2));
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
};

KERNSCOPE_TEST(TestPairKernels, kernscope::test::NoApplication)
#include "tst_pair_kernels.moc"
