// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/byte_ranges.h"
#include "core/numeric/half.h"
#include "diff_sample.h"

#include <cmath>
#include <cstring>
#include <random>

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

class TestDiffValues : public QObject
{
    Q_OBJECT

private slots:
    void ulpDistances_data();
    void ulpDistances();
    void ulpDistanceIsTheStepsBetween();
    void byteRanges();
    void byteRangesCut();
    void values_data();
    void values();
    void figuresAgainstTheFormulas();
    void swapSymmetry();
};

void TestDiffValues::ulpDistances_data()
{
    QTest::addColumn<int>("a");
    QTest::addColumn<int>("b");
    QTest::addColumn<int>("distance");
    QTest::newRow("zeros") << 0x0000 << 0x8000 << 0;
    QTest::newRow("about zero") << 0x0001 << 0x8001 << 2;
    QTest::newRow("neighbours") << 0x3c00 << 0x3c01 << 1;
    QTest::newRow("across an exponent") << 0x3bff << 0x3c00 << 1;
    QTest::newRow("subnormal to normal") << 0x03ff << 0x0400 << 1;
    QTest::newRow("farthest") << 0x7bff << 0xfbff << 2 * 0x7bff;
    QTest::newRow("infinity") << 0x7bff << 0x7c00 << 1;
}

void TestDiffValues::ulpDistances()
{
    QFETCH(const int, a);
    QFETCH(const int, b);
    QFETCH(const int, distance);
    const auto of = [](int x, int y) {
        return static_cast<int>(
            ulpDistance(static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)));
    };
    QCOMPARE(of(a, b), distance);
    QCOMPARE(of(b, a), distance);
}

void TestDiffValues::ulpDistanceIsTheStepsBetween()
{
    // All finite numbers in order: each is one step from the next.
    std::vector<std::uint16_t> ordered;
    for (int code = 0x7bff; code > 0; --code)
        ordered.push_back(static_cast<std::uint16_t>(code | 0x8000));
    for (int code = 0; code <= 0x7bff; ++code)
        ordered.push_back(static_cast<std::uint16_t>(code));
    for (std::size_t i = 1; i < ordered.size(); ++i) {
        QVERIFY(halfToFloat(ordered[i - 1]) < halfToFloat(ordered[i]));
        QCOMPARE(ulpDistance(ordered[i - 1], ordered[i]), 1u);
    }
    QCOMPARE(ulpDistance(ordered.front(), ordered.back()),
             static_cast<std::uint32_t>(ordered.size() - 1));
}

/// Against the plain loop, over runs of every length and place.
void TestDiffValues::byteRanges()
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
    QCOMPARE(found->ranges.size(), std::size_t{1});
    QCOMPARE(found->ranges[0].bytes.value, std::uint64_t{10});
}

void TestDiffValues::byteRangesCut()
{
    const Bytes a(1000);
    Bytes b = a;
    for (std::size_t i = 0; i < b.size(); i += 4)
        b[i] = std::byte{1};
    const auto found = diff::findDifferentBytes(a, b, 10, nullptr);
    QVERIFY(found->cut);
    QCOMPARE(found->ranges.size(), std::size_t{10});
    QCOMPARE(found->ranges.back().end(), std::uint64_t{1000});
}

