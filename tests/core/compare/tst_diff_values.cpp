// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_reader.h"
#include "core/numeric/half.h"
#include "mirror.h"
#include "plain_figures.h"

namespace {

using Numbers = std::vector<float>;

/// A weight of random values, each row of its own size.
Numbers randomWeight(std::mt19937 &random, std::size_t count)
{
    std::normal_distribution<float> normal(0, 0.05F);
    Numbers values(count);
    std::ranges::generate(values, [&] { return normal(random); });
    return values;
}

BundlePtr weightOf(const Shape &shape, const Numbers &values)
{
    return checkpointOf("F32", shape, bytesOf(values));
}

/// The pair of A and B with its values.
ComparedPair firstPair(const BundlePtr &a, const BundlePtr &b)
{
    return whole(a, b).weights.front();
}

} // namespace

class TestDiffValues : public QObject
{
    Q_OBJECT

private slots:
    void ulpDistances_data()
    {
        addColumns<int, int, int>();
        addRow("zeros", 0x0000, 0x8000, 0);
        addRow("about zero", 0x0001, 0x8001, 2);
        addRow("neighbours", 0x3c00, 0x3c01, 1);
        addRow("across an exponent", 0x3bff, 0x3c00, 1);
        addRow("subnormal to normal", 0x03ff, 0x0400, 1);
        addRow("farthest", 0x7bff, 0xfbff, 2 * 0x7bff);
        addRow("infinity", 0x7bff, 0x7c00, 1);
    }

    void ulpDistances()
    {
        const auto [a, b, distance] = fetched<int, int, int>();
        const auto of = [](int x, int y) {
            return int(ulpDistance(std::uint16_t(x), std::uint16_t(y)));
        };
        QCOMPARE(of(a, b), distance);
        QCOMPARE(of(b, a), distance);
    }

    void ulpDistanceIsTheStepsBetween()
    {
        // All finite numbers in order: each is one step from the next.
        std::vector<std::uint16_t> ordered;
        for (int code = 0x7bff; code > 0; --code)
            ordered.push_back(std::uint16_t(code | 0x8000));
        for (int code = 0; code <= 0x7bff; ++code)
            ordered.push_back(std::uint16_t(code));
        for (std::size_t i = 1; i < ordered.size(); ++i) {
            QVERIFY(halfToFloat(ordered[i - 1]) < halfToFloat(ordered[i]));
            QCOMPARE(ulpDistance(ordered[i - 1], ordered[i]), 1u);
        }
        QCOMPARE(ulpDistance(ordered.front(), ordered.back()), std::uint32_t(ordered.size() - 1));
    }

