// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include "core/numeric/half.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <array>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/scale_kernels.cpp"
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

HWY_INLINE void storeWhole(FloatVec result, float *out)
{
    hn::StoreU(result, FloatTag(), out);
}

HWY_INLINE void storeWhole(FloatVec result, std::uint16_t *out)
{
    const FloatTag df;
    const hn::Rebind<std::uint16_t, FloatTag> dh;
    hn::StoreU(narrowToHalf(df, result), dh, out);
}

/// Two vectors of results: a whole vector of halves, as storing past the caches needs.
template <bool Streamed>
HWY_INLINE void storeTwo(FloatVec first, FloatVec second, std::uint16_t *out)
{
    const FloatTag df;
    const hn::Repartition<std::uint16_t, FloatTag> dh;
    const auto both = hn::Combine(dh, narrowToHalf(df, second), narrowToHalf(df, first));
    if constexpr (Streamed)
        hn::Stream(both, dh, out); // which must be aligned
    else
        hn::StoreU(both, dh, out);
}

template <bool Streamed>
HWY_INLINE void storeTwo(FloatVec first, FloatVec second, float *out)
{
    storeWhole(first, out);
    storeWhole(second, out + hn::Lanes(FloatTag()));
}

HWY_INLINE void storeSome(FloatVec result, FloatVec, std::size_t, std::uint16_t *out)
{
    storeWhole(result, out);
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

template <class Out>
HWY_INLINE bool startsLine(const Out *out)
{
    return reinterpret_cast<std::uintptr_t>(out) % kCacheLine == 0;
}

/// Whole pairs of vectors up to `end`, as long as there are two of them those at once, which do not
/// wait for one another; returns how far.
template <Shift How, bool Streamed, class In, class Out>
HWY_INLINE std::size_t wholeVectors(const In *in, float scale, float offset, Out *out,
                                    std::size_t at, std::size_t end)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const auto scales = hn::Set(df, scale);
    const auto offsets = hn::Set(df, offset);
    const auto store = [&](std::size_t from) HWY_ATTR {
        storeTwo<Streamed>(scaled<How>(loadFloats(in + from), scales, offsets),
                           scaled<How>(loadFloats(in + from + lanes), scales, offsets), out + from);
    };
    for (; at + 4 * lanes <= end; at += 4 * lanes) {
        store(at);
        store(at + 2 * lanes);
    }
    for (; at + 2 * lanes <= end; at += 2 * lanes)
        store(at);
    return at;
}

/// `cells` whole blocks of `block` elements, a multiple of two vectors.
template <Shift How, bool Streamed, class In, class Out>
HWY_INLINE void wholeBlocks(const In *in, const float *scales, const float *offsets,
                            std::size_t block, std::size_t cells, Out *out)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    for (std::size_t cell = 0; cell < cells; ++cell) {
        const auto scale = hn::Set(df, scales[cell]);
        const auto offset =
            How == Shift::None || offsets == nullptr ? hn::Zero(df) : hn::Set(df, offsets[cell]);
        for (std::size_t i = 0; i < block; i += 2 * lanes, in += 2 * lanes, out += 2 * lanes)
            storeTwo<Streamed>(scaled<How>(loadFloats(in), scale, offset),
                               scaled<How>(loadFloats(in + lanes), scale, offset), out);
    }
}

/// The whole blocks from one's beginning on, where vectors and, past the caches, lines fit them;
/// returns how many.
template <Shift How, class In, class Out>
HWY_INLINE std::size_t blocksOf(const In *in, const ScaleRun &run, std::size_t cell, Out *out,
                                std::size_t count)
{
    const auto block = static_cast<std::size_t>(run.block);
    const bool lines = run.streamed && startsLine(out);
    if (block > count || block % (2 * hn::Lanes(FloatTag())) != 0 ||
        (run.streamed && (!lines || block * sizeof(Out) % kCacheLine != 0)))
        return 0;
    const std::size_t cells = count / block;
    const float *scales = run.scales.data() + cell;
    const float *offsets = run.offsets.empty() ? nullptr : run.offsets.data() + cell;
    if (lines)
        wholeBlocks<How, true>(in, scales, offsets, block, cells, out);
    else
        wholeBlocks<How, false>(in, scales, offsets, block, cells, out);
    return cells;
}

/// Elements [at, end) of one scale: whole vectors as long as they fit the `count` of the run, else
/// element by element.
template <Shift How, class In, class Out>
HWY_INLINE void cellRun(const In *in, float scale, float offset, bool streamed, Out *out,
                        std::size_t at, std::size_t end, std::size_t count)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const auto one = [&](std::size_t i) {
        storeOne(scaledOne<How>(static_cast<float>(in[i]), scale, offset), out + i);
    };
    if (streamed) {
        for (; at < end && !startsLine(out + at); ++at)
            one(at);
        at = wholeVectors<How, true>(in, scale, offset, out, at, end);
    } else {
        at = wholeVectors<How, false>(in, scale, offset, out, at, end);
    }
    const auto scaleVector = hn::Set(df, scale);
    const auto offsetVector = hn::Set(df, offset);
    for (; at < end && at + lanes <= count; at += lanes) {
        const auto value = loadFloats(in + at);
        storeSome(scaled<How>(value, scaleVector, offsetVector), value, end - at, out + at);
    }
    for (; at < end; ++at)
        one(at);
}

template <Shift How, class In, class Out>
void blockRun(const In *in, const ScaleRun &run, Out *out, std::size_t count)
{
    const auto block = static_cast<std::size_t>(run.block);
    auto begun = static_cast<std::size_t>(run.phase); // of the block that `at` is in
    std::size_t cell = 0;
    for (std::size_t at = 0; at < count; begun = 0) {
        const std::size_t whole =
            begun == 0 ? blocksOf<How>(in + at, run, cell, out + at, count - at) : 0;
        at += whole * block;
        cell += whole;
        if (whole != 0)
            continue;
        const std::size_t end = std::min(count, at + block - begun);
        const float offset = How == Shift::None || run.offsets.empty() ? 0.0f : run.offsets[cell];
        cellRun<How>(in, run.scales[cell], offset, run.streamed, out, at, end, count);
        at = end;
        ++cell;
    }
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

/// Below this, blocks are written out: one scale an element.
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
    std::array<float, 512> expanded;
    std::array<float, 512> expandedOffsets;
    std::uint64_t left = run.block - run.phase;
    std::size_t cell = 0;
    for (std::size_t at = 0; at < count; at += expanded.size()) {
        const std::size_t part = std::min(expanded.size(), count - at);
        for (std::size_t i = 0; i < part; ++i, --left) {
            if (left == 0) {
                ++cell;
                left = run.block;
            }
            expanded[i] = run.scales[cell];
            if (!run.offsets.empty())
                expandedOffsets[i] = run.offsets[cell];
        }
        ScaleRun some = run;
        some.scales = std::span(expanded).first(part);
        if (!run.offsets.empty())
            some.offsets = std::span(expandedOffsets).first(part);
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
