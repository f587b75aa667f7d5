// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode_kernels.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/encode_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

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
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, in + at);
        // Zero, which is within every range, where it is infinite or NaN.
        const auto some = hn::IfThenElseZero(hn::Le(hn::Abs(value), finite), value);
        low = hn::Min(low, some);
        high = hn::Max(high, some);
    }
    *least = hn::GetLane(hn::MinOfLanes(d, low));
    *largest = hn::GetLane(hn::MaxOfLanes(d, high));
    return at;
}

/// The nearest multiple of the scale, ties to even. A first guess by the reciprocal is at most one
/// off; what is left over is exact (8 by 11 bits, and numbers within a factor of two).
HWY_INLINE FloatVec nearestSteps(FloatVec value, FloatVec scale, FloatVec inverse)
{
    const FloatTag d;
    const auto limit = hn::Set(d, 1024.0f); // beyond any code
    const auto guess = hn::Round(hn::Min(hn::Max(hn::Mul(value, inverse), hn::Neg(limit)), limit));
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

std::size_t stepRun(const float *in, std::size_t count, float scale, float inverse, float zero,
                    float low, float high, std::uint8_t *out)
{
    const FloatTag d;
    const hn::RebindToSigned<FloatTag> di;
    const hn::Rebind<std::int16_t, FloatTag> d16;
    const hn::Rebind<std::uint8_t, FloatTag> d8;
    const std::size_t lanes = hn::Lanes(d);
    const auto scales = hn::Set(d, scale);
    const auto inverses = hn::Set(d, inverse);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, in + at);
        const auto sound = hn::IfThenElseZero(hn::Eq(value, value), value);
        const auto code = hn::Add(nearestSteps(sound, scales, inverses), hn::Set(d, zero));
        const auto within = hn::Min(hn::Max(code, hn::Set(d, low)), hn::Set(d, high));
        // The low byte, whether the codes are signed or not.
        const auto whole = hn::And(hn::ConvertTo(di, within), hn::Set(di, 0xff));
        hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(d16, whole)), d8, out + at);
    }
    return at;
}

/// Whole groups of lanes; `*kept` counts the survivors.
std::size_t keepRun(const float *in, std::size_t count, float threshold, std::uint8_t *mask,
                    std::uint16_t *out, std::size_t *kept)
{
    const FloatTag d;
    const hn::Rebind<std::uint16_t, FloatTag> dh;
    const std::size_t lanes = hn::Lanes(d);
    const auto least = hn::Set(d, threshold);
    std::size_t next = 0;
    std::size_t at = 0;
    std::uint8_t bits[8] = {};
    for (; at + 16 <= count; at += 16) {
        std::uint32_t word = 0;
        for (std::size_t part = 0; part < 16; part += lanes) {
            const auto value = hn::LoadU(d, in + at + part);
            const auto large = hn::IfThenZeroElse(hn::Lt(hn::Abs(value), least), value);
            const auto half = narrowToHalf(d, large);
            const auto keep = hn::Ne(hn::And(half, hn::Set(dh, 0x7fff)), hn::Zero(dh));
            hn::StoreMaskBits(dh, keep, bits);
            word |= (static_cast<std::uint32_t>(bits[0]) |
                     (lanes > 8 ? static_cast<std::uint32_t>(bits[1]) << 8 : 0u))
                    << part;
            next += hn::CompressStore(half, keep, dh, out + next);
        }
        mask[at / 8] = static_cast<std::uint8_t>(word);
        mask[at / 8 + 1] = static_cast<std::uint8_t>(word >> 8);
    }
    *kept = next;
    return at;
}

#else

std::size_t rangeRun(const float *, std::size_t, float *, float *)
{
    return 0;
}

std::size_t stepRun(const float *, std::size_t, float, float, float, float, float, std::uint8_t *)
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
                                      static_cast<float>(steps.zero), static_cast<float>(steps.low),
                                      static_cast<float>(steps.high), out.data());
    for (; at < values.size(); ++at)
        out[at] = static_cast<std::uint8_t>(stepCode(values[at], steps));
}

std::size_t keepLarge(std::span<const float> values, float threshold, std::span<std::byte> mask,
                      std::span<std::uint16_t> kept)
{
    std::size_t next = 0;
    auto *bits = reinterpret_cast<std::uint8_t *>(mask.data());
    std::size_t at = HWY_DYNAMIC_DISPATCH(keepRun)(values.data(), values.size(), threshold, bits,
                                                   kept.data(), &next);
    for (; at < values.size(); ++at) {
        if (at % 8 == 0)
            bits[at / 8] = 0;
        const std::uint16_t half = floatToHalf(values[at]);
        if ((half & 0x7fffu) == 0 || std::abs(values[at]) < threshold)
            continue;
        bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] | 1u << (at % 8));
        kept[next++] = half;
    }
    return next;
}

} // namespace kernscope::codec
#endif
