// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numeric/convert_half.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

void halfToFloatRun(const std::byte *in, float *out, std::size_t count)
{
    const hn::ScalableTag<float> df;
    const hn::Rebind<std::uint16_t, decltype(df)> dh;
    const std::size_t lanes = hn::Lanes(df);
    const auto *halves = reinterpret_cast<const std::uint16_t *>(in);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(widenHalf(df, hn::LoadU(dh, halves + i)), df, out + i);
    for (; i < count; ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, in + 2 * i, sizeof(half));
        out[i] = halfToFloat(half);
    }
}

void floatToHalfRun(const float *in, std::uint16_t *out, std::size_t count)
{
    const hn::ScalableTag<float> df;
    const hn::Rebind<std::uint16_t, decltype(df)> dh;
    const std::size_t lanes = hn::Lanes(df);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(narrowToHalf(df, hn::LoadU(df, in + i)), dh, out + i);
    for (; i < count; ++i)
        out[i] = floatToHalf(in[i]);
}

void bfloat16ToFloatRun(const std::byte *in, float *out, std::size_t count)
{
    const hn::ScalableTag<float> df;
    const hn::RebindToUnsigned<decltype(df)> du;
    const hn::Rebind<std::uint16_t, decltype(df)> dh;
    const std::size_t lanes = hn::Lanes(df);
    const auto infinity = hn::Set(du, 0x7f800000u);
    const auto *bits = reinterpret_cast<const std::uint16_t *>(in);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(dh, bits + i)));
        const auto nan = hn::Gt(hn::And(wide, hn::Set(du, 0x7fffffffu)), infinity);
        const auto quiet = hn::IfThenElse(nan, hn::Or(wide, hn::Set(du, 0x400000u)), wide);
        hn::StoreU(hn::BitCast(df, quiet), df, out + i);
    }
    for (; i < count; ++i) {
        std::uint16_t one = 0;
        std::memcpy(&one, in + 2 * i, sizeof(one));
        out[i] = bfloat16ToFloat(one);
    }
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope {

HWY_EXPORT(halfToFloatRun);
HWY_EXPORT(floatToHalfRun);
HWY_EXPORT(bfloat16ToFloatRun);

void convertHalfToFloat(std::span<const std::byte> stored, std::span<float> out)
{
    HWY_DYNAMIC_DISPATCH(halfToFloatRun)(stored.data(), out.data(), out.size());
}

void convertHalfToFloat(std::span<const std::uint16_t> stored, std::span<float> out)
{
    convertHalfToFloat(std::as_bytes(stored), out);
}

void convertBfloat16ToFloat(std::span<const std::byte> stored, std::span<float> out)
{
    HWY_DYNAMIC_DISPATCH(bfloat16ToFloatRun)(stored.data(), out.data(), out.size());
}

void convertFloatToHalf(std::span<const float> values, std::span<std::uint16_t> out)
{
    HWY_DYNAMIC_DISPATCH(floatToHalfRun)(values.data(), out.data(), out.size());
}

} // namespace kernscope
#endif
