// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled_kernels.h"

#include "core/numeric/microfloat.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/microscaled_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"
#include "core/numeric/unpack-inl.h"

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

using namespace ::kernscope::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using FloatTag = hn::CappedTag<float, 16>;
using HalfTag = hn::Rebind<std::uint16_t, FloatTag>;
using ByteTag = hn::Rebind<std::uint8_t, FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;

/// E4M3FN codes as halves of 1/256 of their value: the exponent's bias is 15 instead of 7.
HWY_INLINE hn::Vec<HalfTag> halvesOfE4m3(const std::uint8_t *in)
{
    const HalfTag dh;
    const auto code = hn::PromoteTo(dh, hn::LoadU(ByteTag(), in));
    const auto magnitude = hn::ShiftLeft<7>(hn::And(code, hn::Set(dh, 0x7f)));
    const auto sign = hn::ShiftLeft<8>(hn::And(code, hn::Set(dh, 0x80)));
    const auto nan =
        hn::IfThenElseZero(hn::Eq(magnitude, hn::Set(dh, 0x3f80)), hn::Set(dh, 0x7e00));
    return hn::Or(hn::Or(magnitude, sign), nan);
}

/// Upper bytes of halves, the lower ones being zero: E2M1 values and nothing else.
HWY_INLINE hn::Vec<HalfTag> halvesOfUpperBytes(const std::uint8_t *in)
{
    return hn::ShiftLeft<8>(hn::PromoteTo(HalfTag(), hn::LoadU(ByteTag(), in)));
}

/// Powers of two that bring halves to their value. Exponents that leave the range of fp16 whatever
/// the element are limited to what fp32 has: zero and infinity come out as they should.
template <bool E4m3>
HWY_INLINE hn::Vec<FloatTag> factors(hn::Vec<IntTag> exponent)
{
    const IntTag di;
    const FloatTag df;
    constexpr std::int32_t kBias = E4m3 ? 8 : 0;
    const auto field =
        hn::Min(hn::Max(hn::Add(exponent, hn::Set(di, kBias)), hn::Set(di, 1)), hn::Set(di, 254));
    const auto power = hn::BitCast(df, hn::ShiftLeft<23>(field));
    const auto nan = hn::BitCast(df, hn::Set(di, 0x7fc00000));
    return hn::IfThenElse(hn::RebindMask(df, hn::Eq(exponent, hn::Set(di, 255))), nan, power);
}

template <bool E4m3>
HWY_INLINE void storeScaled(const std::uint8_t *in, hn::Vec<FloatTag> factor, std::uint16_t *out)
{
    const FloatTag df;
    const auto halves = E4m3 ? halvesOfE4m3(in) : halvesOfUpperBytes(in);
    const auto value = hn::Mul(widenHalf(df, halves), factor);
    const auto nan = hn::BitCast(df, hn::Set(IntTag(), 0x7fc00000));
    const auto result = hn::IfThenElse(hn::IsNaN(value), nan, value);
    hn::StoreU(narrowToHalf(df, result), HalfTag(), out);
}

/// Upper bytes of the fp16 values of 32 nibbles, which start at a whole byte.
HWY_INLINE void upperBytes(const std::uint8_t *in, std::uint8_t *out)
{
    const CodeTag d;
    alignas(16) static constexpr std::uint8_t kUpper[16] = {0,    0x38, 0x3c, 0x3e, 0x40, 0x42,
                                                            0x44, 0x46, 0x80, 0xb8, 0xbc, 0xbe,
                                                            0xc0, 0xc2, 0xc4, 0xc6};
    const auto table = hn::LoadDup128(d, kUpper);
    for (std::size_t i = 0; i < 32; i += hn::Lanes(d)) {
        // Sixteen bytes serve any vector of codes: read no more than those of this group.
        alignas(32) std::uint8_t stored[32] = {};
        std::memcpy(stored, in + i / 2, hn::Lanes(d) / 2);
        hn::StoreU(hn::TableLookupBytes(table, unpackVector<4>(stored)), d, out + i);
    }
}

/// Whole groups of 32; `perElement` as in MxRun.
template <bool E4m3>
void groupRun(const std::uint8_t *in, const std::uint8_t *exponents, bool perElement,
              std::uint16_t *out, std::size_t groups)
{
    const IntTag di;
    const std::size_t lanes = hn::Lanes(FloatTag());
    alignas(32) std::uint8_t upper[32];
    for (std::size_t g = 0; g < groups; ++g, out += 32) {
        const std::uint8_t *elements = in + (E4m3 ? 32 : 16) * g;
        if constexpr (!E4m3) {
            upperBytes(elements, upper);
            elements = upper;
        }
        if (perElement) {
            for (std::size_t i = 0; i < 32; i += lanes) {
                const auto each = hn::PromoteTo(di, hn::LoadU(ByteTag(), exponents + 32 * g + i));
                storeScaled<E4m3>(elements + i, factors<E4m3>(each), out + i);
            }
        } else {
            const auto factor = factors<E4m3>(hn::Set(di, exponents[g]));
            for (std::size_t i = 0; i < 32; i += lanes)
                storeScaled<E4m3>(elements + i, factor, out + i);
        }
    }
}

std::size_t mxRun(const std::uint8_t *in, bool mxfp4, const std::uint8_t *exponents,
                  bool perElement, std::uint16_t *out, std::size_t groups)
{
    if (mxfp4)
        groupRun<false>(in, exponents, perElement, out, groups);
    else
        groupRun<true>(in, exponents, perElement, out, groups);
    return groups;
}

#else

std::size_t mxRun(const std::uint8_t *, bool, const std::uint8_t *, bool, std::uint16_t *,
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
        done += 32 * HWY_DYNAMIC_DISPATCH(mxRun)(run.data.data() + (run.mxfp4 ? at / 2 : at),
                                                 run.mxfp4, run.exponents.data() + skip,
                                                 run.perElement, out.data() + done, groups);
    }
    for (; done < out.size(); ++done)
        out[done] = one(done);
}

} // namespace kernscope::codec
#endif