    /// Against the plain loop, over runs of every length and place.
    void byteRanges()
    {
        std::mt19937 random(17);
        for (int round = 0; round < 300; ++round) {
            Bytes a(random() % 3000), b;
            for (std::byte &byte : a)
                byte = static_cast<std::byte>(random() % 3);
            b = a;
            b.resize(std::max<std::size_t>(1, a.size() + random() % 3) - 1);
            for (std::size_t n = random() % 20; n > 0 && !b.empty(); --n) {
                const std::size_t at = random() % b.size();
                for (std::size_t i = at; i < std::min(b.size(), at + random() % 40); ++i)
                    b[i] = static_cast<std::byte>(random() % 3);
            }
            std::vector<ByteRange> expected;
            for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
                if (i < std::min(a.size(), b.size()) && a[i] == b[i])
                    continue;
                if (!expected.empty() && expected.back().end() == i)
                    ++expected.back().bytes.value;
                else
                    expected.push_back({FileOffset(i), ByteCount(1)});
            }
            const auto found = diff::findDifferentBytes(a, b, 100000, nullptr);
            QVERIFY(found && !found->cut);
            QVERIFY(found->ranges == expected);
            QVERIFY(diff::findDifferentBytes(b, a, 100000, nullptr)->ranges == expected);
            QCOMPARE(*diff::sameBytes(a, b, nullptr), expected.empty());
        }
        // Across the blocks of one mebibyte.
        Bytes a(std::size_t{3} << 20), b = a;
        std::fill_n(b.begin() + (1 << 20) - 5, 10, std::byte{1});
        const auto found = diff::findDifferentBytes(a, b, 10, nullptr);
        QCOMPARE(found->ranges.size(), 1U);
        QCOMPARE(found->ranges[0].bytes.value, 10U);
    }

    void byteRangesCut()
    {
        const Bytes a(1000);
        Bytes b = a;
        for (std::size_t i = 0; i < b.size(); i += 4)
            b[i] = std::byte{1};
        const auto found = diff::findDifferentBytes(a, b, 10, nullptr);
        QVERIFY(found->cut);
        QCOMPARE(found->ranges.size(), 10U);
        QCOMPARE(found->ranges.back().end(), 1000U);
    }

    void values_data()
    {
        // counts: equal, changed, zeroed, revived
        const auto row = addColumns<QByteArray, QByteArray, QList<int>, int, int>();
        row("equal", "003c0040", "003c0040", {2, 0, 0, 0}, 0, 0);
        row("one step", "003c0040", "013c0040", {1, 1, 0, 0}, 1, 0);
        row("zeroed", "003c0040", "00000040", {1, 0, 1, 0}, 0x3c00, 0);
        row("to minus zero", "003c0040", "00800040", {1, 0, 1, 0}, 0x3c00, 0);
        row("revived", "00000040", "003c0040", {1, 0, 0, 1}, 0x3c00, 0);
        row("both zeros", "00000040", "00800040", {2, 0, 0, 0}, 0, 0);
        row("NaN for NaN", "007e0040", "01fe0040", {2, 0, 0, 0}, 0, 0);
        row("NaN for a number", "003c0040", "007e0040", {1, 1, 0, 0}, 0, 1);
        row("NaN for zero", "00000040", "007e0040", {1, 0, 0, 1}, 0, 1);
        row("infinity", "007c0040", "00fc0040", {1, 1, 0, 0}, 0xf800, 1);
    }

    void values()
    {
        const auto [a, b, counts, maxUlp, lastBin] =
            fetched<QByteArray, QByteArray, QList<int>, int, int>();
        const auto bytes = [](const QByteArray &text) { return hex(text.toStdString()); };
        const ValueDifference found = compared(bytes(a), bytes(b));
        const QList<int> foundCounts{int(found.equal), int(found.changed), int(found.zeroed),
                                     int(found.revived)};
        QCOMPARE(foundCounts, counts);
        QCOMPARE(int(found.maxUlp), maxUlp);
        QCOMPARE(int(found.ulpHistogram.back()), lastBin);
        QCOMPARE(found.elements(), 2U);
        QCOMPARE(found.identical(), counts[0] == 2);
        if (found.identical())
            QCOMPARE(found.cosine, 1.0);
    }

    /// The mistakes that people look for are named, whatever the values and the shape.
    void explainedByOneRule()
    {
        using Kind = ValueRule::Kind;
        for (unsigned seed = 1; seed <= 12; ++seed) {
            std::mt19937 random(seed);
            const std::size_t rows = 8 + random() % 40, columns = 48 + random() % 90;
            const Shape shape{rows, columns};
            const Numbers values = randomWeight(random, rows * columns);
            const BundlePtr a = weightOf(shape, values);
            const auto ruleOf = [&](const Shape &shapeB, const auto &valueAt) {
                Numbers other(values.size());
                for (std::size_t i = 0; i < other.size(); ++i)
                    other[i] = float(valueAt(i / columns, i % columns));
                const BundlePtr b = weightOf(shapeB, other);
                const ComparedPair pair = firstPair(a, b);
                if (pair.rule)
                    return std::pair(*pair.rule, verdict(pair, *a, *b));
                return std::pair(ValueRule{Kind::Blocks}, verdict(pair, *a, *b));
            };
            const auto at = [&](std::size_t row, std::size_t column) {
                return values[row * columns + column];
            };
            for (const float factor : {2.0F, 1000.0F, 0.001F, -1.0F, 1.25F}) {
                const auto [rule, word] =
                    ruleOf(shape, [&](auto row, auto column) { return factor * at(row, column); });
                QCOMPARE(rule.kind, Kind::Scaled);
                QCOMPARE(word, fmt::format("scaled by {:.4g}", factor));
            }
            // Each row divided by its own size.
            float least = 1e30F, most = 0;
            Numbers sizes(rows);
            for (std::size_t row = 0; row < rows; ++row) {
                for (std::size_t column = 0; column < columns; ++column)
                    sizes[row] = std::max(sizes[row], std::abs(at(row, column)));
                least = std::min(least, 1 / sizes[row]);
                most = std::max(most, 1 / sizes[row]);
            }
            const auto [divided, dividedWord] =
                ruleOf(shape, [&](auto row, auto column) { return at(row, column) / sizes[row]; });
            QCOMPARE(divided.kind, Kind::Rows);
            QCOMPARE(dividedWord, fmt::format("rows scaled by {:.4g} to {:.4g}", least, most));
            const auto [smooth, smoothWord] = ruleOf(shape, [&](auto row, auto column) {
                return at(row, column) * (column % 3 == 0 ? 3.0F : 0.25F);
            });
            QCOMPARE(smooth.kind, Kind::Columns);
            QCOMPARE(smoothWord, "columns scaled by 0.25 to 3");
            // Of rows and columns that change places, in a shape of its own.
            Numbers turned(values.size());
            for (std::size_t i = 0; i < values.size(); ++i)
                turned[i % columns * rows + i / columns] = values[i];
            const BundlePtr b = weightOf({columns, rows}, turned);
            const ComparedPair pair = firstPair(a, b);
            QVERIFY(pair.rule && !pair.reshaped);
            QCOMPARE(verdict(pair, *a, *b), "transposed");
        }
        // And of the same shape.
        std::mt19937 random(5);
        const Numbers square = randomWeight(random, 64 * 64);
        Numbers turned(square.size());
        for (std::size_t i = 0; i < square.size(); ++i)
            turned[i % 64 * 64 + i / 64] = square[i];
        const BundlePtr a = weightOf({64, 64}, square), b = weightOf({64, 64}, turned);
        QCOMPARE(verdict(firstPair(a, b), *a, *b), "transposed");
    }

    /// As a coarse palette leaves it; and not what has but its mean in common.
    void transposedAndSimilar()
    {
        for (const auto &[rows, columns] : {std::pair(64U, 64U), std::pair(24U, 48U)}) {
            std::mt19937 random(7);
            const Numbers values = randomWeight(random, std::size_t{rows} * columns);
            double squares = 0;
            for (const float value : values)
                squares += value * value;
            squares /= double(values.size());
            const auto rms = float(std::sqrt(squares));
            Numbers turned(values.size()), level(values.size()), unlike(values.size());
            for (std::size_t i = 0; i < values.size(); ++i) {
                const std::size_t place = i % columns * rows + i / columns;
                turned[place] = values[i] + (random() % 2 == 0 ? 0.2F : -0.2F) * rms;
                level[i] = values[i] + 20 * rms;
                unlike[i] = values[i * 7 % values.size()] + 20 * rms;
            }
            const Shape shape{rows, columns}, other{columns, rows};
            const BundlePtr a = weightOf(shape, values), b = weightOf(other, turned);
            QCOMPARE(verdict(firstPair(a, b), *a, *b), "transposed, similar");
            QVERIFY(!firstPair(weightOf(shape, level), weightOf(other, unlike)).rule);
        }
    }

    /// Codes that are taken for values: the scales, and the zero points, are missing.
    void codesWithoutScales()
    {
        constexpr std::size_t kRows = 24, kColumns = 96, kBlock = 32;
        std::mt19937 random(3);
        Numbers values = randomWeight(random, kRows * kColumns);
        std::vector<std::uint8_t> fp8(values.size()), bytes(values.size());
        std::vector<std::int8_t> integers(values.size());
        for (std::size_t row = 0; row < kRows; ++row) {
            const float size = 1 + float(row);
            for (std::size_t i = row * kColumns; i < (row + 1) * kColumns; ++i) {
                values[i] *= size;
                const float scale = std::exp2(float(i / kBlock % 7) - 9) * size;
                fp8[i] = std::uint8_t(floatToE4m3(values[i] / scale, Fp8Overflow::Saturate));
                const float step = size * 0.003F;
                integers[i] =
                    std::int8_t(std::clamp(std::nearbyint(values[i] / step), -127.0F, 127.0F));
                bytes[i] = std::uint8_t(integers[i] + 128);
            }
        }
        const BundlePtr a = weightOf({kRows, kColumns}, values);
        const auto wordOf = [&](const char *type, const Bytes &codes) {
            const BundlePtr b = checkpointOf(type, Shape{kRows, kColumns}, codes);
            return verdict(firstPair(a, b), *a, *b);
        };
        const std::string said = wordOf("F8_E4M3", bytesOf(fp8));
        QVERIFY2(said.starts_with("codes without their scales: blocks of 32 scaled by "),
                 said.c_str());
        for (const std::string &word :
             {wordOf("I8", bytesOf(integers)), wordOf("U8", bytesOf(bytes))})
            QVERIFY2(word.starts_with("codes without their scales: rows scaled by 13.8") ||
                         word.starts_with("codes without their scales: rows scaled by 13.9"),
                     word.c_str());
    }

    /// Where nothing explains it none is named: other values, rounded ones, rows in another order.
    void unexplained()
    {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            std::mt19937 random(100 + seed);
            const Shape shape{32, 64};
            const Numbers values = randomWeight(random, 32 * 64);
            const BundlePtr a = weightOf(shape, values);
            const auto wordOf = [&](const Numbers &other) {
                const BundlePtr b = weightOf(shape, other);
                const ComparedPair pair = firstPair(a, b);
                return (pair.rule ? "rule: " : "") + verdict(pair, *a, *b);
            };
            QCOMPARE(wordOf(randomWeight(random, values.size())), "different");
            Numbers noisy = values, near = values, moved = values;
            const Numbers noise = randomWeight(random, values.size());
            for (std::size_t i = 0; i < values.size(); ++i) {
                noisy[i] += 0.2F * noise[i];
                near[i] += 0.01F * noise[i];
            }
            QCOMPARE(wordOf(noisy), "similar");
            QCOMPARE(wordOf(near), "close");
            std::rotate(moved.begin(), moved.begin() + 64 * 5, moved.end());
            QCOMPARE(wordOf(moved), "channels reordered, same values");
        }
    }

    /// What is not finite on one side has a verdict of its own, no finite figure, is not faithful.
    void notFinite()
    {
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const Numbers values{1,  2,  3,  4,  -5, kInfinity, 7,  8,  9,
                             10, 11, 12, 13, 14, 15,        16, 17, 18};
        const auto open = [](bool half, const Numbers &numbers) {
            Bytes codes = bytesOf(numbers);
            if (half) {
                std::vector<std::uint16_t> halved(numbers.size());
                std::ranges::transform(numbers, halved.begin(),
                                       [](float x) { return doubleToHalf(double(x)); });
                codes = bytesOf(halved);
            }
            return checkpointOf(half ? "F16" : "F32", Shape{numbers.size()}, codes);
        };
        for (const bool half : {false, true}) {
            const BundlePtr a = open(half, values);
            Numbers other = values;
            other[2] = kNan;
            other[3] = -kInfinity;
            const BundlePtr b = open(half, other);
            const ComparedPair pair = firstPair(a, b);
            QCOMPARE(verdict(pair, *a, *b), "not finite (1 value in A, 3 in B)");
            QVERIFY(!std::isfinite(pair.values->maxAbs) && !std::isfinite(pair.values->rmse) &&
                    !std::isfinite(pair.values->cosine) && !std::isfinite(pair.values->snr) &&
                    !std::isfinite(pair.values->relativeRmse) &&
                    !std::isfinite(pair.values->maxRel));
            QVERIFY(!pair.values->ulp() && !pair.values->faithful());
            // The same on both sides is the same.
            QVERIFY(firstPair(a, a).values->identical());
            const Numbers none(values.size(), kNan);
            const BundlePtr lost = open(half, none);
            QCOMPARE(verdict(firstPair(open(half, Numbers(18, 1.0F)), lost), *a, *lost),
                     "not finite (18 values in B)");
        }
    }

    /// fp16 has no number for 70,000: that it became infinite, or another one, is no rounding.
    void beyondHalfIsNoRounding()
    {
        Numbers values{1, 2, 70000, 4};
        const BundlePtr a = weightOf({4}, values);
        const Bytes codes = halves({1, 2, std::numeric_limits<float>::infinity(), 4});
        const BundlePtr half = checkpointOf("F16", Shape{4}, codes);
        const ComparedPair pair = firstPair(a, half);
        QCOMPARE(pair.values->unfaithful, 1U);
        QCOMPARE(pair.values->counterexample->element, 2U);
        QVERIFY(!pair.values->oneType && !pair.values->ulp());
        values[2] = 1e30F;
        QCOMPARE(firstPair(a, weightOf({4}, values)).values->unfaithful, 1U);
    }

    /// By steps, both ways, the same elements as a plain loop finds; NaN on both sides is equal.
    void differencesByPlace()
    {
        std::mt19937 random(5);
        const Numbers a = randomWeight(random, 50000);
        Numbers b = a, withNan = a;
        const std::vector<std::uint64_t> places{0, 1, 16383, 16384, 40000, 49999};
        for (const std::uint64_t place : places)
            b[place] += 1;
        withNan[7] = b[7] = std::numeric_limits<float>::quiet_NaN();
        const BundlePtr bundleA = weightOf({50000}, withNan), bundleB = weightOf({50000}, b);
        for (const bool forward : {true, false}) {
            std::vector<std::uint64_t> found;
            std::optional<std::uint64_t> from;
            for (;;) {
                Progress progress;
                const auto next = VERIFIED(
                    nextDifference(*bundleA, *bundleB, PairSides{0, 0}, from, forward, progress));
                if (!*next)
                    break;
                found.push_back(**next);
                from = *next;
            }
            if (!forward)
                std::ranges::reverse(found);
            QCOMPARE(found, places);
        }
    }
};

KERNSCOPE_TEST(TestDiffValues, NoApplication)
#include "tst_diff_values.moc"
