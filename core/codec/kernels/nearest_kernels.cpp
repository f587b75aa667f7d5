// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/nearest_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/nearest_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Four vectors at a time, so that a bound is loaded once for them; returns how many halves.
std::size_t countRun(const std::uint16_t *in, std::size_t count, const std::int16_t *bounds,
                     std::size_t many, std::uint8_t *out)
{
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<std::int16_t, 16> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const std::size_t lanes = hn::Lanes(d);
    const auto key = [&](std::size_t from) HWY_ATTR {
        const auto half = hn::BitCast(d, hn::LoadU(du, in + from));
        return hn::Xor(half, hn::And(hn::BroadcastSignBit(half), hn::Set(d, 0x7fff)));
    };
    const auto store = [&](auto counted, std::size_t to)
                           HWY_ATTR { hn::StoreU(hn::DemoteTo(d8, counted), d8, out + to); };
    std::size_t at = 0;
    for (; at + 4 * lanes <= count; at += 4 * lanes) {
        const auto k0 = key(at);
        const auto k1 = key(at + lanes);
        const auto k2 = key(at + 2 * lanes);
        const auto k3 = key(at + 3 * lanes);
        auto n0 = hn::Zero(d);
        auto n1 = n0;
        auto n2 = n0;
        auto n3 = n0;
        for (std::size_t i = 0; i < many; ++i) {
            const auto bound = hn::Set(d, bounds[i]);
            // A comparison that holds is -1.
            n0 = hn::Sub(n0, hn::VecFromMask(d, hn::Gt(k0, bound)));
            n1 = hn::Sub(n1, hn::VecFromMask(d, hn::Gt(k1, bound)));
            n2 = hn::Sub(n2, hn::VecFromMask(d, hn::Gt(k2, bound)));
            n3 = hn::Sub(n3, hn::VecFromMask(d, hn::Gt(k3, bound)));
        }
        store(n0, at);
        store(n1, at + lanes);
        store(n2, at + 2 * lanes);
        store(n3, at + 3 * lanes);
    }
    return at;
#else
    static_cast<void>(in);
    static_cast<void>(count);
    static_cast<void>(bounds);
    static_cast<void>(many);
    static_cast<void>(out);
    return 0;
#endif
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(countRun);

void countBelow(std::span<const std::uint16_t> halves, std::span<const std::int16_t> bounds,
                std::span<std::uint8_t> out)
{
    std::size_t at = HWY_DYNAMIC_DISPATCH(countRun)(halves.data(), halves.size(), bounds.data(),
                                                    bounds.size(), out.data());
    for (; at < halves.size(); ++at)
        out[at] = static_cast<std::uint8_t>(
            std::lower_bound(bounds.begin(), bounds.end(), halfOrder(halves[at])) - bounds.begin());
}

} // namespace kernscope::codec
#endif
