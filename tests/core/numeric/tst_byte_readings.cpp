// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/byte_readings.h"

#include <array>
#include <limits>

#include <QtTest/QtTest>

using namespace kernscope;

/// What bytes are in each reading.
class TestByteReadings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readings_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<bool>("big");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("value");
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
        QFETCH(QByteArray, bytes);
        QFETCH(bool, big);
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, value);
        const auto rows = byteReadings(
            std::as_bytes(std::span(bytes.constData(), std::size_t(bytes.size()))), big);
        QCOMPARE(rows.size(), std::size_t(17));
        for (const ByteReading &row : rows) {
            if (name != QByteArray(row.name.data(), qsizetype(row.name.size())))
                continue;
            QCOMPARE(QByteArray::fromStdString(row.value), value);
            return;
        }
        QFAIL("no such reading");
    }

    void nothingHasNoValue()
    {
        for (const ByteReading &row : byteReadings({}))
            QVERIFY(row.value.empty() && !row.meaning.empty());
    }
};

QTEST_MAIN(TestByteReadings)
#include "tst_byte_readings.moc"