void TestDiffValues::values_data()
{
    QTest::addColumn<QByteArray>("a");
    QTest::addColumn<QByteArray>("b");
    QTest::addColumn<QList<int>>("counts"); // equal, changed, zeroed, revived
    QTest::addColumn<int>("maxUlp");
    QTest::addColumn<int>("lastBin");
    const auto row = [](const char *name, const char *a, const char *b, QList<int> counts,
                        int maxUlp, int lastBin) {
        QTest::newRow(name) << QByteArray(a) << QByteArray(b) << counts << maxUlp << lastBin;
    };
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

void TestDiffValues::values()
{
    QFETCH(const QByteArray, a);
    QFETCH(const QByteArray, b);
    QFETCH(const QList<int>, counts);
    QFETCH(const int, maxUlp);
    QFETCH(const int, lastBin);
    const auto bytes = [](const QByteArray &text) { return hex(text.toStdString()); };
    const ValueDifference found = compared(bytes(a), bytes(b));
    const QList<int> foundCounts{static_cast<int>(found.equal), static_cast<int>(found.changed),
                                 static_cast<int>(found.zeroed), static_cast<int>(found.revived)};
    QCOMPARE(foundCounts, counts);
    QCOMPARE(static_cast<int>(found.maxUlp), maxUlp);
    QCOMPARE(static_cast<int>(found.ulpHistogram.back()), lastBin);
    QCOMPARE(found.elements(), std::uint64_t{2});
    QCOMPARE(found.identical(), counts[0] == 2);
    if (found.identical())
        QCOMPARE(found.cosine, 1.0);
}

/// Random numbers of every kind, infinities and NaN among them, against the plain formulas.
void TestDiffValues::figuresAgainstTheFormulas()
{
    std::mt19937 random(23);
    for (const std::size_t count : {1u, 7u, 8u, 9u, 1000u, 40000u}) {
        Bytes a(count * 2), b;
        for (std::byte &byte : a)
            byte = static_cast<std::byte>(random());
        b = a;
        for (std::size_t i = 0; i < count; i += 3)
            b[2 * i + random() % 2] = static_cast<std::byte>(random());
        double sum = 0, square = 0, aa = 0, bb = 0, ab = 0, largest = 0;
        std::uint64_t finite = 0, beyond = 0, histogram = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint16_t codeA = 0, codeB = 0;
            std::memcpy(&codeA, &a[2 * i], 2);
            std::memcpy(&codeB, &b[2 * i], 2);
            const double x = static_cast<double>(halfToFloat(codeA));
            const double y = static_cast<double>(halfToFloat(codeB));
            histogram += ulpDistance(codeA, codeB) == 0 || (std::isnan(x) && std::isnan(y));
            if (!std::isfinite(x) || !std::isfinite(y)) {
                beyond += x != y && !(std::isnan(x) && std::isnan(y));
                continue;
            }
            ++finite;
            const double d = std::abs(x - y);
            sum += d;
            square += d * d;
            aa += x * x;
            bb += y * y;
            ab += x * y;
            largest = std::max(largest, d);
            beyond += d > 0.25;
        }
        const ValueDifference found = compared(a, b, 0.25);
        const auto n = static_cast<double>(std::max<std::uint64_t>(1, finite));
        QVERIFY(std::abs(found.meanAbs - sum / n) <= 1e-12 * (1 + sum / n));
        QVERIFY(std::abs(found.rmse - std::sqrt(square / n)) <= 1e-9 * (1 + found.rmse));
        QCOMPARE(found.maxAbs, largest);
        QCOMPARE(found.beyondTolerance, beyond);
        QCOMPARE(found.ulpHistogram[0], histogram);
        QCOMPARE(found.elements(), static_cast<std::uint64_t>(count));
        if (aa > 0 && bb > 0)
            QVERIFY(std::abs(found.cosine - ab / std::sqrt(aa * bb)) < 1e-12);
        std::uint64_t total = 0;
        for (const std::uint64_t bin : found.ulpHistogram)
            total += bin;
        QCOMPARE(total, static_cast<std::uint64_t>(count));
    }
}

void TestDiffValues::swapSymmetry()
{
    std::mt19937 random(31);
    Bytes a(2000), b(2000);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<std::byte>(random() % 4 == 0 ? 0 : random() & 0x3f);
        b[i] = static_cast<std::byte>(random() % 4 == 0 ? 0 : random() & 0x3f);
    }
    const ValueDifference ab = compared(a, b), ba = compared(b, a);
    QCOMPARE(ab.equal, ba.equal);
    QCOMPARE(ab.changed, ba.changed);
    QCOMPARE(ab.zeroed, ba.revived);
    QCOMPARE(ab.revived, ba.zeroed);
    QCOMPARE(ab.maxAbs, ba.maxAbs);
    QCOMPARE(ab.rmse, ba.rmse);
    QCOMPARE(ab.cosine, ba.cosine);
    QVERIFY(ab.ulpHistogram == ba.ulpHistogram);
}

QTEST_APPLESS_MAIN(TestDiffValues)
#include "tst_diff_values.moc"
