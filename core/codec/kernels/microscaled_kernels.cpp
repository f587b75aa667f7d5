// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/microscaled_kernels.h"

#include "core/numeric/microfloat.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/microscaled_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/codec/kernels/sixteen-inl.h"

// What every target shares, once.
#ifndef KERNSCOPE_MX_SHARED
#define KERNSCOPE_MX_SHARED
namespace kernscope::codec {

inline constexpr std::uint16_t kMxNan = 0x7e00; ///< every NaN of a decoded matrix

/// The definition that the vectors below reproduce.
inline std::uint16_t mxHalf(float element, std::uint8_t exponent)
{
    const float value = element * e8m0ToFloat(exponent);
    return std::isnan(value) ? kMxNan : floatToHalf(value);
}

} // namespace kernscope::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

using IntTag = hn::RebindToSigned<SixteenFloats>;

/// E4M3FN bytes as they lie; of E2M1 nibbles the upper bytes of their values in fp16.
template <bool E4m3>
HWY_INLINE ByteVec loadElements(const std::uint8_t *in)
{
    const SixteenBytes d;
    if constexpr (E4m3) {
        return hn::LoadU(d, in);
    } else {
        alignas(16) static constexpr std::uint8_t kUpper[16] = {0,    0x38, 0x3c, 0x3e, 0x40, 0x42,
                                                                0x44, 0x46, 0x80, 0xb8, 0xbc, 0xbe,
                                                                0xc0, 0xc2, 0xc4, 0xc6};
        return hn::TableLookupBytes(hn::Load(d, kUpper), loadNibbles(in));
    }
}

/// Bytes to halves. Those of E4M3FN are 1/256 of their value, since the exponent's bias is 15
/// instead of 7; with `WithNan` code 0x7f becomes a NaN.
template <bool E4m3, bool WithNan>
HWY_INLINE HalfVec halvesOf(hn::Vec<SomeBytes> bytes)
{
    const SixteenHalves d;
    const auto upper = halvesOfUpper(bytes);
    if constexpr (!E4m3)
        return upper;
    const hn::RebindToSigned<SixteenHalves> di;
    // The sign stays at the top; the shift has doubled it into the exponent, which is cleared.
    const auto moved = hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(di, upper)));
    const auto half = hn::And(moved, hn::Set(d, 0xbfff));
    if constexpr (!WithNan)
        return half;
    const auto isNan = hn::Eq(hn::And(half, hn::Set(d, 0x7fff)), hn::Set(d, 0x3f80));
    return hn::IfThenElse(isNan, hn::Set(d, kMxNan), half);
}

/// Powers of two that bring halves to their value. Exponents that leave the range of fp16 whatever
/// the element are limited to what fp32 has: zero and infinity come out as they should.
template <bool E4m3>
HWY_INLINE FloatVec factorsOf(hn::Vec<IntTag> exponent)
{
    const IntTag di;
    const SixteenFloats df;
    constexpr std::int32_t kBias = E4m3 ? 8 : 0;
    const auto field =
        hn::Min(hn::Max(hn::Add(exponent, hn::Set(di, kBias)), hn::Set(di, 1)), hn::Set(di, 254));
    return hn::BitCast(df, hn::ShiftLeft<23>(field));
}

/// Sixteen elements times the factors that `factor(i)` gives for the ones from i on.
template <bool E4m3, bool WithNan, bool Streamed, class Factor>
HWY_INLINE void storeScaled(ByteVec bytes, Factor factor, std::uint16_t *out)
{
    const auto scale = [&](FloatVec value, std::size_t at)
                           HWY_ATTR { return hn::Mul(value, factor(at)); };
    const auto canonical = [](HalfVec halves) HWY_ATTR {
        const SixteenHalves d;
        if constexpr (!WithNan)
            return halves;
        const auto isNan = hn::Gt(hn::And(halves, hn::Set(d, 0x7fff)), hn::Set(d, 0x7c00));
        return hn::IfThenElse(isNan, hn::Set(d, kMxNan), halves);
    };
    const auto widen = [](hn::Vec<SomeBytes> some)
                           HWY_ATTR { return halvesOf<E4m3, WithNan>(some); };
    storeSixteen<Streamed>(bytes, widen, scale, canonical, out);
}

/// A group of 32 elements with one factor or a factor each.
template <bool E4m3, bool Streamed, class Factor>
HWY_INLINE void storeGroup(const std::uint8_t *in, Factor factor, std::uint16_t *out)
{
    const SixteenBytes d;
    const auto first = loadElements<E4m3>(in);
    const auto second = loadElements<E4m3>(in + (E4m3 ? 16 : 8));
    const auto later = [&](std::size_t at) HWY_ATTR { return factor(at + 16); };
    if constexpr (E4m3) {
        const auto all = hn::Set(d, 0x7f);
        const auto nan =
            hn::Or(hn::Eq(hn::And(first, all), all), hn::Eq(hn::And(second, all), all));
        if (HWY_UNLIKELY(!hn::AllFalse(d, nan))) {
            storeScaled<E4m3, true, Streamed>(first, factor, out);
            storeScaled<E4m3, true, Streamed>(second, later, out + 16);
            return;
        }
    }
    storeScaled<E4m3, false, Streamed>(first, factor, out);
    storeScaled<E4m3, false, Streamed>(second, later, out + 16);
}

