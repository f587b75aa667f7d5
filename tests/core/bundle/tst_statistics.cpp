// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"

#include "core/base/sha256.h"
#include "core/bundle/part_data.h"
#include "core/bundle/statistics.h"
#include "core/numeric/half_counts.h"
#include "tests/test_program.h"

#include <hwy/targets.h>

namespace {

Result<BundlePtr> denseBundle(const Bytes &values)
{
    MadeBundle made;
    const std::string shape = fmt::format("[2, {}]", values.size() / 4);
    made.weight("w", shape, values);
    return made.open();
}

/// A mask of 2 x 10 elements with `bits` (20 of them) and as many values as are given.
Result<BundlePtr> sparseBundle(std::string_view bits, const Bytes &values)
{
    MadeBundle made;
    const auto mask = made.blob(ElementType::Uint1, "[2, 10]", hex(bits), 4);
    const auto kept = made.blob(ElementType::Fp16, fmt::format("[{}]", values.size() / 2), values);
    made.line(fmt::format("tensor<fp16, [2, 10]> w = constexpr_sparse_to_dense(mask = {}, "
                          "nonzero_data = {})[name = string(\"w\")]",
                          mask, kept));
    return made.open();
}

} // namespace

class TestStatistics : public QObject
{
    Q_OBJECT

private slots:
    void figures()
    {
        const float inf = std::numeric_limits<float>::infinity();
        const Bytes values = halves({1, -3, 0, -0.0F, inf, -inf, std::nanf(""), 4});
        const auto bundle = VERIFIED(denseBundle(values));
        const auto statistics = VERIFIED(computeStatistics(**bundle, 0, {true, true}));
        QCOMPARE(statistics->elements, 8U);
        QCOMPARE(statistics->zeros, 2U);
        QCOMPARE(statistics->nan, 1U);
        QCOMPARE(statistics->inf, 2U);
        QCOMPARE(statistics->min, -3.0);
        QCOMPARE(statistics->max, 4.0);
        QCOMPARE(statistics->mean, 0.4);
        QVERIFY(std::abs(statistics->standardDeviation - std::sqrt(26.0 / 5 - 0.16)) < 1e-12);
        QCOMPARE(statistics->zeroFraction(), 0.25);
        QCOMPARE(statistics->sha256, *Sha256::hexOf(values));
    }

    void onlyWhatIsAsked()
    {
        const auto bundle = denseBundle(halves({1, 2}));
        const auto hash = computeStatistics(**bundle, 0, {false, true});
        QVERIFY(hash && !hash->sha256.empty() && hash->max == 0);
        const auto figures = computeStatistics(**bundle, 0, {true, false});
        QVERIFY(figures && figures->sha256.empty() && figures->max == 2);
        QVERIFY(!figures->distinct);
    }

    void nothingFinite()
    {
        const auto bundle = denseBundle(halves({std::nanf(""), std::nanf("")}));
        const auto statistics = VERIFIED(computeStatistics(**bundle, 0, {}));
        QCOMPARE(statistics->min, 0.0);
        QCOMPARE(statistics->mean, 0.0);
        const auto histogram = VERIFIED(computeHistogram(**bundle, 0, 4));
        QCOMPARE(histogram->bins, std::vector<std::uint64_t>(4));
    }

    /// More elements than one block, against sums in the plainest way.
    void againstPlainSums()
    {
        QRandomGenerator random(7);
        Bytes values;
        double sum = 0;
        std::uint64_t zeros = 0;
        const std::size_t count = 150000;
        for (std::size_t i = 0; i < count; ++i) {
            const float value = float(int(random.bounded(2001)) - 1000) / 64.0F;
            const Bytes half = halves({value});
            values.insert(values.end(), half.begin(), half.end());
            sum += value;
            zeros += value == 0 ? 1 : 0;
        }
        const auto bundle = denseBundle(values);
        const auto statistics = VERIFIED(computeStatistics(**bundle, 0, {true, true}));
        QCOMPARE(statistics->zeros, zeros);
        QCOMPARE(statistics->min, -15.625);
        QCOMPARE(statistics->max, 15.625);
        QVERIFY(std::abs(statistics->mean - sum / double(count)) < 1e-9);
        QCOMPARE(statistics->sha256, *Sha256::hexOf(values));
    }

