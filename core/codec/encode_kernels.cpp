// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode_kernels.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/encode_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

#ifndef KERNSCOPE_CODEC_GATHER_TABLES
#define KERNSCOPE_CODEC_GATHER_TABLES
namespace kernscope::codec {

/// For every eight bits of a mask, the order of a byte shuffle that brings the halves that are kept
/// to the front.
constexpr std::array<std::array<std::uint8_t, 16>, 256> gatherOrders()
{
    std::array<std::array<std::uint8_t, 16>, 256> orders{};
    for (std::size_t mask = 0; mask < orders.size(); ++mask) {
        std::size_t next = 0;
        for (std::size_t place = 0; place < 8; ++place) {
            if ((mask >> place & 1u) == 0)
                continue;
            orders[mask][2 * next] = static_cast<std::uint8_t>(2 * place);
            orders[mask][2 * next + 1] = static_cast<std::uint8_t>(2 * place + 1);
            ++next;
        }
    }
    return orders;
}
alignas(64) inline constexpr auto kGatherOrders = gatherOrders();

constexpr std::array<std::uint8_t, 256> setBits()
{
    std::array<std::uint8_t, 256> counts{};
    for (unsigned mask = 0; mask < 256; ++mask)
        counts[mask] = static_cast<std::uint8_t>(std::popcount(mask));
    return counts;
}
alignas(64) inline constexpr auto kSetBits = setBits();

} // namespace kernscope::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using FloatTag = hn::CappedTag<float, 16>;
using FloatVec = hn::Vec<FloatTag>;

/// Whole vectors of a run; returns how many values.
std::size_t rangeRun(const float *in, std::size_t count, float *least, float *largest)
{
    const FloatTag d;
    const std::size_t lanes = hn::Lanes(d);
    const auto finite = hn::Set(d, std::numeric_limits<float>::max());
    auto low = hn::Set(d, *least);
    auto high = hn::Set(d, *largest);
    auto low1 = low;
    auto high1 = high;
    const auto load = [&](std::size_t from) HWY_ATTR {
        const auto value = hn::LoadU(d, in + from);
        // Zero, which is within every range, where it is infinite or NaN.
        return hn::IfThenElseZero(hn::Le(hn::Abs(value), finite), value);
    };
    std::size_t at = 0;
    for (; at + 2 * lanes <= count; at += 2 * lanes) {
        // Two at a time: neither waits for the other.
        const auto one = load(at);
        const auto two = load(at + lanes);
        low = hn::Min(low, one);
        low1 = hn::Min(low1, two);
        high = hn::Max(high, one);
        high1 = hn::Max(high1, two);
    }
    *least = hn::GetLane(hn::MinOfLanes(d, hn::Min(low, low1)));
    *largest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(high, high1)));
    return at;
}

/// Adding it to a number below 2^22 rounds that to a whole one, ties to even, and leaves the whole
/// number in the low bits of the sum.
constexpr float kRounder = 12582912.0f;

/// What is left over decides where the first guess, by the reciprocal, is one off: it is exact (8
/// by 11 bits, and numbers within a factor of two).
HWY_INLINE FloatVec nearerGuess(FloatVec value, FloatVec guess, FloatVec scale)
{
    const FloatTag d;
    const auto rest = hn::Sub(value, hn::Mul(guess, scale));
    const auto half = hn::Mul(scale, hn::Set(d, 0.5f));
    const auto one = hn::Set(d, 1.0f);
    const auto halved = hn::Mul(guess, hn::Set(d, 0.5f));
    const auto odd = hn::Ne(hn::Round(halved), halved);
    const auto up = hn::Or(hn::Gt(rest, half), hn::And(hn::Eq(rest, half), odd));
    const auto down =
        hn::Or(hn::Lt(rest, hn::Neg(half)), hn::And(hn::Eq(rest, hn::Neg(half)), odd));
    const auto raised = hn::IfThenElse(up, hn::Add(guess, one), guess);
    return hn::IfThenElse(down, hn::Sub(guess, one), raised);
}

/// `low` and `high` bound the steps, without the zero, which `zero` is added to.
std::size_t stepRun(const float *in, std::size_t count, float scale, float inverse,
                    std::int32_t zero, float low, float high, std::uint8_t *out)
{
    const FloatTag d;
    const hn::RebindToUnsigned<FloatTag> du;
    const hn::Rebind<std::uint8_t, FloatTag> d8;
    const std::size_t lanes = hn::Lanes(d);
    const auto scales = hn::Set(d, scale);
    const auto inverses = hn::Set(d, inverse);
    const auto half = hn::Set(d, 0.5f * scale);
    const auto least = hn::Set(d, low);
    const auto most = hn::Set(d, high);
    const auto rounder = hn::Set(d, kRounder);
    const auto zeros = hn::Set(du, static_cast<std::uint32_t>(zero));
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto loaded = hn::LoadU(d, in + at);
        const auto value = hn::IfThenElseZero(hn::Eq(loaded, loaded), loaded);
        const auto steps = hn::Min(hn::Max(hn::Mul(value, inverses), least), most);
        auto sum = hn::Add(steps, rounder);
        const auto guess = hn::Sub(sum, rounder);
        const auto rest = hn::Abs(hn::Sub(value, hn::Mul(guess, scales)));
        if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Ge(rest, half)))) {
            const auto nearer = nearerGuess(value, guess, scales);
            sum = hn::Add(hn::Min(hn::Max(nearer, least), most), rounder);
        }
        // The low byte of the code, whether the codes are signed or not.
        const auto code = hn::Add(hn::BitCast(du, sum), zeros);
        hn::StoreU(hn::TruncateTo(d8, code), d8, out + at);
    }
    return at;
}