/// Whether one of 32 exponents stands for a NaN.
HWY_INLINE bool anyNan(const std::uint8_t *exponents)
{
    const SixteenBytes d;
    const auto nan = hn::Set(d, kE8m0Nan);
    return !hn::AllFalse(
        d, hn::Or(hn::Eq(hn::LoadU(d, exponents), nan), hn::Eq(hn::LoadU(d, exponents + 16), nan)));
}

/// Whole groups of 32; `perElement` as in MxRun.
template <bool E4m3, bool Streamed>
void groupRun(const std::uint8_t *in, const std::uint8_t *exponents, bool perElement,
              std::uint16_t *out, std::size_t groups)
{
    const IntTag di;
    const hn::Rebind<std::uint8_t, SixteenFloats> d8;
    for (std::size_t g = 0; g < groups; ++g, in += E4m3 ? 32 : 16, out += 32) {
        if (perElement) {
            const std::uint8_t *own = exponents + 32 * g;
            storeGroup<E4m3, Streamed>(
                in,
                [&](std::size_t at) HWY_ATTR {
                    return factorsOf<E4m3>(hn::PromoteTo(di, hn::LoadU(d8, own + at)));
                },
                out);
            if (HWY_UNLIKELY(anyNan(own))) {
                for (std::size_t i = 0; i < 32; ++i)
                    out[i] = own[i] == kE8m0Nan ? kMxNan : out[i];
            }
        } else if (HWY_UNLIKELY(exponents[g] == kE8m0Nan)) {
            std::fill_n(out, 32, kMxNan);
        } else {
            const auto factor = factorsOf<E4m3>(hn::Set(di, exponents[g]));
            storeGroup<E4m3, Streamed>(
                in, [&](std::size_t) HWY_ATTR { return factor; }, out);
        }
    }
}

template <bool E4m3>
HWY_INLINE void anyGroupRun(const std::uint8_t *in, const std::uint8_t *exponents, bool perElement,
                            bool streamed, std::uint16_t *out, std::size_t groups)
{
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 64 == 0; // as every group then is
    if (streamed && aligned) {
        groupRun<E4m3, true>(in, exponents, perElement, out, groups);
        hwy::FlushStream();
    } else {
        groupRun<E4m3, false>(in, exponents, perElement, out, groups);
    }
}

std::size_t mxRun(const std::uint8_t *in, bool mxfp4, const std::uint8_t *exponents,
                  bool perElement, bool streamed, std::uint16_t *out, std::size_t groups)
{
    if (mxfp4)
        anyGroupRun<false>(in, exponents, perElement, streamed, out, groups);
    else
        anyGroupRun<true>(in, exponents, perElement, streamed, out, groups);
    return groups;
}

#else

std::size_t mxRun(const std::uint8_t *, bool, const std::uint8_t *, bool, bool, std::uint16_t *,
                  std::size_t)
{
    return 0;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(mxRun);

void microscaledRunToHalf(const MxRun &run, std::span<std::uint16_t> out)
{
    const auto one = [&](std::size_t i) {
        const std::uint64_t at = run.first + i;
        const float element =
            run.mxfp4 ? e2m1ToFloat(static_cast<std::uint8_t>(run.data[at / 2] >> (4 * (at % 2))))
                      : e4m3ToFloat(run.data[at]);
        const std::uint64_t group = run.perElement ? i : at / 32 - run.first / 32;
        return mxHalf(element, run.exponents[static_cast<std::size_t>(group)]);
    };
    // Up to a group's start; an exponent an element only needs a whole byte.
    const std::uint64_t step = run.perElement ? 2 : 32;
    std::size_t done = 0;
    const auto head = std::min<std::size_t>(out.size(), (step - run.first % step) % step);
    for (; done < head; ++done)
        out[done] = one(done);
    const std::size_t groups = (out.size() - done) / 32;
    if (groups != 0) {
        const std::uint64_t at = run.first + done;
        const std::uint64_t skip = run.perElement ? done : at / 32 - run.first / 32;
        done +=
            32 * HWY_DYNAMIC_DISPATCH(mxRun)(run.data.data() + (run.mxfp4 ? at / 2 : at), run.mxfp4,
                                             run.exponents.data() + skip, run.perElement,
                                             run.streamed, out.data() + done, groups);
    }
    for (; done < out.size(); ++done)
        out[done] = one(done);
}

} // namespace kernscope::codec
#endif
