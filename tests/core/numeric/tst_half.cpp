// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/convert.h"
#include "half_casts.h"

namespace {

/// A floating-point format by its definition (resources/formats/numbers.md).
struct Format {
    int exponentBits;
    int fractionBits;
    int bias;
    bool infinity; ///< exponent of ones is infinity and NaN; else NaN is the last code only
};
constexpr Format kHalf{5, 10, 15, true};
constexpr Format kBfloat{8, 7, 127, true};
constexpr Format kE4m3{4, 3, 7, false};
constexpr Format kE5m2{5, 2, 15, true};

double valueOf(const Format &format, std::uint32_t code)
{
    const auto fractionMask = (1u << format.fractionBits) - 1u;
    const auto exponentMask = (1u << format.exponentBits) - 1u;
    const std::uint32_t fraction = code & fractionMask;
    const std::uint32_t exponent = code >> format.fractionBits & exponentMask;
    const double sign = (code >> (format.fractionBits + format.exponentBits) & 1u) != 0 ? -1 : 1;
    if (format.infinity && exponent == exponentMask)
        return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    if (!format.infinity && exponent == exponentMask && fraction == fractionMask)
        return std::nan("");
    if (exponent == 0)
        return sign * std::ldexp(fraction, 1 - format.bias - format.fractionBits);
    return sign * std::ldexp(fraction + fractionMask + 1,
                             int(exponent) - format.bias - format.fractionBits);
}

/// fp32 numbers worth trying: every code of the format, the middle between neighbours, and what
/// lies just beside both; and random bits.
std::vector<float> interesting(const Format &format)
{
    std::vector<float> values;
    const std::uint32_t codes = 1u << (format.exponentBits + format.fractionBits);
    for (std::uint32_t code = 0; code < codes; ++code) {
        const double low = valueOf(format, code);
        double high = valueOf(format, code + 1);
        if (!std::isfinite(low))
            continue;
        if (!std::isfinite(high) || code + 1 == codes)
            high = 2 * low - valueOf(format, code - 1);
        for (const double value : {low, (low + high) / 2}) {
            const auto v = float(value);
            for (const float beside : {v, std::nextafter(v, 0.0f), std::nextafter(v, HUGE_VALF)}) {
                values.push_back(beside);
                values.push_back(-beside);
            }
        }
    }
    std::mt19937 random(2);
    for (int i = 0; i < 200000; ++i)
        values.push_back(std::bit_cast<float>(std::uint32_t(random())));
    for (const std::uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00001u,
                                     0x7f800001u, 0x7fffffffu, 0x00000001u, 0x807fffffu})
        values.push_back(std::bit_cast<float>(bits));
    return values;
}

/// Nearest code, ties to even, by comparing distances; the overflow limit is half a step above the
/// largest finite number. Nothing for NaN and for what overflows.
std::optional<std::uint32_t> nearest(const Format &format, double value, std::uint32_t largest)
{
    const std::uint32_t sign =
        std::signbit(value) ? 1u << (format.exponentBits + format.fractionBits) : 0u;
    const double magnitude = std::abs(value);
    const double top = valueOf(format, largest);
    const double step = top - valueOf(format, largest - 1);
    if (std::isnan(value) || magnitude > top + step / 2 ||
        (magnitude == top + step / 2 && largest % 2 != 0))
        return std::nullopt;
    std::uint32_t low = 0;
    std::uint32_t high = largest;
    while (low < high) { // the largest code not above the magnitude
        const std::uint32_t middle = (low + high + 1) / 2;
        (valueOf(format, middle) <= magnitude ? low : high) =
            valueOf(format, middle) <= magnitude ? middle : middle - 1;
    }
    if (low == largest)
        return sign | low;
    const double below = magnitude - valueOf(format, low);
    const double above = valueOf(format, low + 1) - magnitude;
    const bool up = above < below || (above == below && low % 2 != 0);
    return sign | (up ? low + 1 : low);
}

/// The nearest E2M1 magnitude by its definition: the code of even fraction at a tie.
std::uint8_t nearestE2m1(double value)
{
    const double magnitude = std::min(std::abs(value), 6.0); // saturates
    std::uint8_t best = 0;
    for (std::uint8_t code = 1; code < 8; ++code) {
        const auto distance = [&](std::uint8_t c) {
            return std::abs(magnitude - double(e2m1ToFloat(c)));
        };
        if (distance(code) < distance(best) || (distance(code) == distance(best) && code % 2 == 0))
            best = code;
    }
    return std::uint8_t(best | (std::signbit(value) ? 8 : 0));
}

} // namespace

