// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/scale_kernels.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/scale_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/cache_control.h>
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

/// What is taken from a code before its scale: nothing, the offset, the offset rounded to fp16.
enum class Shift { None, Exact, Rounded };

template <Shift How>
HWY_INLINE FloatVec scaled(FloatVec value, FloatVec scale, FloatVec offset)
{
    const FloatTag df;
    if constexpr (How == Shift::None)
        return hn::Mul(scale, value);
    auto difference = hn::Sub(value, offset);
    if constexpr (How == Shift::Rounded)
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

template <bool Streamed>
HWY_INLINE void storeWhole(FloatVec result, float *out)
{
    hn::StoreU(result, FloatTag(), out);
}

template <bool Streamed>
HWY_INLINE void storeWhole(FloatVec result, std::uint16_t *out)
{
    const FloatTag df;
    const hn::Rebind<std::uint16_t, FloatTag> dh;
    if constexpr (Streamed)
        hn::Stream(narrowToHalf(df, result), dh, out); // which must be aligned
    else
        hn::StoreU(narrowToHalf(df, result), dh, out);
}

HWY_INLINE void storeSome(FloatVec result, FloatVec, std::size_t, std::uint16_t *out)
{
    storeWhole<false>(result, out);
}

template <Shift How>
HWY_INLINE float scaledOne(float value, float scale, float offset)
{
    float difference = value - offset;
    if constexpr (How == Shift::Rounded)
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

/// Whether whole vectors may be stored past the caches from `out` on.
template <class Out>
HWY_INLINE bool mayStream(const ScaleRun &run, const Out *out)
{
    return std::is_same_v<Out, std::uint16_t> && run.streamed &&
           reinterpret_cast<std::uintptr_t>(out) % (2 * hn::Lanes(FloatTag())) == 0;
}

/// Four vectors at a time, which do not wait for one another (a whole block of 32 in one go), up to
/// `end`; returns how far.
template <Shift How, bool Streamed, class In, class Out>
HWY_INLINE std::size_t fourVectors(const In *in, float scale, float offset, Out *out,
                                   std::size_t at, std::size_t end)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const auto scales = hn::Set(df, scale);
    const auto offsets = hn::Set(df, offset);
    for (; at + 4 * lanes <= end; at += 4 * lanes) {
        for (std::size_t i = 0; i < 4 * lanes; i += lanes)
            storeWhole<Streamed>(scaled<How>(loadFloats(in + at + i), scales, offsets),
                                 out + at + i);
    }
    return at;
}

/// Whole vectors of one scale as long as they fit the run as a whole, else element by element.
template <Shift How, class In, class Out>
void blockRun(const In *in, const ScaleRun &run, Out *out, std::size_t count)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const auto block = static_cast<std::size_t>(run.block);
    std::size_t at = 0;
    std::size_t end = std::min(count, block - static_cast<std::size_t>(run.phase));
    for (std::size_t cell = 0; at < count; ++cell, end = std::min(count, end + block)) {
        const float scale = run.scales[cell];
        const float offset = How == Shift::None || run.offsets.empty() ? 0.0f : run.offsets[cell];
        at = mayStream(run, out + at) ? fourVectors<How, true>(in, scale, offset, out, at, end)
                                      : fourVectors<How, false>(in, scale, offset, out, at, end);
        const auto scaleVector = hn::Set(df, scale);
        const auto offsetVector = hn::Set(df, offset);
        for (; at < end && at + lanes <= count; at += lanes) {
            const auto value = loadFloats(in + at);
            storeSome(scaled<How>(value, scaleVector, offsetVector), value, end - at, out + at);
        }
        for (; at < end; ++at)
            storeOne(scaledOne<How>(static_cast<float>(in[at]), scale, offset), out + at);
        at = end;
    }
    if (run.streamed)
        hwy::FlushStream();
}

/// One scale an element.
template <Shift How, class In, class Out>
void elementRun(const In *in, const ScaleRun &run, Out *out, std::size_t count)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const float *scales = run.scales.data();
    const float *offsets = run.offsets.empty() ? nullptr : run.offsets.data();
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = loadFloats(in + at);
        const auto offset = offsets == nullptr ? hn::Zero(df) : hn::LoadU(df, offsets + at);
        storeSome(scaled<How>(value, hn::LoadU(df, scales + at), offset), value, lanes, out + at);
    }
    for (; at < count; ++at)
        storeOne(scaledOne<How>(static_cast<float>(in[at]), scales[at],
                                offsets == nullptr ? 0.0f : offsets[at]),
                 out + at);
}

template <Shift How, class In, class Out>
HWY_INLINE void shiftedRun(const In *in, const ScaleRun &run, Out *out, std::size_t count)
{
    if (run.block == 1)
        elementRun<How>(in, run, out, count);
    else
        blockRun<How>(in, run, out, count);
}

template <class In, class Out>
HWY_INLINE void anyRun(const In *in, const ScaleRun &run, Out *out, std::size_t count)
{
    if (run.roundDifference)
        shiftedRun<Shift::Rounded>(in, run, out, count);
    else if (!run.offsets.empty())
        shiftedRun<Shift::Exact>(in, run, out, count);
    else
        shiftedRun<Shift::None>(in, run, out, count);
}

void int8Run(const std::int8_t *in, const ScaleRun &run, std::uint16_t *out, std::size_t count)
{
    anyRun(in, run, out, count);
}

void uint8Run(const std::uint8_t *in, const ScaleRun &run, std::uint16_t *out, std::size_t count)
{
    anyRun(in, run, out, count);
}

void floatRun(const float *in, const ScaleRun &run, float *out, std::size_t count)
{
    anyRun(in, run, out, count);
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

/// Calls `each(at, count, run)`, once for all but short blocks.
template <class Each>
void withRuns(const ScaleRun &run, std::size_t count, Each each)
{
    if (run.block == 1 || run.block >= kShortBlock) {
        // A block longer than the run is as good as one of its length.
        ScaleRun whole = run;
        whole.block =
            std::min<std::uint64_t>(run.block, run.phase + std::max<std::size_t>(count, 1));
        each(0, count, whole);
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
            if (!run.offsets.empty())
                speltOffsets[i] = run.offsets[cell];
        }
        ScaleRun some = run;
        some.scales = std::span(spelt).first(part);
        if (!run.offsets.empty())
            some.offsets = std::span(speltOffsets).first(part);
        some.phase = 0;
        some.block = 1;
        each(at, part, some);
    }
}

} // namespace

void scaleToHalf(std::span<const std::int8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out)
{
    withRuns(run, out.size(), [&](std::size_t at, std::size_t count, const ScaleRun &some) {
        HWY_DYNAMIC_DISPATCH(int8Run)(codes.data() + at, some, out.data() + at, count);
    });
}

void scaleToHalf(std::span<const std::uint8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out)
{
    withRuns(run, out.size(), [&](std::size_t at, std::size_t count, const ScaleRun &some) {
        HWY_DYNAMIC_DISPATCH(uint8Run)(codes.data() + at, some, out.data() + at, count);
    });
}

void scaleFloats(std::span<float> values, const ScaleRun &run)
{
    withRuns(run, values.size(), [&](std::size_t at, std::size_t count, const ScaleRun &some) {
        HWY_DYNAMIC_DISPATCH(floatRun)(values.data() + at, some, values.data() + at, count);
    });
}

} // namespace kernscope::codec
#endif
