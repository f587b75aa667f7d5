// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/encode_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, 8>;
using FloatVec = hn::Vec<FloatTag>;

/// Whole vectors of a run; returns how many values. Without `Choose`, none where one is infinite,
/// or NaN on a processor whose comparison does not pass over it.
template <bool Choose>
HWY_INLINE std::size_t rangeRunOf(const float *in, std::size_t count, float *least, float *largest)
{
    const FloatTag d;
    const std::size_t lanes = hn::Lanes(d);
    auto low = hn::Set(d, *least);
    auto high = hn::Set(d, *largest);
    auto low1 = low;
    auto high1 = high;
    const auto finite = hn::Set(d, std::numeric_limits<float>::max());
    const auto load = [&](std::size_t from) HWY_ATTR {
        const auto value = hn::LoadU(d, in + from);
        if constexpr (Choose) // zero, which is within every range, for what is not finite
            return hn::IfThenElseZero(hn::Le(hn::Abs(value), finite), value);
        else
            return value;
    };
    std::size_t at = 0;
    for (; at + 2 * lanes <= count; at += 2 * lanes) {
        // Two at a time: neither waits for the other. Of a NaN and a number x86 takes the second.
        const auto one = load(at);
        const auto two = load(at + lanes);
        low = hn::Min(one, low);
        low1 = hn::Min(two, low1);
        high = hn::Max(one, high);
        high1 = hn::Max(two, high1);
    }
    const float lowest = hn::GetLane(hn::MinOfLanes(d, hn::Min(low, low1)));
    const float highest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(high, high1)));
    if (!std::isfinite(lowest) || !std::isfinite(highest))
        return 0;
    *least = lowest;
    *largest = highest;
    return at;
}

std::size_t rangeRun(const float *in, std::size_t count, float *least, float *largest)
{
    const std::size_t done = rangeRunOf<false>(in, count, least, largest);
    return done != 0 ? done : rangeRunOf<true>(in, count, least, largest);
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

/// What the steps of a run have in common, in vectors.
struct StepVectors {
    FloatVec scale, inverse, half, least, most, rounder;
};

/// Codes, as 32-bit numbers without the zero and with the bits of kRounder, of a vector of values.
/// NaN and what the guess by the reciprocal may miss take the longer way.
HWY_INLINE hn::Vec<hn::RebindToSigned<FloatTag>> stepsOf(FloatVec value, const StepVectors &v)
{
    const FloatTag d;
    const auto steps = hn::Min(hn::Max(hn::Mul(value, v.inverse), v.least), v.most);
    auto sum = hn::Add(steps, v.rounder);
    const auto guess = hn::Sub(sum, v.rounder);
    const auto rest = hn::Abs(hn::Sub(value, hn::Mul(guess, v.scale)));
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Lt(rest, v.half)))) {
        const auto number = hn::IfThenElseZero(hn::Eq(value, value), value);
        const auto again = hn::Min(hn::Max(hn::Mul(number, v.inverse), v.least), v.most);
        const auto nearest = hn::Sub(hn::Add(again, v.rounder), v.rounder);
        const auto nearer = nearerGuess(number, nearest, v.scale);
        sum = hn::Add(hn::Min(hn::Max(nearer, v.least), v.most), v.rounder);
    }
    return hn::BitCast(hn::RebindToSigned<FloatTag>(), sum);
}

/// The low bytes of four vectors of numbers within 16 bits, in order.
template <class V>
HWY_INLINE void storeLowBytes(V a, V b, V c, V e, std::uint8_t *out)
{
    const hn::Repartition<std::int16_t, FloatTag> d16;
    const hn::Repartition<std::uint8_t, FloatTag> d8;
    const hn::Repartition<std::uint32_t, FloatTag> d32;
    const auto ab = hn::ReorderDemote2To(d16, a, b); // in every 16 bytes: four of each
    const auto ce = hn::ReorderDemote2To(d16, c, e);
    const auto mixed =
        hn::BitCast(d8, hn::Or(hn::And(ab, hn::Set(d16, 0xff)), hn::ShiftLeft<8>(ce)));
    alignas(16) static constexpr std::uint8_t kApart[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                            1, 3, 5, 7, 9, 11, 13, 15};
    const auto apart = hn::BitCast(d32, hn::TableLookupBytes(mixed, hn::LoadDup128(d8, kApart)));
    if constexpr (hn::MaxLanes(FloatTag()) == 8) {
        alignas(32) static constexpr std::int32_t kOrder[8] = {0, 4, 1, 5, 2, 6, 3, 7};
        const auto inOrder = hn::TableLookupLanes(apart, hn::SetTableIndices(d32, kOrder));
        hn::StoreU(hn::BitCast(d8, inOrder), d8, out);
    } else {
        hn::StoreU(hn::BitCast(d8, apart), d8, out);
    }
}

/// `low` and `high` bound the steps, without the zero, which `zero` is added to.
std::size_t stepRun(const float *in, std::size_t count, float scale, float inverse,
                    std::int32_t zero, float low, float high, std::size_t ahead, std::uint8_t *out)
{
    const FloatTag d;
    const hn::RebindToSigned<FloatTag> di;
    const std::size_t lanes = hn::Lanes(d);
    const StepVectors v{hn::Set(d, scale), hn::Set(d, inverse), hn::Set(d, 0.5f * scale),
                        hn::Set(d, low),   hn::Set(d, high),    hn::Set(d, kRounder)};
    // From the bits of the sum to the code, the low byte of which is the same signed or not.
    const auto toCode = hn::Set(di, zero - std::bit_cast<std::int32_t>(kRounder));
    const auto codes = [&](std::size_t from) HWY_ATTR {
        return hn::Add(stepsOf(hn::LoadU(d, in + from), v), toCode);
    };
    std::size_t at = 0;
    for (; at + 4 * lanes <= count; at += 4 * lanes) {
        if (ahead != 0) {
            // Not hwy::Prefetch, which g++ takes only with optimisation.
            __builtin_prefetch(in + at + ahead);
            __builtin_prefetch(in + at + ahead + 2 * lanes);
        }
        storeLowBytes(codes(at), codes(at + lanes), codes(at + 2 * lanes), codes(at + 3 * lanes),
                      out + at);
    }
    return at;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(rangeRun);
HWY_EXPORT(stepRun);

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
    std::size_t at = HWY_DYNAMIC_DISPATCH(stepRun)(
        values.data(), values.size(), steps.scale, 1.0f / steps.scale, steps.zero,
        static_cast<float>(steps.low - steps.zero), static_cast<float>(steps.high - steps.zero),
        steps.ahead, out.data());
    for (; at < values.size(); ++at)
        out[at] = static_cast<std::uint8_t>(stepCode(values[at], steps));
}

} // namespace kernscope::codec
#endif