class TestHalf : public QObject
{
    Q_OBJECT

private slots:
    void everyHalfWidens()
    {
        for (std::uint32_t code = 0; code < 0x10000; ++code) {
            const float wide = halfToFloat(std::uint16_t(code));
            const double expected = valueOf(kHalf, code);
            if (std::isnan(expected)) {
                // Quiet, with the sign and the payload.
                QCOMPARE(bitsOf(wide),
                         ((code & 0x8000u) << 16) | 0x7fc00000u | ((code & 0x3ffu) << 13));
            } else {
                QCOMPARE(bitsOf(wide), bitsOf(float(expected)));
            }
        }
    }

    void everyHalfComesBack()
    {
        for (std::uint32_t code = 0; code < 0x10000; ++code) {
            const auto half = std::uint16_t(code);
            const bool nan = (code & 0x7fffu) > 0x7c00u;
            QCOMPARE(floatToHalf(halfToFloat(half)), nan ? half | 0x200u : half);
        }
    }

    void halfRounding()
    {
        for (const float value : interesting(kHalf)) {
            const std::uint16_t found = floatToHalf(value);
            if (std::isnan(value)) {
                QVERIFY((found & 0x7e00) == 0x7e00);
                QCOMPARE(found >> 15, int(bitsOf(value) >> 31));
                continue;
            }
            const auto expected = nearest(kHalf, double(value), 0x7bff);
            QCOMPARE(found, expected ? *expected : (bitsOf(value) >> 16 & 0x8000u) | 0x7c00u);
        }
    }

    void bfloat16()
    {
        for (std::uint32_t code = 0; code < 0x10000; ++code) {
            const float wide = bfloat16ToFloat(std::uint16_t(code));
            const double expected = valueOf(kBfloat, code);
            if (std::isnan(expected))
                QVERIFY(std::isnan(wide));
            else
                QCOMPARE(double(wide), expected);
        }
        for (const float value : interesting(kBfloat)) {
            const std::uint16_t found = floatToBfloat16(value);
            if (std::isnan(value)) {
                QVERIFY(std::isnan(bfloat16ToFloat(found)));
                continue;
            }
            const auto expected = nearest(kBfloat, double(value), 0x7f7f);
            QCOMPARE(found, expected ? *expected : (bitsOf(value) >> 16 & 0x8000u) | 0x7f80u);
        }
    }

    void e4m3()
    {
        for (std::uint32_t code = 0; code < 256; ++code) {
            const float wide = e4m3ToFloat(std::uint8_t(code));
            const double expected = valueOf(kE4m3, code);
            QVERIFY(std::isnan(expected) ? std::isnan(wide)
                                         : bitsOf(wide) == bitsOf(float(expected)));
            if (!std::isnan(expected))
                QCOMPARE(floatToE4m3(wide), code);
        }
        for (const float value : interesting(kE4m3)) {
            const std::uint32_t sign = bitsOf(value) >> 24 & 0x80u;
            if (std::isnan(value)) {
                QCOMPARE(floatToE4m3(value), sign | 0x7fu);
                continue;
            }
            const auto expected = nearest(kE4m3, double(value), 0x7e);
            QCOMPARE(floatToE4m3(value), expected.value_or(sign | 0x7fu));
            QCOMPARE(floatToE4m3(value, Fp8Overflow::Saturate), expected.value_or(sign | 0x7eu));
        }
    }

    void e5m2()
    {
        for (std::uint32_t code = 0; code < 256; ++code) {
            const float wide = e5m2ToFloat(std::uint8_t(code));
            const double expected = valueOf(kE5m2, code);
            QVERIFY(std::isnan(expected) ? std::isnan(wide)
                                         : bitsOf(wide) == bitsOf(float(expected)));
            if (!std::isnan(expected))
                QCOMPARE(floatToE5m2(wide), code);
        }
        for (const float value : interesting(kE5m2)) {
            const std::uint32_t sign = bitsOf(value) >> 24 & 0x80u;
            if (std::isnan(value)) {
                QCOMPARE(floatToE5m2(value), sign | 0x7eu);
                continue;
            }
            const auto expected = nearest(kE5m2, double(value), 0x7b);
            QCOMPARE(floatToE5m2(value), expected.value_or(sign | 0x7cu));
            QCOMPARE(floatToE5m2(value, Fp8Overflow::Saturate), expected.value_or(sign | 0x7bu));
        }
    }

    void roundToOdd()
    {
        // Just beside a tie of fp16, closer than fp32 can tell: rounding twice would go to even.
        for (std::uint32_t code = 1; code < 0x7bff; ++code) {
            const double tie = (valueOf(kHalf, code) + valueOf(kHalf, code + 1)) / 2;
            QCOMPARE(doubleToHalf(tie), code % 2 == 0 ? code : code + 1);
            QCOMPARE(doubleToHalf(std::nextafter(tie, 0.0)), code);
            QCOMPARE(doubleToHalf(std::nextafter(tie, 1e9)), code + 1);
            QCOMPARE(doubleToHalf(-std::nextafter(tie, 1e9)), (code + 1) | 0x8000u);
        }
        QCOMPARE(doubleToHalf(1e300), kHalfInfinity);
        QCOMPARE(doubleToHalf(1e-300), 0);
        QVERIFY(std::isnan(doubleToFloatOdd(std::nan(""))));
        QCOMPARE(doubleToFloatOdd(HUGE_VAL), HUGE_VALF);
    }