    /// fp32 and long integers keep the digits that fp16 has not: neither subnormals of fp16, nor
    /// what is larger than its range, nor a last place is lost.
    void storedPrecision()
    {
        MadeBundle made;
        const std::vector<float> values{1.0F, 1.00000012F, 1e-30F, -3e38F, 0.0F, 1e-9F};
        const auto bytes = std::as_bytes(std::span(values));
        made.weight("w", "[2, 3]", Bytes(bytes.begin(), bytes.end()), ElementType::Fp32);
        const std::vector<std::int32_t> numbers{2147483647, -2147483647, 1, 0};
        const auto words = std::as_bytes(std::span(numbers));
        made.weight("i", "[4]", Bytes(words.begin(), words.end()), ElementType::Int32);
        const auto bundle = VERIFIED(made.open());
        for (const bool hash : {false, true}) {
            const auto figures = VERIFIED(computeStatistics(**bundle, 0, {true, hash}));
            QCOMPARE(figures->zeros, 1U);
            QCOMPARE(figures->inf, 0U);
            QCOMPARE(figures->min, double(-3e38F));
            QCOMPARE(figures->max, double(1.00000012F));
        }
        QCOMPARE(*channelDensity(**bundle, 0), std::vector<std::uint64_t>({3, 2}));
        const auto integers = computeStatistics(**bundle, 1, {});
        QCOMPARE(integers->max, 2147483647.0);
        QCOMPARE(integers->mean, 0.25);
        QCOMPARE(computeHistogram(**bundle, 1, 2)->bins, std::vector<std::uint64_t>({1, 3}));
    }

    void histogram()
    {
        const auto bundle = denseBundle(halves({0, 1, 2, 3, 4, 4, 1, 1}));
        const auto histogram = VERIFIED(computeHistogram(**bundle, 0, 4));
        QCOMPARE(histogram->low, 0.0);
        QCOMPARE(histogram->high, 4.0);
        QCOMPARE(histogram->bins, std::vector<std::uint64_t>({1, 3, 1, 3}));
        const auto one = computeHistogram(**denseBundle(halves({5, 5})), 0, 3);
        QCOMPARE(one->bins, std::vector<std::uint64_t>({2, 0, 0}));
        QVERIFY(!computeHistogram(**bundle, 0, 0));
    }