/// Groups of eight, their survivors shuffled to the front; `*kept` counts them.
std::size_t keepRun(const float *in, std::size_t count, float least, std::uint8_t *mask,
                    std::uint16_t *out, std::size_t *kept)
{
    const hn::CappedTag<float, 8> d;
    const hn::FixedTag<std::uint16_t, 8> dh;
    const hn::FixedTag<std::uint8_t, 16> d8;
    const auto limit = hn::Set(d, least);
    std::size_t next = 0;
    std::size_t at = 0;
    for (; at + 8 <= count; at += 8) {
        std::uint8_t dropped[8] = {};
        const auto low = hn::LoadU(d, in + at);
        hn::StoreMaskBits(d, hn::Lt(hn::Abs(low), limit), dropped);
#if HWY_MAX_BYTES >= 32
        const auto half = narrowToHalf(d, low);
        const unsigned bits = ~static_cast<unsigned>(dropped[0]) & 0xffu;
#else
        const auto high = hn::LoadU(d, in + at + 4);
        std::uint8_t others[8] = {};
        hn::StoreMaskBits(d, hn::Lt(hn::Abs(high), limit), others);
        const auto half = hn::Combine(dh, narrowToHalf(d, high), narrowToHalf(d, low));
        const unsigned bits =
            ~(static_cast<unsigned>(dropped[0]) | static_cast<unsigned>(others[0]) << 4) & 0xffu;
#endif
        mask[at / 8] = static_cast<std::uint8_t>(bits);
        const auto order = hn::Load(d8, kGatherOrders[bits].data());
        const auto front = hn::TableLookupBytes(hn::BitCast(d8, half), order);
        hn::StoreU(hn::BitCast(dh, front), dh, out + next);
        next += static_cast<std::size_t>(kSetBits[bits]);
    }
    *kept = next;
    return at;
}

#else

std::size_t rangeRun(const float *, std::size_t, float *, float *)
{
    return 0;
}

std::size_t stepRun(const float *, std::size_t, float, float, std::int32_t, float, float,
                    std::uint8_t *)
{
    return 0;
}

std::size_t keepRun(const float *, std::size_t, float, std::uint8_t *, std::uint16_t *,
                    std::size_t *)
{
    return 0;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(rangeRun);
HWY_EXPORT(stepRun);
HWY_EXPORT(keepRun);

RunRange rangeOf(std::span<const float> values, RunRange before)
{
    std::size_t at = HWY_DYNAMIC_DISPATCH(rangeRun)(values.data(), values.size(), &before.least,
                                                    &before.largest);
    for (; at < values.size(); ++at) {
        if (!std::isfinite(values[at]))
            continue;
        before.least = std::min(before.least, values[at]);
        before.largest = std::max(before.largest, values[at]);
    }
    return before;
}

std::int32_t stepCode(float value, const StepRun &steps)
{
    if (std::isnan(value))
        return std::clamp(steps.zero, steps.low, steps.high);
    const double quotient =
        std::nearbyint(static_cast<double>(value) / static_cast<double>(steps.scale));
    return static_cast<std::int32_t>(std::clamp(
        quotient + steps.zero, static_cast<double>(steps.low), static_cast<double>(steps.high)));
}

void quantizeSteps(std::span<const float> values, const StepRun &steps, std::span<std::uint8_t> out)
{
    std::size_t at =
        HWY_DYNAMIC_DISPATCH(stepRun)(values.data(), values.size(), steps.scale, 1.0f / steps.scale,
                                      steps.zero, static_cast<float>(steps.low - steps.zero),
                                      static_cast<float>(steps.high - steps.zero), out.data());
    for (; at < values.size(); ++at)
        out[at] = static_cast<std::uint8_t>(stepCode(values[at], steps));
}

std::size_t keepLarge(std::span<const float> values, float threshold, std::span<std::byte> mask,
                      std::span<std::uint16_t> kept)
{
    std::size_t next = 0;
    auto *bits = reinterpret_cast<std::uint8_t *>(mask.data());
    // What is not above 2^-25 becomes zero in fp16; NaN is below nothing.
    constexpr float kSmallest = 0x1.000002p-25f;
    const float least = std::max(threshold, kSmallest);
    std::size_t at = HWY_DYNAMIC_DISPATCH(keepRun)(values.data(), values.size(), least, bits,
                                                   kept.data(), &next);
    for (; at < values.size(); ++at) {
        if (at % 8 == 0)
            bits[at / 8] = 0;
        if (std::abs(values[at]) < least)
            continue;
        bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] | 1u << (at % 8));
        kept[next++] = floatToHalf(values[at]);
    }
    return next;
}

} // namespace kernscope::codec
#endif