    void bulkIsScalar()
    {
        std::vector<float> values = interesting(kHalf);
        std::vector<std::uint16_t> halves(values.size());
        convertFloatToHalf(values, halves);
        for (std::size_t i = 0; i < values.size(); ++i)
            QCOMPARE(halves[i], floatToHalf(values[i]));
        std::vector<std::uint16_t> codes(0x10000);
        for (std::uint32_t code = 0; code < 0x10000; ++code)
            codes[code] = std::uint16_t(code);
        std::vector<float> wide(codes.size());
        convertHalfToFloat(codes, wide);
        for (std::size_t i = 0; i < codes.size(); ++i)
            QCOMPARE(bitsOf(wide[i]), bitsOf(halfToFloat(codes[i])));
        // Every short length, from an odd address, without a touch beyond the ends.
        for (std::size_t count = 0; count < 70; ++count) {
            std::vector<std::byte> stored(2 * count + 1);
            if (count > 0)
                std::memcpy(stored.data() + 1, codes.data() + 0x3c00, 2 * count);
            std::vector<float> out(count + 2, -7.0f);
            convertHalfToFloat(std::span<const std::byte>(stored).subspan(1),
                               std::span(out).subspan(1, count));
            QCOMPARE(out.front(), -7.0f);
            QCOMPARE(out.back(), -7.0f);
            std::vector<std::uint16_t> back(count + 2, 0xabcd);
            convertFloatToHalf(std::span(out).subspan(1, count), std::span(back).subspan(1, count));
            QCOMPARE(back.front(), 0xabcd);
            QCOMPARE(back.back(), 0xabcd);
            for (std::size_t i = 0; i < count; ++i)
                QCOMPARE(back[i + 1], 0x3c00 + i);
        }
    }

    void everyTypeConverts_data()
    {
        QTest::addColumn<int>("type");
        for (int type = int(ElementType::Fp16); type <= int(ElementType::Uint64); ++type)
            addRow(elementTypeName(static_cast<ElementType>(type)).data(), type);
    }

    void everyTypeConverts()
    {
        QFETCH(int, type);
        const auto element = static_cast<ElementType>(type);
        std::mt19937_64 random(3);
        constexpr std::uint64_t kCount = 3000;
        std::vector<std::byte> packed(packedBytes(ElementCount(kCount), element)->value);
        for (std::byte &byte : packed)
            byte = static_cast<std::byte>(random());
        for (const std::uint64_t first : {0u, 1u, 7u, 1500u}) {
            std::vector<float> floats(kCount - first);
            std::vector<std::uint16_t> halves(kCount - first);
            convertToFloat(packed, element, first, floats);
            convertToHalf(packed, element, first, halves);
            for (std::size_t i = 0; i < floats.size(); ++i) {
                const auto value = float(loadValue(packed, element, first + i));
                QVERIFY(bitsOf(value) == bitsOf(floats[i]) || std::isnan(value));
                if (element == ElementType::Fp16)
                    QCOMPARE(halves[i], loadCode(packed, element, first + i));
                else if (element == ElementType::Fp8E5M2) // the upper byte, NaN payloads too
                    QCOMPARE(halves[i], loadCode(packed, element, first + i) << 8);
                else
                    QVERIFY(halves[i] == floatToHalf(floats[i]));
            }
        }
    }

    void e2m1()
    {
        const float magnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
        for (std::uint8_t code = 0; code < 16; ++code) {
            const float value = e2m1ToFloat(code);
            QCOMPARE(std::abs(value), magnitudes[code & 7]);
            QCOMPARE(std::signbit(value), code >= 8);
            QCOMPARE(floatToE2m1(value), code);
        }
        const std::pair<float, int> ties[] = {{0.25f, 0}, {0.75f, 1 + 1}, {1.25f, 2}, {1.75f, 4},
                                              {2.5f, 4},  {3.5f, 6},      {5.0f, 6}};
        for (const auto &[value, code] : ties) {
            QCOMPARE(int(floatToE2m1(value)), code);
            QCOMPARE(int(floatToE2m1(-value)), code | 8);
        }
        QCOMPARE(int(floatToE2m1(std::numeric_limits<float>::infinity())), 7);
        QCOMPARE(int(floatToE2m1(-std::numeric_limits<float>::infinity())), 15);
        QCOMPARE(int(floatToE2m1(std::numeric_limits<float>::quiet_NaN())), 7);
        QCOMPARE(int(floatToE2m1(-std::numeric_limits<float>::quiet_NaN())), 7);
    }

