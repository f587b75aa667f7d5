// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/element_type.h"
#include "tests/test_program.h"

/// What bytes are in each reading.
class TestByteReadings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readings_data()
    {
        addColumns<QByteArray, bool, QByteArray, QByteArray>();
        const auto row = [](const char *hex, bool big, const char *name, const char *value) {
            QTest::addRow("%s %s %s", hex, big ? "big" : "little", name)
                << QByteArray::fromHex(hex) << big << QByteArray(name) << QByteArray(value);
        };
        row("ff", false, "u8", "255");
        row("ff", false, "i8", "-1");
        row("ff", false, "u16", "");
        row("0102", false, "u16", "513");
        row("0102", true, "u16", "258");
        row("fffe", false, "i16", "-257");
        row("01020304", true, "u32", "16909060");
        row("ffffffff", false, "i32", "-1");
        row("ffffffffffffffff", false, "u64", "18446744073709551615");
        row("0000000000000080", false, "i64", "-9223372036854775808");
        row("003c", false, "fp16", "1");
        row("3c00", true, "fp16", "1");
        row("00fc", false, "fp16", "-inf");
        row("01fe", false, "fp16", "nan"); // of either sign
        row("803f", false, "bf16", "1");
        row("0000803f", false, "fp32", "1");
        row("cdcccc3d", false, "fp32", "0.100000001");
        row("000000000000f0bf", false, "fp64", "-1");
        row("7e", false, "e4m3", "448");
        row("7b", false, "e5m2", "5.734e+04");
        row("f1", false, "int4", "1, -1");
        row("f1", false, "uint4", "1, 15");
        row("05", false, "bits", "00000101");
    }
    void readings()
    {
        const auto [bytes, big, name, value] = fetched<QByteArray, bool, QByteArray, QByteArray>();
        const auto rows = byteReadings(
            std::as_bytes(std::span(bytes.constData(), std::size_t(bytes.size()))), big);
        QCOMPARE(rows.size(), 17U);
        for (const ByteReading &row : rows) {
            if (name != QByteArray(row.name.data(), qsizetype(row.name.size())))
                continue;
            QCOMPARE(QByteArray::fromStdString(row.value), value);
            return;
        }
        QFAIL("no such reading");
    }

    /// What a view keeps room for: every 16 bits, and as many numbers of 64 with each exponent.
    void longestIsReachedNeverPassed()
    {
        std::array<std::size_t, 17> longest{};
        const auto look = [&longest](std::uint64_t bits) {
            std::array<std::byte, 8> bytes{};
            for (std::size_t i = 0; i < bytes.size(); ++i)
                bytes[i] = static_cast<std::byte>(bits >> (8 * i));
            const auto rows = byteReadings(bytes);
            for (std::size_t i = 0; i < rows.size(); ++i)
                longest[i] = std::max(longest[i], rows[i].value.size());
        };
        for (std::uint64_t bits = 0; bits <= 0xffff; ++bits)
            look(bits | 0x8000'0000'0000'0000u | (bits * 0x9e37'79b9'7f4a'0000u));
        for (const std::uint64_t bits : {0xffff'ffff'ffff'ffffu, 0x8000'0000'8000'0000u})
            look(bits);
        for (std::uint64_t exponent = 0; exponent < 256; ++exponent)
            look(0x8000'0000u | exponent << 23 | 0x12'3457u);
        const auto rows = byteReadings({});
        for (std::size_t i = 0; i < rows.size(); ++i)
            QCOMPARE(std::pair(rows[i].name, longest[i]),
                     std::pair(rows[i].name, std::size_t(rows[i].longest)));
    }

    void nothingHasNoValue()
    {
        for (const ByteReading &row : byteReadings({}))
            QVERIFY(row.value.empty() && !row.meaning.empty());
    }
};

KERNSCOPE_TEST(TestByteReadings, QCoreApplication)
#include "tst_byte_readings.moc"
