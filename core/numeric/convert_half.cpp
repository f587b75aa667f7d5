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

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope {

HWY_EXPORT(halfToFloatRun);
HWY_EXPORT(floatToHalfRun);

void convertHalfToFloat(std::span<const std::byte> stored, std::span<float> out)
{
    HWY_DYNAMIC_DISPATCH(halfToFloatRun)(stored.data(), out.data(), out.size());
}

void convertHalfToFloat(std::span<const std::uint16_t> stored, std::span<float> out)
{
    convertHalfToFloat(std::as_bytes(stored), out);
}

void convertFloatToHalf(std::span<const float> values, std::span<std::uint16_t> out)
{
    HWY_DYNAMIC_DISPATCH(floatToHalfRun)(values.data(), out.data(), out.size());
}

} // namespace kernscope
#endif
