// SPDX-License-Identifier: GPL-3.0-or-later
// Vector conversions between fp32 and fp16, with the bits of half.h on every processor.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_NUMERIC_HALF_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_NUMERIC_HALF_INL_H
#undef KERNSCOPE_NUMERIC_HALF_INL_H
#else
#define KERNSCOPE_NUMERIC_HALF_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Processors whose own conversion handles subnormals, NaN and rounding: the generic code that
// Highway has for the others truncates, hence the integer arithmetic below.
#if HWY_TARGET <= HWY_AVX2 || HWY_TARGET == HWY_NEON
inline constexpr bool kNativeHalf = true;
#else
inline constexpr bool kNativeHalf = false;
#endif

/// Halves in the lower part of a vector (as many as `df` has lanes) to fp32.
template <class DF, class VH>
HWY_INLINE hn::Vec<DF> widenHalf(DF df, VH halves)
{
    if constexpr (kNativeHalf) {
        const hn::Rebind<hwy::float16_t, DF> dh;
        return hn::PromoteTo(df, hn::BitCast(dh, halves));
    } else {
        const hn::RebindToUnsigned<DF> du;
        const hn::RebindToSigned<DF> di;
        const auto bits = hn::PromoteTo(du, halves);
        const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
        const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffu));
        const auto normal = hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(du, 112u << 23));
        const auto subnormal = hn::BitCast(
            du, hn::Mul(hn::ConvertTo(df, hn::BitCast(di, magnitude)), hn::Set(df, 0x1p-24f)));
        const auto special = hn::Or(hn::ShiftLeft<13>(magnitude), hn::Set(du, 0x7f800000u));
        const auto quiet = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7c00u)),
                                          hn::Or(special, hn::Set(du, 0x400000u)), special);
        auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x400u)), subnormal, normal);
        result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x7c00u)), result, quiet);
        return hn::BitCast(df, hn::Or(result, sign));
    }
}

/// fp32 to halves (16 bits each, as many as there are lanes).
template <class DF, class VF>
HWY_INLINE hn::Vec<hn::Rebind<std::uint16_t, DF>> narrowToHalf(DF df, VF values)
{
    const hn::Rebind<std::uint16_t, DF> dh;
    if constexpr (kNativeHalf) {
        (void)df;
        const hn::Rebind<hwy::float16_t, DF> df16;
        return hn::BitCast(dh, hn::DemoteTo(df16, values));
    } else {
        const hn::RebindToUnsigned<DF> du;
        const hn::RebindToSigned<DF> di;
        const auto bits = hn::BitCast(du, values);
        const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u));
        const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
        const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
        const auto rounded = hn::Add(hn::Add(magnitude, hn::Set(du, 0xfffu)), odd);
        const auto normal = hn::ShiftRight<13>(hn::Sub(rounded, hn::Set(du, 112u << 23)));
        const auto sum = hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5f));
        const auto subnormal = hn::Sub(hn::BitCast(du, sum), hn::Set(du, 0x3f000000u));
        const auto payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x3ffu));
        const auto nan = hn::Or(payload, hn::Set(du, 0x7e00u));
        auto result =
            hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x38800000u)), subnormal, normal);
        result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x477ff000u)), result,
                                hn::Set(du, 0x7c00u));
        result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7f800000u)), nan, result);
        return hn::DemoteTo(dh, hn::BitCast(di, hn::Or(result, sign)));
    }
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
