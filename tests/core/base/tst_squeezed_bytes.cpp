// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/squeezed_bytes.h"
#include "tests/test_program.h"

#include <QTest>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

using namespace kernscope;

namespace {

using Bytes = std::vector<std::byte>;

Bytes randomBytes(std::size_t count, unsigned kinds)
{
    std::mt19937 random(7);
    Bytes bytes(count);
    for (std::byte &byte : bytes)
        byte = std::byte(random() % kinds);
    return bytes;
}

} // namespace

class TestSqueezedBytes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void comesBackWhole_data()
    {
        QTest::addColumn<Bytes>("bytes");
        QTest::newRow("none") << Bytes();
        QTest::newRow("one") << Bytes(1, std::byte(7));
        QTest::newRow("alike") << Bytes(1'000'000, std::byte(3));
        QTest::newRow("few kinds") << randomBytes(300'000, 3);
        QTest::newRow("all kinds") << randomBytes(300'000, 256);
    }
    void comesBackWhole()
    {
        QFETCH(const Bytes, bytes);
        Squeezer squeezer;
        for (int round = 0; round < 2; ++round) { // it begins anew after finish()
            const std::size_t half = bytes.size() / 2;
            squeezer.add(std::span(bytes).first(half));
            squeezer.add(std::span(bytes).subspan(half));
            const Bytes squeezed = squeezer.finish();
            QCOMPARE(unsqueezed(squeezed), bytes);
            QVERIFY(squeezed.size() < bytes.size() + bytes.size() / 100 + 64);
        }
    }

    void takesLessOfWhatRepeats()
    {
        Squeezer squeezer;
        const Bytes bytes(1'000'000, std::byte(3));
        squeezer.add(bytes);
        QVERIFY(squeezer.finish().size() < bytes.size() / 100);
    }
};

KERNSCOPE_TEST(TestSqueezedBytes, kernscope::test::NoApplication)
#include "tst_squeezed_bytes.moc"