    /// Every fp16 number, and random fp32 ones with their neighbours.
    void e2m1Nearest()
    {
        for (std::uint32_t half = 0; half < 0x10000; ++half) {
            const float value = halfToFloat(std::uint16_t(half));
            if (std::isnan(value))
                continue;
            QCOMPARE(floatToE2m1(value), nearestE2m1(double(value)));
        }
        std::mt19937 random(4);
        for (int i = 0; i < 200000; ++i) {
            const auto value = std::bit_cast<float>(std::uint32_t(random()));
            if (!std::isnan(value))
                QCOMPARE(floatToE2m1(value), nearestE2m1(double(value)));
        }
        for (const float tie : {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f}) {
            for (const float value : {std::nextafter(tie, 0.0f), std::nextafter(tie, 9.0f)})
                QCOMPARE(floatToE2m1(value), nearestE2m1(double(value)));
        }
    }

    void e8m0()
    {
        for (int code = 0; code < 255; ++code) {
            const auto scale = e8m0ToFloat(std::uint8_t(code));
            QCOMPARE(double(scale), std::ldexp(1.0, code - 127));
            QCOMPARE(double(e8m0Reciprocal(std::uint8_t(code))), std::ldexp(1.0, 127 - code));
            QCOMPARE(int(floatToE8m0Up(scale)), code);
            QCOMPARE(int(floatToE8m0Up(-scale)), code);
            const float above = std::nextafter(scale, HUGE_VALF);
            QCOMPARE(int(floatToE8m0Up(above)), std::min(code + 1, 254));
            if (code > 0)
                QCOMPARE(int(floatToE8m0Down(above)), code);
        }
        QVERIFY(std::isnan(e8m0ToFloat(255)) && std::isnan(e8m0Reciprocal(255)));
        QCOMPARE(int(floatToE8m0Up(std::numeric_limits<float>::quiet_NaN())), 255);
        QCOMPARE(int(floatToE8m0Up(std::numeric_limits<float>::infinity())), 254);
        QCOMPARE(int(floatToE8m0Up(0.0f)), 0);
    }

    /// Every E4M3 and E5M2 code through fp16 and back.
    void eightBitsThroughHalf()
    {
        for (std::uint32_t code = 0; code < 256; ++code) {
            const auto byte = std::uint8_t(code);
            const float e4m3 = e4m3ToFloat(byte);
            const float half = halfToFloat(floatToHalf(e4m3));
            QVERIFY(std::isnan(e4m3) == std::isnan(half));
            if (!std::isnan(e4m3)) {
                QCOMPARE(bitsOf(half), bitsOf(e4m3));
                QCOMPARE(floatToE4m3(half), byte);
            }
            // E5M2 is the upper byte of fp16.
            const auto upper = std::uint16_t(code << 8);
            if ((code & 0x7f) <= 0x7c)
                QCOMPARE(bitsOf(halfToFloat(upper)), bitsOf(e5m2ToFloat(byte)));
            for (const auto cast : {E5m2Cast::Away, E5m2Cast::Truncate}) {
                if ((code & 0x7f) <= 0x7c)
                    QCOMPARE(halfToE5m2(upper, cast), byte);
            }
            if ((code & 0x7f) < 0x7c) {
                for (const auto cast : {E5m2Cast::Reference, E5m2Cast::Saturate, E5m2Cast::Clamp})
                    QCOMPARE(halfToE5m2(upper, cast), byte);
            }
        }
    }

    /// The fp16 cast is the fp32 cast: every fp16 number.
    void halfCastsAreFloatCasts()
    {
        for (std::uint32_t half = 0; half < 0x10000; ++half) {
            const auto bits = std::uint16_t(half);
            const float value = halfToFloat(bits);
            if (std::isnan(value)) {
                QVERIFY(std::isnan(e5m2ToFloat(halfToE5m2(bits))));
                QCOMPARE(int(halfToE5m2(bits, E5m2Cast::Clamp) & 0x7f), 0x7c);
                continue;
            }
            QCOMPARE(halfToE5m2(bits), floatToE5m2(value));
            QCOMPARE(halfToE5m2(bits, E5m2Cast::Saturate),
                     floatToE5m2(value, Fp8Overflow::Saturate));
            QCOMPARE(halfToE5m2(bits, E5m2Cast::Clamp), floatToE5m2(value));
        }
        QCOMPARE(int(halfToE5m2(0x7b80)), 0x7c); // 61440: the first that overflows
        QCOMPARE(int(halfToE5m2(0x7b7f)), 0x7b);
    }
};

KERNSCOPE_TEST(TestHalf, NoApplication)
#include "tst_half.moc"