    void density()
    {
        const auto plain = denseBundle(halves({0, 1, 2, 0, -0.0F, 0, 3, 0}));
        QCOMPARE(*channelDensity(**plain, 0), std::vector<std::uint64_t>({2, 1}));
        const auto masked = sparseBundle("03 08 0C", halves({0, 1, 2, 3, 4}));
        QCOMPARE(*channelDensity(**masked, 0), std::vector<std::uint64_t>({2, 3}));
        MadeBundle made;
        const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("09"), 4);
        made.line("tensor<uint1, [4, 2]> m, tensor<fp16, [4]> v = constexpr_lut_to_sparse("
                  "indices_mask = " +
                  mask +
                  ", indices_nonzero_data = " + made.blob(ElementType::Uint1, "[2]", hex("01"), 6) +
                  ", lut = tensor<fp16, [1, 1, 2, 2]>([0x0p0, 0x1p0, 0x1p1, 0x0p0]), vector_axis = "
                  "int32(0))[name = string(\"p\")]");
        made.op("w", "[4, 2]", "constexpr_sparse_to_dense(mask = m, nonzero_data = v)");
        const auto vectors = VERIFIED(made.open());
        QCOMPARE(faults((*vectors)->diagnostics()), std::vector<std::string>());
        QCOMPARE(*channelDensity(**vectors, 0), std::vector<std::uint64_t>({1, 1, 1, 1}));
        Progress progress;
        const auto figures = VERIFIED(MaskFigures::compute(**vectors, 0, progress));
        QCOMPARE(figures->kept, 4U); // elements, each index being two of them
        QCOMPARE(figures->survivors, 2U);
    }

    void masksAgainstValues()
    {
        const auto sound = sparseBundle("03 08 0C", halves({1, 2, 3, 4, 5}));
        QVERIFY(verifyPayloads(**sound).empty());
        const auto fewer = sparseBundle("03 08 0C", halves({1, 2, 3, 4}));
        QCOMPARE(faults(verifyPayloads(**fewer)),
                 std::vector<std::string>({"error codec.mask weights/weight.bin+128"}));
        const auto tail = sparseBundle("03 08 FC", halves({1, 2, 3, 4, 5}));
        QCOMPARE(faults(verifyPayloads(**tail)),
                 std::vector<std::string>({"warning codec.mask_tail weights/weight.bin+128"}));
    }

    void scales()
    {
        MadeBundle made;
        made.line(
            "tensor<fp16, [2]> w = constexpr_blockwise_shift_scale(data = tensor<int8, [2]>([1, "
            "2]), scale = " +
            made.blob(ElementType::Fp16, "[2]", hex("00 3C 00 7E")) + ")[name = string(\"w\")]");
        const auto bundle = made.open();
        QCOMPARE(
            faults(verifyPayloads(**bundle)),
            std::vector<std::string>({"warning codec.scale_nonfinite weights/weight.bin+128"}));
    }

    void allWeights()
    {
        MadeBundle made;
        for (int i = 0; i < 9; ++i) {
            const Bytes value = halves({float(i), 0});
            made.weight(fmt::format("w{}", i), "[2]", value);
        }
        made.constant("tensor<fp16, [3]>", "bad", MadeBundle::blobAt("fp16", "[3]", 64));
        const auto bundle = made.open();
        Progress progress;
        const AllStatistics all = computeAllStatistics(**bundle, {}, &progress);
        QCOMPARE(all.weights.size(), 10U);
        for (std::size_t i = 0; i < 9; ++i)
            QCOMPARE(all.weights[i]->max, double(i));
        QVERIFY(!all.weights[9]);
        QVERIFY(all.diagnostics.empty());
    }

    void cancelled()
    {
        const auto bundle = denseBundle(Bytes(400000));
        Progress progress;
        progress.cancel();
        QCOMPARE(computeStatistics(**bundle, 0, {}, &progress).error().code, "task.cancelled");
        QCOMPARE(computeHistogram(**bundle, 0, 5, &progress).error().code, "task.cancelled");
        QCOMPARE(channelDensity(**bundle, 0, &progress).error().code, "task.cancelled");
        const AllStatistics all = computeAllStatistics(**bundle, {}, &progress);
        QVERIFY(!all.weights[0] && all.diagnostics.empty());
    }

    void countsOfManyEqualValues()
    {
        HalfCounts counts;
        const std::vector<std::uint16_t> odd(10001, 0x3C00);
        for (int i = 0; i < 7; ++i)
            counts.add(odd);
        counts.add(std::vector<std::uint16_t>{0xFFFF, 0});
        QCOMPARE(counts.counts()[0x3C00], 70007U);
        QCOMPARE(counts.counts()[0xFFFF], 1U);
        counts.add(odd);
        QCOMPARE(counts.counts()[0x3C00], 80008U);
    }

    void countsAgreeWithPlainOnes_data()
    {
        QTest::addColumn<qint64>("target");
        for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1)
            addRow(hwy::TargetName(rest & -rest), qint64(rest & -rest));
    }

    /// Runs of any length, in each of which another value, or none, is common.
    void countsAgreeWithPlainOnes()
    {
        QFETCH(qint64, target);
        hwy::SetSupportedTargetsForTest(target);
        QRandomGenerator random(7);
        HalfCounts counts;
        std::vector<std::uint64_t> expected(65536);
        for (int run = 0; run < 120; ++run) {
            std::vector<std::uint16_t> values(random.bounded(1u, 20000u));
            const quint32 shareOfCommon = random.bounded(5u) * 25;
            const quint32 different = run % 3 == 0 ? 3 : 65536;
            const auto common = std::uint16_t(run % 2 == 0 ? 0 : random.bounded(65536u));
            for (std::uint16_t &value : values) {
                const auto other = std::uint16_t(random.bounded(different));
                value = random.bounded(100u) < shareOfCommon ? common : other;
                ++expected[value];
            }
            counts.add(values);
            if (run % 50 == 49)
                QVERIFY(std::ranges::equal(counts.counts(), expected));
        }
        hwy::SetSupportedTargetsForTest(0);
        QVERIFY(std::ranges::equal(counts.counts(), expected));
    }

    /// Both zeros are one value, and every NaN; also of values that fp16 does not hold.
    void distinctValues()
    {
        const float inf = std::numeric_limits<float>::infinity();
        const auto counted = [](const auto &bundle) {
            const auto figures = computeStatistics(**bundle, 0, {true, false, true});
            return figures && figures->distinct ? *figures->distinct : 0;
        };
        const auto half =
            VERIFIED(denseBundle(halves({1, -3, 0, -0.0F, inf, -inf, std::nanf(""), 1, 1, -3})));
        QCOMPARE(counted(half), 6U);
        MadeBundle made;
        const std::vector<float> wide{1.0F, 1.0F, 0.0F, -0.0F, 1.00000012F, 1e-30F, 1e-30F, 1e30F};
        const auto bytes = std::as_bytes(std::span(wide));
        made.layer("w", "[8]", Bytes(bytes.begin(), bytes.end()), ElementType::Fp32);
        const auto single = VERIFIED(made.open());
        QCOMPARE(counted(single), 5U);
    }
};

KERNSCOPE_TEST(TestStatistics, NoApplication)
#include "tst_statistics.moc"
