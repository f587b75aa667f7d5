// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest> // first: moc 6.4 stumbles over <concepts> otherwise

#include "core/codec/encode/optimal_centres.h"
#include "core/codec/encode/priced_splits.h"
#include "core/numeric/half.h"
#include "masses.h"
#include "tests/test_program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

/// Values and masses as leaps meet them; also some with very many equal clusterings.
std::vector<MassedValue> leapMasses(int kind, std::size_t count, std::mt19937 &random)
{
    if (kind < 3)
        return someMasses(kind, std::min<std::size_t>(count, kind == 1 ? 2000 : count), random);
    std::normal_distribution<float> normal(0, 0.05f);
    std::map<float, double> masses;
    for (std::size_t i = 0; i < 20 * count && masses.size() < count; ++i) {
        float value = normal(random);
        if (kind == 4)
            value = i % 3 == 0 ? 4 + value * 8 : value;
        else if (kind == 5)
            value = std::round(value * 4096) / 4096;
        masses[toHalf(value)] += 1;
    }
    std::vector<MassedValue> values;
    for (const auto &[value, mass] : masses)
        values.push_back({value, mass});
    return values;
}

/// Running sums over the first values.
struct Sums {
    explicit Sums(const std::vector<MassedValue> &values)
        : mass(values.size() + 1), sum(mass), square(mass)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double m = values[i].mass;
            const auto v = static_cast<double>(values[i].value);
            mass[i + 1] = mass[i] + m;
            sum[i + 1] = sum[i] + m * v;
            square[i + 1] = square[i] + m * v * v;
        }
    }
    RunningSums all() const { return {mass.data(), sum.data(), square.data(), nullptr, nullptr}; }

    std::vector<double> mass, sum, square;
};

/// The rows of the programme, where each tries every split and keeps the first of the best.
class EverySplit
{
public:
    EverySplit(const Sums &sums, RunCentre centre, std::size_t clusters)
    {
        const std::size_t n = sums.mass.size() - 1;
        std::vector<double> best(n + 1, HUGE_VAL);
        best[0] = 0;
        for (std::size_t c = 1; c <= std::min(clusters, n); ++c) {
            std::vector<double> next(n + 1, HUGE_VAL);
            std::vector<std::uint32_t> split(n + 1);
            for (std::size_t end = c; end <= n; ++end) {
                const std::size_t last = c == 1 ? 1 : end;
                for (std::size_t at = c - 1; at < last; ++at) {
                    const double error = best[at] + errorOf(sums, centre, at, end);
                    if (error < next[end]) {
                        next[end] = error;
                        split[end] = static_cast<std::uint32_t>(at);
                    }
                }
            }
            best = next;
            m_splits.push_back(std::move(split));
            m_errors.push_back(best[n]);
        }
    }

    double error(std::size_t clusters) const { return m_errors[clusters - 1]; }

    std::vector<std::uint32_t> bounds(std::size_t clusters) const
    {
        std::vector<std::uint32_t> bounds(clusters + 1);
        auto end = static_cast<std::uint32_t>(m_splits.front().size() - 1);
        for (std::size_t c = clusters; c > 0; --c) {
            bounds[c] = end;
            end = m_splits[c - 1][end];
        }
        return bounds;
    }

private:
    /// Its steps are told apart by `volatile`: no compiler makes one of a product and a sum.
    static double errorOf(const Sums &sums, RunCentre centre, std::size_t first, std::size_t end)
    {
        const double mass = sums.mass[end] - sums.mass[first];
        const double sum = sums.sum[end] - sums.sum[first];
        const double error =
            std::max(0.0, sums.square[end] - sums.square[first] - sum * sum / mass);
        if (centre == RunCentre::Mean)
            return error;
        const double middle = sum / mass;
        const double off = static_cast<double>(halfToFloat(doubleToHalf(middle))) - middle;
        const volatile double more = mass * off * off;
        return error + more;
    }

    std::vector<std::vector<std::uint32_t>> m_splits; ///< by clusters - 1, then end
    std::vector<double> m_errors;
};

} // namespace

