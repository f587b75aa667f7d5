// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"

using namespace miltest;

namespace {

/// One element of `type` as program text writes it -> its bytes, "" where it is refused.
QByteArray packedNumber(const QByteArray &type, const QByteArray &number)
{
    const auto parsed =
        readText(program(type + " v = const()[val = " + type + "(" + number + ")];"));
    if (!parsed.diagnostics.empty())
        return codesOf(parsed.diagnostics).left(12);
    return hexOf(parsed.program.functions[0].body.operations[0].operand("val")->literal()->bytes);
}

QByteArray little(std::uint64_t bits, int bytes)
{
    QByteArray raw;
    for (int i = 0; i < bytes; ++i)
        raw += static_cast<char>(bits >> (8 * i) & 0xFF);
    return raw.toHex();
}

} // namespace

/// Numbers of program text become the bytes that a weight file would hold.
class TestMilNumbers : public QObject
{
    Q_OBJECT

private slots:
    void numbers_data()
    {
        const auto row = test::addColumns<QByteArray, QByteArray, QByteArray>();
        const char *refused = "e:mil.number";
        row("fp16", "0x1p+0", "003c");
        row("fp16", "-0x1.48p-1", "20b9");
        row("fp16", "0x1.ad8p-5", "b62a");
        row("fp16", "0x0p+0", "0000");
        row("fp16", "-0x0p+0", "0080");
        row("fp16", "-0.0", "0080");
        row("fp16", "0x1p-24", "0100");
        row("fp16", "0x1p-25", "0000"); // half of the smallest: to even
        row("fp16", "0x1.8p-25", "0100");
        row("fp16", "0x1.000000000000000000000001p-25", "0100");
        row("fp16", "0x1.002p+0", "003c"); // a tie
        row("fp16", "0x1.002000000000000000001p+0", "013c");
        row("fp16", "0x1.006p+0", "023c"); // a tie, to even
        row("fp16", "0x1.005fffffffffffffffffp+0", "013c");
        row("fp16", "0x1.ffcp+15", "ff7b");
        row("fp16", "0x1.ffdp+15", "ff7b");
        row("fp16", "0x1.ffep+15", "007c"); // a tie, to even: infinity
        row("fp16", "65504", "ff7b");
        row("fp16", "65519.99999999999999999999", "ff7b");
        row("fp16", "65520", "007c");
        row("fp16", "2049", "0068"); // a tie, to even
        row("fp16", "2049.0000000000000000000000000001", "0168");
        row("fp16", "2048.9999999999999999999999999999", "0068");
        row("fp16", "2051", "0268");
        row("fp16", "2050.9999999999999999999999999999", "0168");
        row("fp16", "1e400", "007c");
        row("fp16", "-1e400", "00fc");
        row("fp16", "1e-400", "0000");
        row("fp16", "0.000000000000000000000000000000000000000000000001e-400", "0000");
        row("fp16", "0x1p+99999999999999999999", "007c");
        row("fp16", "0x1p-99999999999999999999", "0000");
        row("fp16", "0x.8p+1", "003c");
        row("fp16", "0x10", "004c");
        row("fp16", "+1.5E+0", "003e");
        row("fp16", ".5", "0038");
        row("fp16", "5.", "0045");
        row("fp16", "inf", "007c");
        row("fp16", "-inf", "00fc");
        row("fp16", "+INF", "007c");
        row("fp16", "infinity", "007c");
        row("fp16", "nan", "007e");
        row("fp16", "-NaN", "00fe");
        row("fp16", "0x", refused);
        row("fp16", "0x1p", refused);
        row("fp16", "1e", refused);
        row("fp16", "1.2.3", refused);
        row("fp16", "-nano", refused);
        row("fp16", "1_000", refused);
        row("fp32", "0x1.fffffep+127", "ffff7f7f");
        row("fp32", "0x1.ffffffp+127", "0000807f");
        row("fp32", "0x1p-149", "01000000");
        row("fp32", "0.1", "cdcccc3d");
        row("fp32", "1e39", "0000807f");
        row("fp32", "1.00000005960464477539062500000000000000000000001", "0100803f");
        row("fp32", "1.000000059604644775390625", "0000803f");
        row("fp64", "0.1", "9a9999999999b93f");
        row("fp64", "0x1.fffffffffffff8p+0", "0000000000000040");
        row("fp64", "4.9e-324", "0100000000000000");
        row("bf16", "1", "803f");
        row("bf16", "0x1.01p+0", "803f");
        row("bf16", "0x1.03p+0", "823f");
        row("bf16", "inf", "807f");
        row("fp8e4m3fn", "448", "7e");
        row("fp8e4m3fn", "464", "7e");
        row("fp8e4m3fn", "465", "7f");
        row("fp8e4m3fn", "inf", "7f");
        row("fp8e4m3fn", "0x1p-9", "01");
        row("fp8e4m3fn", "0x1p-6", "08");
        row("fp8e4m3fn", "-1", "b8");
        row("fp8e5m2", "1", "3c");
        row("fp8e5m2", "57344", "7b");
        row("fp8e5m2", "61440", "7c");
        row("int8", "-128", "80");
        row("int8", "127", "7f");
        row("int8", "128", refused);
        row("int8", "-129", refused);
        row("uint8", "255", "ff");
        row("uint8", "0xFf", "ff");
        row("uint8", "256", refused);
        row("uint8", "-1", refused);
        row("uint8", "-0", "00");
        row("int4", "-8", "08");
        row("int4", "8", refused);
        row("uint1", "1", "01");
        row("uint1", "2", refused);
        row("int16", "-32768", "0080");
        row("uint16", "65535", "ffff");
        row("int32", "-2147483648", "00000080");
        row("int32", "2147483648", refused);
        row("uint32", "4294967295", "ffffffff");
        row("int64", "-9223372036854775808", "0000000000000080");
        row("int64", "9223372036854775808", refused);
        row("uint64", "18446744073709551615", "ffffffffffffffff");
        row("uint64", "18446744073709551616", refused);
        row("uint64", "99999999999999999999999", refused);
        row("uint64", "000000000000000000000000000000064", "4000000000000000");
        row("int32", "1.0", refused);
        row("int32", "true", refused);
        row("bool", "true", "01");
        row("bool", "0", "00");
        row("bool", "2", refused);
        row("bool", "True", refused);
    }

