// SPDX-License-Identifier: GPL-3.0-or-later
#include "half_casts.h"
#include "tests/data/data_folder.h"

/// The golden vectors of the number formats (resources/formats/numbers.md).
class TestNumberVectors : public QObject
{
    Q_OBJECT

private:
    static QString folder() { return dataPath(u"vectors/"_s); }

    /// Rows of hexadecimal columns, without the line of names.
    static QList<QList<std::uint32_t>> rows(const QString &name)
    {
        QFile file(folder() + name);
        QList<QList<std::uint32_t>> result;
        if (!file.open(QIODevice::ReadOnly))
            return result;
        file.readLine();
        while (!file.atEnd()) {
            QList<std::uint32_t> row;
            for (const QByteArray &field : file.readLine().trimmed().split(','))
                row.append(field.toUInt(nullptr, 16));
            result.append(row);
        }
        return result;
    }

    static bool sameFloat(float found, std::uint32_t expected)
    {
        const auto value = std::bit_cast<float>(expected);
        return std::bit_cast<std::uint32_t>(found) == expected ||
               (std::isnan(found) && std::isnan(value));
    }

    /// Sign and payload of a NaN are only a convention of the vectors.
    static bool sameE4m3(std::uint8_t found, std::uint32_t expected)
    {
        return found == expected || ((found & 0x7f) == 0x7f && (expected & 0x7f) == 0x7f);
    }
    static bool sameE5m2(std::uint8_t found, std::uint32_t expected)
    {
        return found == expected || ((found & 0x7f) > 0x7c && (expected & 0x7f) > 0x7c);
    }

private slots:
    void initTestCase() { KERNSCOPE_NEEDS(folder() + u"codes/e4m3fn.csv"_s); }

    void codes()
    {
        const auto e4m3 = rows(u"codes/e4m3fn.csv"_s);
        const auto e5m2 = rows(u"codes/e5m2.csv"_s);
        QCOMPARE(e4m3.size(), 256);
        QCOMPARE(e5m2.size(), 256);
        for (const auto &row : e4m3)
            QVERIFY(sameFloat(e4m3ToFloat(std::uint8_t(row[0])), row[1]));
        for (const auto &row : e5m2) {
            QVERIFY(sameFloat(e5m2ToFloat(std::uint8_t(row[0])), row[1]));
            QCOMPARE(row[0] << 8, row[2]);
        }
    }

    void smallCodes()
    {
        const auto e2m1 = rows(u"codes/e2m1.csv"_s);
        const auto packed = rows(u"codes/e2m1_packed.csv"_s);
        const auto e8m0 = rows(u"codes/e8m0.csv"_s);
        QCOMPARE(e2m1.size(), 16);
        QCOMPARE(packed.size(), 256);
        QCOMPARE(e8m0.size(), 256);
        for (const auto &row : e2m1) {
            const float value = e2m1ToFloat(std::uint8_t(row[0]));
            QVERIFY(sameFloat(value, row[1]));
            QCOMPARE(floatToHalf(value), row[2]);
        }
        for (const auto &row : packed) { // the even column in the low nibble
            QVERIFY(sameFloat(e2m1ToFloat(std::uint8_t(row[0] & 15)), row[1]));
            QVERIFY(sameFloat(e2m1ToFloat(std::uint8_t(row[0] >> 4)), row[2]));
        }
        for (const auto &row : e8m0) {
            QVERIFY(sameFloat(e8m0ToFloat(std::uint8_t(row[0])), row[1]));
            QVERIFY(sameFloat(e8m0Reciprocal(std::uint8_t(row[0])), row[2]));
        }
    }

    void fp32ToE4m3()
    {
        const auto table = rows(u"casts/fp32_to_e4m3.csv"_s);
        QVERIFY(!table.isEmpty());
        for (const auto &row : table) {
            const auto value = std::bit_cast<float>(row[0]);
            QVERIFY(sameE4m3(floatToE4m3(value), row[1]));
            QVERIFY(sameE4m3(floatToE4m3(value, Fp8Overflow::Saturate), row[2]));
        }
    }

    void fp32ToTheOthers()
    {
        const auto table = rows(u"casts/fp32_to_fp16_bf16_e5m2.csv"_s);
        QVERIFY(!table.isEmpty());
        for (const auto &row : table) {
            const auto value = std::bit_cast<float>(row[0]);
            if (std::isnan(value)) {
                QVERIFY(std::isnan(halfToFloat(floatToHalf(value))));
                QVERIFY(std::isnan(bfloat16ToFloat(floatToBfloat16(value))));
                QVERIFY(std::isnan(e5m2ToFloat(floatToE5m2(value))));
                continue;
            }
            QCOMPARE(floatToHalf(value), row[1]);
            QCOMPARE(floatToBfloat16(value), row[2]);
            QCOMPARE(floatToE5m2(value), row[3]);
            QCOMPARE(floatToE5m2(value, Fp8Overflow::Saturate), row[4]);
        }
    }

    void fp16ToTheOthers()
    {
        QFile narrow(folder() + u"casts/fp16_to_e4m3_e2m1.bin"_s);
        QFile e5m2(folder() + u"casts/fp16_to_e5m2.bin"_s);
        QVERIFY(narrow.open(QIODevice::ReadOnly));
        QVERIFY(e5m2.open(QIODevice::ReadOnly));
        const QByteArray e4m3Planes = narrow.readAll();
        const QByteArray e5m2Planes = e5m2.readAll();
        QVERIFY(e4m3Planes.size() >= 3 * 65536 && e5m2Planes.size() >= 5 * 65536);
        for (qsizetype code = 0; code < 65536; ++code) {
            const float value = halfToFloat(std::uint16_t(code));
            const auto plane = [&](const QByteArray &planes, qsizetype number) {
                return std::uint8_t(planes[number * 65536 + code]);
            };
            QVERIFY(sameE4m3(floatToE4m3(value), plane(e4m3Planes, 0)));
            QVERIFY(sameE4m3(floatToE4m3(value, Fp8Overflow::Saturate), plane(e4m3Planes, 1)));
            QCOMPARE(floatToE2m1(value), plane(e4m3Planes, 2));
            for (qsizetype cast = 0; cast < 5; ++cast)
                QVERIFY(sameE5m2(halfToE5m2(std::uint16_t(code), static_cast<E5m2Cast>(cast)),
                                 plane(e5m2Planes, cast)));
            if (std::isnan(value)) {
                QVERIFY(std::isnan(e5m2ToFloat(floatToE5m2(value))));
                continue;
            }
            QCOMPARE(floatToE5m2(value), plane(e5m2Planes, 0));
            QCOMPARE(floatToE5m2(value, Fp8Overflow::Saturate), plane(e5m2Planes, 1));
        }
    }
};

KERNSCOPE_TEST(TestNumberVectors, NoApplication)
#include "tst_number_vectors.moc"
