// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/half.h"
#include "half_casts.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

/// The nearest E2M1 magnitude by its definition: the code of even fraction at a tie.
std::uint8_t nearestE2m1(double value)
{
    const double magnitude = std::min(std::abs(value), 6.0); // saturates
    std::uint8_t best = 0;
    for (std::uint8_t code = 1; code < 8; ++code) {
        const auto distance = [&](std::uint8_t c) {
            return std::abs(magnitude - static_cast<double>(e2m1ToFloat(c)));
        };
        if (distance(code) < distance(best) || (distance(code) == distance(best) && code % 2 == 0))
            best = code;
    }
    return static_cast<std::uint8_t>(best | (std::signbit(value) ? 8 : 0));
}

} // namespace

class TestMicrofloat : public QObject
{
    Q_OBJECT

private slots:
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
            const float value = halfToFloat(static_cast<std::uint16_t>(half));
            if (std::isnan(value))
                continue;
            QCOMPARE(floatToE2m1(value), nearestE2m1(static_cast<double>(value)));
        }
        std::mt19937 random(4);
        for (int i = 0; i < 200000; ++i) {
            const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
            if (!std::isnan(value))
                QCOMPARE(floatToE2m1(value), nearestE2m1(static_cast<double>(value)));
        }
        for (const float tie : {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f}) {
            for (const float value : {std::nextafter(tie, 0.0f), std::nextafter(tie, 9.0f)})
                QCOMPARE(floatToE2m1(value), nearestE2m1(static_cast<double>(value)));
        }
    }

    void e8m0()
    {
        for (int code = 0; code < 255; ++code) {
            const auto scale = e8m0ToFloat(static_cast<std::uint8_t>(code));
            QCOMPARE(static_cast<double>(scale), std::ldexp(1.0, code - 127));
            QCOMPARE(static_cast<double>(e8m0Reciprocal(static_cast<std::uint8_t>(code))),
                     std::ldexp(1.0, 127 - code));
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
            const auto byte = static_cast<std::uint8_t>(code);
            const float e4m3 = e4m3ToFloat(byte);
            const float half = halfToFloat(floatToHalf(e4m3));
            QVERIFY(std::isnan(e4m3) == std::isnan(half));
            if (!std::isnan(e4m3)) {
                QCOMPARE(bitsOf(half), bitsOf(e4m3));
                QCOMPARE(floatToE4m3(half), byte);
            }
            // E5M2 is the upper byte of fp16.
            const auto upper = static_cast<std::uint16_t>(code << 8);
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
            const auto bits = static_cast<std::uint16_t>(half);
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

KERNSCOPE_TEST(TestMicrofloat, kernscope::test::NoApplication)
#include "tst_microfloat.moc"
