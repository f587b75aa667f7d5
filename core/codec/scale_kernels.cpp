// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/scale_kernels.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/scale_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

template <class T>
HWY_INLINE FloatVec loadFloats(const T *in)
{
    const FloatTag df;
    if constexpr (std::is_same_v<T, float>) {
        return hn::LoadU(df, in);
    } else {
        const hn::RebindToSigned<FloatTag> di;
        const hn::Rebind<T, FloatTag> dt;
        return hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(dt, in)));
    }
}

template <bool RoundDifference>
HWY_INLINE FloatVec scaled(FloatVec value, FloatVec scale, FloatVec offset)
{
    const FloatTag df;
    auto difference = hn::Sub(value, offset);
    if constexpr (RoundDifference)
        difference = widenHalf(df, narrowToHalf(df, difference));
    return hn::Mul(scale, difference);
}

/// Stores one vector of results. In place, the lanes from `valid` on keep what they were: they
/// belong to the next scale. Elsewhere they may be overwritten, since they are written again.
HWY_INLINE void storeSome(FloatVec result, FloatVec before, std::size_t valid, float *out)
{
    const FloatTag df;
    hn::StoreU(hn::IfThenElse(hn::FirstN(df, valid), result, before), df, out);
}

HWY_INLINE void storeSome(FloatVec result, FloatVec, std::size_t, std::uint16_t *out)
{
    const FloatTag df;
    const hn::Rebind<std::uint16_t, FloatTag> dh;
    hn::StoreU(narrowToHalf(df, result), dh, out);
}

template <bool RoundDifference>
HWY_INLINE float scaledOne(float value, float scale, float offset)
{
    float difference = value - offset;
    if constexpr (RoundDifference)
        difference = halfToFloat(floatToHalf(difference));
    return scale * difference;
}

HWY_INLINE void storeOne(float result, float *out)
{
    *out = result;
}

HWY_INLINE void storeOne(float result, std::uint16_t *out)
{
    *out = floatToHalf(result);
}

/// Whole vectors of one scale as long as they fit the run as a whole, else element by element.
template <bool RoundDifference, class In, class Out>
void blockRun(const In *in, const float *scales, const float *offsets, std::size_t phase,
              std::size_t block, Out *out, std::size_t count)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    std::size_t at = 0;
    std::size_t end = std::min(count, block - phase);
    for (std::size_t cell = 0; at < count; ++cell, end = std::min(count, end + block)) {
        const float scale = scales[cell];
        const float offset = offsets == nullptr ? 0.0f : offsets[cell];
        const auto scaleVector = hn::Set(df, scale);
        const auto offsetVector = hn::Set(df, offset);
        for (; at < end && at + lanes <= count; at += lanes) {
            const auto value = loadFloats(in + at);
            storeSome(scaled<RoundDifference>(value, scaleVector, offsetVector), value, end - at,
                      out + at);
        }
        for (; at < end; ++at)
            storeOne(scaledOne<RoundDifference>(static_cast<float>(in[at]), scale, offset),
                     out + at);
        at = end;
    }
}

/// One scale an element.
template <bool RoundDifference, class In, class Out>
void elementRun(const In *in, const float *scales, const float *offsets, Out *out,
                std::size_t count)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = loadFloats(in + at);
        const auto offset = offsets == nullptr ? hn::Zero(df) : hn::LoadU(df, offsets + at);
        storeSome(scaled<RoundDifference>(value, hn::LoadU(df, scales + at), offset), value, lanes,
                  out + at);
    }
    for (; at < count; ++at)
        storeOne(scaledOne<RoundDifference>(static_cast<float>(in[at]), scales[at],
                                            offsets == nullptr ? 0.0f : offsets[at]),
                 out + at);
}