    void numbers()
    {
        const auto [type, number, bytes] = test::fetched<QByteArray, QByteArray, QByteArray>();
        QCOMPARE(packedNumber(type, number), bytes);
    }

    /// Every fp16 value but NaNs, as the compiler writes it and in decimals.
    void everyHalf()
    {
        QByteArray hexadecimal, decimal, expected;
        for (unsigned bits = 0; bits < 0x10000; ++bits) {
            const unsigned exponent = bits >> 10 & 31;
            if (exponent == 31)
                continue;
            const double fraction = (bits & 0x3FF) / 1024.0;
            double value = exponent == 0
                               ? std::ldexp(fraction, -14)
                               : std::ldexp(1 + fraction, static_cast<int>(exponent) - 15);
            value = (bits & 0x8000) != 0 ? -value : value;
            const char *comma = expected.isEmpty() ? "" : ", ";
            char text[64];
            hexadecimal += comma;
            hexadecimal.append(text, std::snprintf(text, sizeof text, "%a", value));
            decimal += comma;
            decimal.append(text, std::snprintf(text, sizeof text, "%.20g", value));
            expected += little(bits, 2);
        }
        const QByteArray type = "tensor<fp16, [63488]>";
        QCOMPARE(packedNumber(type, "[" + hexadecimal + "]"), expected);
        QCOMPARE(packedNumber(type, "[" + decimal + "]"), expected);
    }

    void randomSingles()
    {
        QRandomGenerator random(99);
        QByteArray list, expected;
        const int count = 20000;
        for (int i = 0; i < count; ++i) {
            std::uint32_t bits = random.generate();
            if ((bits >> 23 & 0xFF) == 0xFF)
                bits &= 0xFF7FFFFF;
            char text[64];
            const auto value = static_cast<double>(std::bit_cast<float>(bits));
            list += i == 0 ? "" : ", ";
            list.append(text, std::snprintf(text, sizeof text, i % 2 == 0 ? "%a" : "%.9g", value));
            expected += little(bits, 4);
        }
        QCOMPARE(packedNumber("tensor<fp32, [20000]>", "[" + list + "]"), expected);
    }

    /// Halfway between two halves, and a hair beside it: the hair decides.
    void randomTiesOfHalves()
    {
        QRandomGenerator random(7);
        QByteArray list, expected;
        const int count = 3000;
        for (int i = 0; i < count; ++i) {
            const unsigned bits = 0x0400 + random.bounded(0x7000U);
            const double low =
                std::ldexp(1 + (bits & 0x3FF) / 1024.0, static_cast<int>(bits >> 10) - 15);
            const double step = std::ldexp(1.0, static_cast<int>(bits >> 10) - 25);
            char text[128];
            std::snprintf(text, sizeof text, "%.60f", low + step / 2); // exact: 36 digits at most
            QByteArray number(text);
            const int hair = i % 3;
            if (hair == 1)
                number += "0000001";
            list += (i == 0 ? "" : ", ") + number;
            expected += little(hair == 1 ? bits + 1 : bits + (bits & 1), 2);
        }
        QCOMPARE(packedNumber("tensor<fp16, [3000]>", "[" + list + "]"), expected);
    }
};

KERNSCOPE_TEST(TestMilNumbers, kernscope::test::NoApplication)
#include "tst_mil_numbers.moc"
