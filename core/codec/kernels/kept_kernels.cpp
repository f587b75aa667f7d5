// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/kept_kernels.h"

#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/kept_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Returns how many were narrowed, a multiple of some; `*exact` becomes false where one is no
/// finite fp32 number.
std::size_t narrowRun(const double *values, std::size_t count, float *out, bool *exact)
{
    std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<double, 8> d;
    const hn::Rebind<float, decltype(d)> df;
    const std::size_t lanes = hn::Lanes(d);
    // The difference is 0 for finite fp32 numbers alone.
    auto off = hn::Zero(d);
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at);
        const auto narrow = hn::DemoteTo(df, value);
        hn::StoreU(narrow, df, out + at);
        off = hn::Or(off, hn::Sub(hn::PromoteTo(d, narrow), value));
    }
    *exact = hn::AllTrue(d, hn::Eq(hn::Abs(off), hn::Zero(d)));
#else
    static_cast<void>(values);
    static_cast<void>(count);
    static_cast<void>(out);
    static_cast<void>(exact);
#endif
    return at;
}

/// Returns how many were looked at.
std::size_t finiteRun(const std::uint16_t *halves, std::size_t count, bool *finite)
{
    std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<std::uint16_t, 32> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto magnitude = hn::Set(d, 0x7fff);
    auto most = hn::Zero(d);
    for (; at + lanes <= count; at += lanes)
        most = hn::Max(most, hn::And(hn::LoadU(d, halves + at), magnitude));
    *finite = hn::AllTrue(d, hn::Lt(most, hn::Set(d, 0x7c00)));
#else
    static_cast<void>(halves);
    static_cast<void>(count);
    static_cast<void>(finite);
#endif
    return at;
}

std::size_t finiteFloatRun(const float *values, std::size_t count, bool *finite)
{
    std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<float, 16> d;
    const std::size_t lanes = hn::Lanes(d);
    // x - x is 0 for finite numbers alone.
    auto off = hn::Zero(d);
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at);
        off = hn::Or(off, hn::Sub(value, value));
    }
    *finite = hn::AllTrue(d, hn::Eq(off, hn::Zero(d)));
#else
    static_cast<void>(values);
    static_cast<void>(count);
    static_cast<void>(finite);
#endif
    return at;
}

/// `mask` starts with the bit of the first element, which is the bit `shift` of its first byte.
/// Reads a byte behind the bits of each eight elements: `count` ends before the last eight of them.
std::size_t gatherRun(const std::uint8_t *mask, unsigned shift, const float *values,
                      std::size_t count, float *keptValues, KeptRun *found)
{
    std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr std::size_t kAhead = 1024; // 4 KiB: the next page, where processors stop
    const hn::CappedTag<float, 16> d;
    const std::size_t lanes = hn::Lanes(d);
    auto others = hn::FirstN(d, 0);
    std::size_t kept = 0;
    for (; at + 16 <= count; at += 16) {
        __builtin_prefetch(values + at + kAhead);
        const std::uint8_t *const in = mask + at / 8;
        const std::uint32_t word = in[0] | std::uint32_t{in[1]} << 8 | std::uint32_t{in[2]} << 16;
        for (std::size_t i = 0; i < 16; i += lanes) {
            const std::uint32_t some = word >> (shift + i) & ((std::uint32_t{1} << lanes) - 1);
#if HWY_TARGET <= HWY_AVX3
            const hn::Mask<decltype(d)> named{static_cast<__mmask16>(some)};
#else
            const std::uint8_t bits[8] = {static_cast<std::uint8_t>(some)};
            const auto named = hn::LoadMaskBits(d, bits);
#endif
            const auto value = hn::LoadU(d, values + at + i);
            others = hn::Or(others, hn::AndNot(named, hn::Ne(value, hn::Zero(d))));
            hn::StoreU(hn::Compress(value, named), d, keptValues + kept);
            kept += static_cast<std::size_t>(hwy::PopCount(std::uint64_t{some}));
        }
    }
    *found = {kept, !hn::AllFalse(d, others)};
#else
    static_cast<void>(mask);
    static_cast<void>(shift);
    static_cast<void>(values);
    static_cast<void>(count);
    static_cast<void>(keptValues);
    static_cast<void>(found);
#endif
    return at;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(narrowRun);
HWY_EXPORT(finiteRun);
HWY_EXPORT(finiteFloatRun);
HWY_EXPORT(gatherRun);

bool narrowExactly(std::span<const double> values, std::span<float> out)
{
    bool exact = true;
    std::size_t at =
        HWY_DYNAMIC_DISPATCH(narrowRun)(values.data(), values.size(), out.data(), &exact);
    for (; at < values.size(); ++at) {
        out[at] = static_cast<float>(values[at]);
        exact = exact && std::isfinite(values[at]) && static_cast<double>(out[at]) == values[at];
    }
    return exact;
}

bool areFinite(std::span<const std::uint16_t> halves)
{
    bool finite = true;
    std::size_t at = HWY_DYNAMIC_DISPATCH(finiteRun)(halves.data(), halves.size(), &finite);
    for (; at < halves.size(); ++at)
        finite = finite && (halves[at] & kHalfInfinity) != kHalfInfinity;
    return finite;
}

bool areFinite(std::span<const float> values)
{
    bool finite = true;
    std::size_t at = HWY_DYNAMIC_DISPATCH(finiteFloatRun)(values.data(), values.size(), &finite);
    for (; at < values.size(); ++at)
        finite = finite && std::isfinite(values[at]);
    return finite;
}

KeptRun gatherKept(std::span<const std::byte> mask, std::uint64_t first,
                   std::span<const float> values, std::span<float> keptValues)
{
    KeptRun found;
    const auto bytes = mask.subspan(static_cast<std::size_t>(first / 8));
    const auto shift = static_cast<unsigned>(first % 8);
    // Three bytes are read for 16 elements.
    const std::size_t whole = bytes.size() < 3 ? 0 : (bytes.size() - 1) * 8;
    std::size_t at = HWY_DYNAMIC_DISPATCH(gatherRun)(
        reinterpret_cast<const std::uint8_t *>(bytes.data()), shift, values.data(),
        std::min(values.size(), whole), keptValues.data(), &found);
    for (; at < values.size(); ++at) {
        const bool named = unpackCode(bytes, 1, shift + at) != 0;
        keptValues[found.count] = values[at];
        found.count += named ? 1 : 0;
        found.othersNonzero = found.othersNonzero || (!named && values[at] != 0);
    }
    return found;
}

} // namespace kernscope::codec
#endif