template <class In, class Out>
HWY_INLINE void anyRun(const In *in, const float *scales, const float *offsets, std::size_t phase,
                       std::size_t block, bool roundDifference, Out *out, std::size_t count)
{
    if (block == 1 && roundDifference)
        elementRun<true>(in, scales, offsets, out, count);
    else if (block == 1)
        elementRun<false>(in, scales, offsets, out, count);
    else if (roundDifference)
        blockRun<true>(in, scales, offsets, phase, block, out, count);
    else
        blockRun<false>(in, scales, offsets, phase, block, out, count);
}

void int8Run(const std::int8_t *in, const float *scales, const float *offsets, std::size_t phase,
             std::size_t block, bool roundDifference, std::uint16_t *out, std::size_t count)
{
    anyRun(in, scales, offsets, phase, block, roundDifference, out, count);
}

void uint8Run(const std::uint8_t *in, const float *scales, const float *offsets, std::size_t phase,
              std::size_t block, bool roundDifference, std::uint16_t *out, std::size_t count)
{
    anyRun(in, scales, offsets, phase, block, roundDifference, out, count);
}

void floatRun(const float *in, const float *scales, const float *offsets, std::size_t phase,
              std::size_t block, bool roundDifference, float *out, std::size_t count)
{
    anyRun(in, scales, offsets, phase, block, roundDifference, out, count);
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(int8Run);
HWY_EXPORT(uint8Run);
HWY_EXPORT(floatRun);

namespace {

/// Below this, blocks are spelt out: one scale an element.
constexpr std::uint64_t kShortBlock = 8;

/// Calls `run(at, count, scales, offsets, phase, block)`, once for all but short blocks.
template <class Run>
void withRuns(const ScaleRun &run, std::size_t count, Run call)
{
    const float *offsets = run.offsets.empty() ? nullptr : run.offsets.data();
    if (run.block == 1 || run.block >= kShortBlock) {
        // A block longer than the run is as good as one of its length.
        const std::uint64_t block =
            std::min<std::uint64_t>(run.block, run.phase + std::max<std::size_t>(count, 1));
        call(0, count, run.scales.data(), offsets, static_cast<std::size_t>(run.phase),
             static_cast<std::size_t>(block));
        return;
    }
    std::array<float, 512> spelt;
    std::array<float, 512> speltOffsets;
    std::uint64_t left = run.block - run.phase;
    std::size_t cell = 0;
    for (std::size_t at = 0; at < count; at += spelt.size()) {
        const std::size_t part = std::min(spelt.size(), count - at);
        for (std::size_t i = 0; i < part; ++i, --left) {
            if (left == 0) {
                ++cell;
                left = run.block;
            }
            spelt[i] = run.scales[cell];
            speltOffsets[i] = offsets == nullptr ? 0.0f : offsets[cell];
        }
        call(at, part, spelt.data(), offsets == nullptr ? nullptr : speltOffsets.data(), 0, 1);
    }
}

} // namespace

void scaleToHalf(std::span<const std::int8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out)
{
    withRuns(run, out.size(),
             [&](std::size_t at, std::size_t count, const float *scales, const float *offsets,
                 std::size_t phase, std::size_t block) {
                 HWY_DYNAMIC_DISPATCH(int8Run)
                 (codes.data() + at, scales, offsets, phase, block, run.roundDifference,
                  out.data() + at, count);
             });
}

void scaleToHalf(std::span<const std::uint8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out)
{
    withRuns(run, out.size(),
             [&](std::size_t at, std::size_t count, const float *scales, const float *offsets,
                 std::size_t phase, std::size_t block) {
                 HWY_DYNAMIC_DISPATCH(uint8Run)
                 (codes.data() + at, scales, offsets, phase, block, run.roundDifference,
                  out.data() + at, count);
             });
}

void scaleFloats(std::span<float> values, const ScaleRun &run)
{
    withRuns(run, values.size(),
             [&](std::size_t at, std::size_t count, const float *scales, const float *offsets,
                 std::size_t phase, std::size_t block) {
                 HWY_DYNAMIC_DISPATCH(floatRun)
                 (values.data() + at, scales, offsets, phase, block, run.roundDifference,
                  values.data() + at, count);
             });
}

} // namespace kernscope::codec
#endif
