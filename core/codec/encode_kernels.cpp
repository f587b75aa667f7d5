// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode_kernels.h"

#include "core/codec/byte_counts.h"
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

} // namespace kernscope::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

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

/// Eight bits: which of eight values are below the limit (NaN is not).
HWY_INLINE std::uint8_t smallOnes(const float *in, float least)
{
    const hn::CappedTag<float, 8> d;
    const auto limit = hn::Set(d, least);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Lt(hn::Abs(hn::LoadU(d, in)), limit), bits);
    if constexpr (hn::MaxLanes(d) == 8)
        return bits[0];
    std::uint8_t others[8] = {};
    hn::StoreMaskBits(d, hn::Lt(hn::Abs(hn::LoadU(d, in + 4)), limit), others);
    return static_cast<std::uint8_t>(bits[0] | others[0] << 4);
}

/// Brings those of eight values that `bits` names to the front, as halves.
HWY_INLINE void storeKept(const float *in, unsigned bits, std::uint16_t *out)
{
    const hn::CappedTag<float, 8> d;
    const hn::FixedTag<std::uint16_t, 8> dh;
    const hn::FixedTag<std::uint8_t, 16> d8;
#if HWY_MAX_BYTES >= 32
    const auto half = narrowToHalf(d, hn::LoadU(d, in));
#else
    const auto half =
        hn::Combine(dh, narrowToHalf(d, hn::LoadU(d, in + 4)), narrowToHalf(d, hn::LoadU(d, in)));
#endif
    const auto order = hn::Load(d8, kGatherOrders[bits].data());
    hn::StoreU(hn::BitCast(dh, hn::TableLookupBytes(hn::BitCast(d8, half), order)), dh, out);
}

constexpr std::size_t kAhead = 1024; ///< values, 4 KiB: the next page, where processors stop

/// Groups of 64, then of eight, their survivors shuffled to the front; `*kept` counts them.
std::size_t keepRun(const float *in, std::size_t count, float least, std::uint8_t *mask,
                    std::uint16_t *out, std::size_t *kept)
{
    std::size_t next = 0;
    std::size_t at = 0;
    for (; at + 64 <= count; at += 64) {
        for (std::size_t line = 0; line < 64; line += 16)
            __builtin_prefetch(in + at + kAhead + line);
        std::uint64_t small = 0;
        for (unsigned i = 0; i < 8; ++i)
            small |= std::uint64_t{smallOnes(in + at + 8 * i, least)} << (8 * i);
        const std::uint64_t word = ~small;
        for (unsigned i = 0; i < 8; ++i)
            mask[at / 8 + i] = static_cast<std::uint8_t>(word >> (8 * i));
        // Where each eight begin is known at once, so that none waits for the one before.
        const ByteCounts counts = countsOf(word);
        for (unsigned i = 0; i < 8; ++i)
            storeKept(in + at + 8 * i, static_cast<unsigned>(word >> (8 * i) & 0xffu),
                      out + next + (counts.before >> (8 * i) & 0xffu));
        next += counts.all;
    }
    for (; at + 8 <= count; at += 8) {
        const unsigned bits = ~unsigned{smallOnes(in + at, least)} & 0xffu;
        mask[at / 8] = static_cast<std::uint8_t>(bits);
        storeKept(in + at, bits, out + next);
        next += static_cast<std::size_t>(std::popcount(bits));
    }
    *kept = next;
    return at;
}

/// Whole vectors; returns how many halves were looked at.
std::size_t smallRun(const std::uint16_t *in, std::size_t count, std::uint16_t limit,
                     std::uint32_t *found, std::size_t *many)
{
    const hn::CappedTag<std::int16_t, 16> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const std::size_t lanes = hn::Lanes(d);
    const auto limits = hn::Set(d, static_cast<std::int16_t>(limit));
    const auto magnitude = hn::Set(d, 0x7fff);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto halves = hn::BitCast(d, hn::LoadU(du, in + at));
        const auto small = hn::Lt(hn::And(halves, magnitude), limits);
        if (hn::AllFalse(d, small)) // they are few
            continue;
        std::uint8_t bytes[8] = {};
        hn::StoreMaskBits(d, small, bytes);
        for (unsigned bits = bytes[0] | unsigned{bytes[1]} << 8; bits != 0; bits &= bits - 1)
            found[(*many)++] =
                static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    return at;
}

#else

std::size_t smallRun(const std::uint16_t *, std::size_t, std::uint16_t, std::uint32_t *,
                     std::size_t *)
{
    return 0;
}

std::size_t rangeRun(const float *, std::size_t, float *, float *)
{
    return 0;
}

std::size_t stepRun(const float *, std::size_t, float, float, std::int32_t, float, float,
                    std::size_t, std::uint8_t *)
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
HWY_EXPORT(smallRun);

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

std::size_t findSmall(std::span<const std::uint16_t> halves, std::uint16_t limit,
                      std::span<std::uint32_t> found)
{
    std::size_t many = 0;
    std::size_t at =
        HWY_DYNAMIC_DISPATCH(smallRun)(halves.data(), halves.size(), limit, found.data(), &many);
    for (; at < halves.size(); ++at) {
        if ((halves[at] & 0x7fffu) < limit)
            found[many++] = static_cast<std::uint32_t>(at);
    }
    return many;
}

} // namespace kernscope::codec
#endif
