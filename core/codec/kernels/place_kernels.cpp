// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/place_kernels.h"

#include <algorithm>
#include <array>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/place_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using Doubles = hn::CappedTag<double, 8>;

std::size_t placesRun(const NearestTable &table, const double *values, std::size_t count,
                      std::uint8_t *found, double *chosen)
{
    const Doubles d;
    const hn::RebindToSigned<Doubles> di;
    const hn::RebindToUnsigned<Doubles> du;
    const hn::Rebind<std::uint8_t, Doubles> d8;
    const std::size_t lanes = hn::Lanes(d), many = table.values.size();
    const double *const bounds = table.values.data();
    const auto first = hn::Set(d, bounds[0]);
    const auto none = hn::Zero(di), one = hn::Set(di, 1);
    const auto last = hn::Set(di, static_cast<std::int64_t>(many) - 1);
    const auto order = hn::Set(du, table.lowerFirst);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at);
        auto down = first, up = first;
        auto below = none; // how many are
        for (std::size_t i = 0; i < many; ++i) {
            const auto bound = hn::Set(d, bounds[i]);
            const auto less = hn::Lt(bound, value);
            down = hn::IfThenElse(less, bound, down);
            up = hn::IfThenElse(less, hn::Set(d, bounds[i + 1 < many ? i + 1 : i]), up);
            below = hn::Sub(below, hn::BitCast(di, hn::VecFromMask(d, less))); // true is -1
        }
        const auto under = hn::Max(hn::Sub(below, one), none);
        const auto over = hn::Min(below, last);
        const auto downBy = hn::Abs(hn::Sub(down, value)), upBy = hn::Abs(hn::Sub(up, value));
        const auto shifted = hn::Shr(order, hn::BitCast(du, under));
        const auto lowerFirst = hn::MaskFromVec(
            hn::BitCast(d, hn::Neg(hn::BitCast(di, hn::And(shifted, hn::Set(du, 1))))));
        const auto lower = hn::Or(hn::Lt(downBy, upBy), hn::And(hn::Eq(downBy, upBy), lowerFirst));
        hn::StoreU(hn::IfThenElse(lower, down, up), d, chosen + at);
        const auto taken = hn::IfThenElse(hn::RebindMask(di, lower), under, over);
        hn::StoreU(hn::TruncateTo(d8, hn::BitCast(du, taken)), d8, found + at);
    }
    return at;
}

/// How many limits are below each of the values. Two vectors at a time, so that a limit is loaded
/// once for them; returns how many values.
std::size_t countLimits(const float *limits, std::size_t many, const float *values,
                        std::size_t count, std::uint8_t *below)
{
    const hn::CappedTag<float, 16> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t at = 0;
    for (; at + 2 * lanes <= count; at += 2 * lanes) {
        const auto v0 = hn::LoadU(d, values + at), v1 = hn::LoadU(d, values + at + lanes);
        auto n0 = hn::Zero(di), n1 = n0;
        for (std::size_t i = 0; i < many; ++i) {
            const auto limit = hn::Set(d, limits[i]);
            // A comparison that holds is -1.
            n0 = hn::Sub(n0, hn::BitCast(di, hn::VecFromMask(d, hn::Lt(limit, v0))));
            n1 = hn::Sub(n1, hn::BitCast(di, hn::VecFromMask(d, hn::Lt(limit, v1))));
        }
        hn::StoreU(hn::TruncateTo(d8, hn::BitCast(du, n0)), d8, below + at);
        hn::StoreU(hn::TruncateTo(d8, hn::BitCast(du, n1)), d8, below + at + lanes);
    }
    return at;
}

/// Numbers and codes of places, in `codes`, among at most 16: what `numbers` and `table` hold
/// there.
std::size_t numbersAt(const float *numbers, const std::uint8_t *table, std::size_t count,
                      std::uint8_t *codes, float *chosen)
{
    std::size_t at = 0;
#if HWY_TARGET <= HWY_AVX3
    const hn::FixedTag<float, 16> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::FixedTag<std::uint8_t, 16> d8;
    const auto all = hn::LoadU(d, numbers);
    const auto lookup = hn::LoadU(d8, table);
    for (; at + 16 <= count; at += 16) {
        const auto place = hn::LoadU(d8, codes + at);
        const auto index = hn::IndicesFromVec(d, hn::PromoteTo(di, place));
        hn::StoreU(hn::TableLookupLanes(all, index), d, chosen + at);
        hn::StoreU(hn::TableLookupBytes(lookup, place), d8, codes + at);
    }
#else
    static_cast<void>(numbers);
    static_cast<void>(table);
    static_cast<void>(count);
    static_cast<void>(codes);
    static_cast<void>(chosen);
#endif
    return at;
}

#else

std::size_t placesRun(const NearestTable &, const double *, std::size_t, std::uint8_t *, double *)
{
    return 0;
}

std::size_t countLimits(const float *, std::size_t, const float *, std::size_t, std::uint8_t *)
{
    return 0;
}

std::size_t numbersAt(const float *, const std::uint8_t *, std::size_t, std::uint8_t *, float *)
{
    return 0;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(placesRun);
HWY_EXPORT(countLimits);
HWY_EXPORT(numbersAt);

std::size_t nearestPlaces(const NearestTable &table, std::span<const double> values,
                          std::span<std::uint8_t> found, std::span<double> chosen)
{
    return HWY_DYNAMIC_DISPATCH(placesRun)(table, values.data(), values.size(), found.data(),
                                           chosen.data());
}

void placeByLimits(const LimitTable &table, std::span<const float> values,
                   std::span<std::uint8_t> codes, std::span<float> chosen)
{
    constexpr std::size_t kFew = 16, kMost = 64;
    const std::size_t many = table.values.size(), count = values.size();
    std::array<float, kMost> numbers{};
    std::array<std::uint8_t, kMost> names{};
    std::copy(table.values.begin(), table.values.end(), numbers.begin());
    std::copy(table.codes.begin(), table.codes.end(), names.begin());
    std::size_t at = HWY_DYNAMIC_DISPATCH(countLimits)(table.limits.data(), table.limits.size(),
                                                       values.data(), count, codes.data());
    for (; at < count; ++at)
        codes[at] = static_cast<std::uint8_t>(
            std::lower_bound(table.limits.begin(), table.limits.end(), values[at]) -
            table.limits.begin());
    at = 0;
    if (many <= kFew)
        at = HWY_DYNAMIC_DISPATCH(numbersAt)(numbers.data(), names.data(), count, codes.data(),
                                             chosen.data());
    for (; at < count; ++at) {
        chosen[at] = numbers[codes[at]];
        codes[at] = names[codes[at]];
    }
}

} // namespace kernscope::codec
#endif