class TestPricedSplits : public QObject
{
    Q_OBJECT

private slots:
    void leapsAreAsBySteps_data();
    void leapsAreAsBySteps();
    void leapsOfStrangeNumbers();
};

void TestPricedSplits::leapsAreAsBySteps_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("half");
    const char *const kinds[] = {"bell", "even", "scales", "counted bell", "two bells", "steps"};
    for (int kind = 0; kind < 6; ++kind) {
        for (const int count : {200, 310}) {
            for (const bool half : {false, true})
                QTest::addRow("%s, %d, %s", kinds[kind], count, half ? "half" : "mean")
                    << kind << count << half;
        }
    }
}

/// A clustering that is found at once is that of the programme which tries every split of every
/// row, bit for bit, with however many others it shares its error; the rows have no better one.
void TestPricedSplits::leapsAreAsBySteps()
{
    QFETCH(int, kind);
    QFETCH(int, count);
    QFETCH(bool, half);
    std::mt19937 random(static_cast<unsigned>(31 + kind));
    const auto values = leapMasses(kind, static_cast<std::size_t>(count), random);
    const RunCentre centre = half ? RunCentre::Half : RunCentre::Mean;
    const Sums sums(values);
    const EverySplit every(sums, centre, 100);
    bool found = false;
    for (const std::size_t clusters : {2u, 40u, 65u, 100u}) {
        if (clusters > values.size())
            continue;
        const auto leap =
            pricedSplits({.sums = sums.all(),
                          .centre = centre,
                          .count = values.size(),
                          .clusters = clusters,
                          .squares = sums.square.back(),
                          .knownError = runError(sums.all(), centre, 0, values.size()),
                          .knownClusters = 1});
        OptimalCentres rows(values, centre), once(values, centre);
        for (std::size_t step = 1; step < clusters; ++step)
            rows.of(step);
        const double byRows = errorWith(values, rows.of(clusters));
        QVERIFY(errorWith(values, once.of(clusters)) <= byRows * (1 + 1e-9) + 1e-12);
        QCOMPARE(once.of(clusters), once.of(clusters));
        if (!leap)
            continue; // by rows then
        found = true;
        QCOMPARE(leap->bounds, every.bounds(clusters));
        QCOMPARE(std::bit_cast<std::uint64_t>(leap->error),
                 std::bit_cast<std::uint64_t>(every.error(clusters)));
    }
    QVERIFY(found);
}

/// Numbers that no price fits: an answer by the rows, or none, and no endless search.
void TestPricedSplits::leapsOfStrangeNumbers()
{
    const std::vector<std::vector<MassedValue>> all{
        std::vector<MassedValue>{{-65504, 1}, {0, 1}, {65504, 1}},
        std::vector<MassedValue>{{0, 1e300}, {1e-7f, 1e-300}, {1, 1}, {2, 1}},
        std::vector<MassedValue>{{1e-7f, 1}, {2e-7f, 1}, {3e-7f, 1}, {65504, 1e9}}};
    for (const auto &values : all) {
        for (std::size_t clusters = 2; clusters <= values.size(); ++clusters) {
            for (const RunCentre centre : {RunCentre::Mean, RunCentre::Half}) {
                const Sums sums(values);
                for (const double known : {0.0, 1e-300, 1.0, HUGE_VAL}) {
                    const auto leap = pricedSplits({.sums = sums.all(),
                                                    .centre = centre,
                                                    .count = values.size(),
                                                    .clusters = clusters,
                                                    .squares = sums.square.back(),
                                                    .knownError = known,
                                                    .knownClusters = 1});
                    if (leap) {
                        QCOMPARE(leap->bounds.size(), clusters + 1);
                        QVERIFY(std::is_sorted(leap->bounds.begin(), leap->bounds.end()));
                    }
                }
            }
        }
    }
}

KERNSCOPE_TEST(TestPricedSplits, kernscope::test::NoApplication)
#include "tst_priced_splits.moc"
