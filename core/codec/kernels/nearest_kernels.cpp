// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/nearest_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

/// Four vectors at a time, so that a bound is loaded once for them; returns how many halves.
std::size_t countRun(const std::uint16_t *in, std::size_t count, const std::int16_t *bounds,
                     std::size_t many, std::uint8_t *out)
{
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
}

using DoubleTag = hn::CappedTag<double, 8>;
using NarrowFloat = hn::Rebind<float, DoubleTag>;
using NarrowInt = hn::Rebind<std::int32_t, DoubleTag>;

/// A mask of doubles as numbers of 32 bits, 0 or -1.
template <class Mask>
HWY_INLINE hn::Vec<NarrowInt> narrowMask(Mask mask)
{
    const DoubleTag d;
    return hn::DemoteTo(NarrowInt(), hn::IfThenElseZero(mask, hn::Set(d, -1.0)));
}

/// As doubleToFloatOdd of half.h.
HWY_INLINE hn::Vec<NarrowFloat> narrowOdd(hn::Vec<DoubleTag> values)
{
    const DoubleTag d;
    const NarrowFloat df;
    const NarrowInt di;
    const auto nearest = hn::DemoteTo(df, values);
    const auto back = hn::PromoteTo(d, nearest);
    const auto inexact = hn::Ne(back, values);
    if (HWY_LIKELY(hn::AllFalse(d, inexact)))
        return nearest;
    const auto lowered =
        hn::Add(hn::BitCast(di, nearest), narrowMask(hn::Gt(hn::Abs(back), hn::Abs(values))));
    return hn::BitCast(df, hn::Or(lowered, hn::And(narrowMask(inexact), hn::Set(di, 1))));
}

std::size_t halvesRun(const double *values, std::size_t count, const std::uint16_t *held,
                      std::uint16_t *chosen, float *next, ChosenRun *run)
{
    const DoubleTag d;
    const NarrowFloat df;
    const hn::Rebind<std::uint16_t, DoubleTag> dh;
    const hn::Rebind<std::int16_t, DoubleTag> ds;
    const std::size_t lanes = hn::Lanes(d);
    const auto finite = hn::Set(d, std::numeric_limits<double>::max());
    auto worst = hn::Zero(d);
    auto sure = hn::Eq(worst, worst);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at);
        const auto asked = narrowOdd(value);
        const auto rounded = narrowToHalf(df, asked);
        const auto became = widenHalf(df, rounded);
        const auto before = hn::LoadU(dh, held + at);
        const auto same = hn::VecFromMask(df, hn::Eq(widenHalf(df, before), asked));
        const auto keep = hn::BitCast(dh, hn::DemoteTo(ds, hn::BitCast(NarrowInt(), same)));
        const auto now = hn::Or(hn::And(keep, before), hn::AndNot(keep, rounded));
        const auto error = hn::Abs(hn::Sub(hn::PromoteTo(d, became), value));
        sure = hn::And(sure, hn::Le(error, finite));
        worst = hn::Max(worst, error);
        run->changed += hn::CountTrue(dh, hn::Ne(now, before));
        hn::StoreU(now, dh, chosen + at);
        hn::StoreU(became, df, next + at);
    }
    run->worst = hn::GetLane(hn::MaxOfLanes(d, worst));
    run->sure = hn::AllTrue(d, sure);
    return at;
}

/// What codes, which are whole numbers, decode to.
HWY_INLINE hn::Vec<NarrowFloat> scaledCodes(hn::Vec<NarrowFloat> codes, const CodeScale &scale)
{
    const NarrowFloat df;
    const auto rounded = [&](auto value)
                             HWY_ATTR { return widenHalf(df, narrowToHalf(df, value)); };
    const auto by = hn::Set(df, scale.scale), offset = hn::Set(df, scale.offset);
    hn::Vec<NarrowFloat> result;
    if (scale.addsOffset) {
        result = hn::Add(hn::Mul(by, codes), offset);
    } else {
        auto difference = hn::Sub(codes, offset);
        if (scale.roundDifference)
            difference = rounded(difference);
        result = hn::Mul(by, difference);
    }
    return scale.roundResult ? rounded(result) : result;
}

/// The values of codes rise or fall with them: where the two around a value are both nearer than
/// those beyond them, no other one is as near.
std::size_t scaledRun(const double *values, std::size_t count, const CodeScale &scale,
                      const std::uint8_t *held, std::uint8_t *chosen, float *next, ChosenRun *run)
{
    const DoubleTag d;
    const NarrowFloat df;
    const NarrowInt di;
    const hn::Rebind<std::uint8_t, DoubleTag> d8;
    const std::size_t lanes = hn::Lanes(d);
    const double by = static_cast<double>(scale.scale), offset = static_cast<double>(scale.offset);
    const auto inverse = hn::Set(d, 1 / by);
    const auto shift = hn::Set(d, scale.addsOffset ? -offset / by : offset);
    const auto low = hn::Set(d, scale.low), most = hn::Set(d, scale.high - 1);
    const auto none = hn::Set(d, std::numeric_limits<double>::infinity());
    const auto absolute = hn::Set(d, scale.absolute), relative = hn::Set(d, scale.relative);
    const auto bits = hn::Set(di, static_cast<std::int32_t>(scale.mask));
    const auto one = hn::Set(df, 1.0f);
    auto worst = hn::Zero(d);
    auto sure = hn::Eq(worst, worst);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at);
        const auto errorOf = [&](auto decoded) HWY_ATTR {
            return hn::Abs(hn::Sub(hn::PromoteTo(d, decoded), value));
        };
        const auto exact = hn::Floor(hn::Add(hn::Mul(value, inverse), shift));
        const auto code = hn::Min(hn::Max(exact, low), most);
        const auto first = hn::DemoteTo(df, code);
        const auto second = hn::Add(first, one);
        const auto value0 = scaledCodes(first, scale), value1 = scaledCodes(second, scale);
        const auto error0 = errorOf(value0), error1 = errorOf(value1);
        const auto below = hn::IfThenElse(hn::Eq(code, low), none,
                                          errorOf(scaledCodes(hn::Sub(first, one), scale)));
        const auto above = hn::IfThenElse(hn::Eq(code, most), none,
                                          errorOf(scaledCodes(hn::Add(second, one), scale)));
        const auto before = hn::PromoteTo(di, hn::LoadU(d8, held + at));
        const auto lower = hn::ConvertTo(di, first);
        const auto upper = hn::Add(lower, hn::Set(di, 1));
        const auto isHeld = hn::VecFromMask(di, hn::Eq(hn::And(upper, bits), before));
        const auto up = hn::Or(narrowMask(hn::Lt(error1, error0)),
                               hn::And(narrowMask(hn::Eq(error1, error0)), isHeld));
        const auto now = hn::And(hn::Sub(lower, up), bits);
        const auto error = hn::Min(error0, error1);
        sure = hn::And(sure, hn::And(hn::Lt(error, below), hn::Lt(error, above)));
        sure = hn::And(sure, hn::Or(hn::Le(error, absolute),
                                    hn::Le(error, hn::Mul(hn::Abs(value), relative))));
        worst = hn::Max(worst, error);
        run->changed += hn::CountTrue(di, hn::Ne(now, before));
        hn::StoreU(hn::DemoteTo(d8, now), d8, chosen + at);
        hn::StoreU(hn::IfThenElse(hn::MaskFromVec(hn::BitCast(df, up)), value1, value0), df,
                   next + at);
    }
    run->worst = hn::GetLane(hn::MaxOfLanes(d, worst));
    run->sure = hn::AllTrue(d, sure);
    return at;
}

/// From a bit that begins a byte on. Returns how many were looked at.
std::size_t maskedRun(const double *values, std::size_t count, const std::uint8_t *mask,
                      double *kept, std::size_t *many, bool *zeros)
{
    const DoubleTag d;
    const std::size_t lanes = hn::Lanes(d);
    auto others = hn::Zero(d);
    std::size_t at = 0;
    for (; at + 8 <= count; at += 8) {
        for (std::size_t i = 0; i < 8; i += lanes) {
            // Highway reads eight bytes of a mask where there are as many.
            std::uint8_t some[8] = {static_cast<std::uint8_t>(mask[at / 8] >> i)};
            const auto isKept = hn::LoadMaskBits(d, some);
            const auto value = hn::LoadU(d, values + at + i);
            *many += hn::CompressStore(value, isKept, d, kept + *many);
            others = hn::Or(others, hn::IfThenZeroElse(isKept, hn::Abs(value)));
        }
    }
    *zeros = hn::AllTrue(d, hn::Eq(others, hn::Zero(d)));
    return at;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(countRun);
HWY_EXPORT(halvesRun);
HWY_EXPORT(scaledRun);
HWY_EXPORT(maskedRun);

void countBelow(std::span<const std::uint16_t> halves, std::span<const std::int16_t> bounds,
                std::span<std::uint8_t> out)
{
    std::size_t at = HWY_DYNAMIC_DISPATCH(countRun)(halves.data(), halves.size(), bounds.data(),
                                                    bounds.size(), out.data());
    for (; at < halves.size(); ++at)
        out[at] = static_cast<std::uint8_t>(
            std::lower_bound(bounds.begin(), bounds.end(), halfOrder(halves[at])) - bounds.begin());
}

ChosenRun chooseHalves(std::span<const double> values, std::span<const std::uint16_t> held,
                       std::span<std::uint16_t> chosen, std::span<float> next)
{
    ChosenRun run;
    std::size_t at = HWY_DYNAMIC_DISPATCH(halvesRun)(values.data(), values.size(), held.data(),
                                                     chosen.data(), next.data(), &run);
    for (; at < values.size(); ++at) {
        const float asked = doubleToFloatOdd(values[at]);
        chosen[at] = floatToHalf(asked);
        next[at] = halfToFloat(chosen[at]);
        if (halfToFloat(held[at]) == asked)
            chosen[at] = held[at];
        const double error = std::abs(static_cast<double>(next[at]) - values[at]);
        run.sure &= std::isfinite(error);
        run.worst = std::max(run.worst, error);
        run.changed += chosen[at] != held[at] ? 1U : 0U;
    }
    return run;
}

ChosenRun chooseScaled(std::span<const double> values, const CodeScale &scale,
                       std::span<const std::uint8_t> held, std::span<std::uint8_t> chosen,
                       std::span<float> next)
{
    constexpr std::size_t kLanes = 8;
    ChosenRun run;
    const std::size_t done = HWY_DYNAMIC_DISPATCH(scaledRun)(
        values.data(), values.size(), scale, held.data(), chosen.data(), next.data(), &run);
    if (done == values.size() || !run.sure)
        return run;
    // The rest in whole vectors, filled with its last value.
    const std::size_t rest = values.size() - done;
    std::array<double, kLanes> asked;
    std::array<std::uint8_t, kLanes> before, after;
    std::array<float, kLanes> became;
    for (std::size_t i = 0; i < kLanes; ++i) {
        asked[i] = values[done + std::min(i, rest - 1)];
        before[i] = held[done + std::min(i, rest - 1)];
    }
    ChosenRun last;
    HWY_DYNAMIC_DISPATCH(scaledRun)
    (asked.data(), kLanes, scale, before.data(), after.data(), became.data(), &last);
    for (std::size_t i = 0; i < rest; ++i) {
        chosen[done + i] = after[i];
        next[done + i] = became[i];
        run.changed += after[i] != before[i] ? 1U : 0U;
    }
    run.worst = std::max(run.worst, last.worst);
    run.sure = last.sure;
    return run;
}

std::optional<std::size_t> keepMasked(std::span<const double> values,
                                      std::span<const std::byte> mask, std::uint64_t first,
                                      std::span<double> kept)
{
    std::size_t many = 0, at = 0;
    bool zeros = true;
    if (first % 8 == 0)
        at = HWY_DYNAMIC_DISPATCH(maskedRun)(values.data(), values.size(),
                                             reinterpret_cast<const std::uint8_t *>(mask.data()) +
                                                 first / 8,
                                             kept.data(), &many, &zeros);
    for (; at < values.size(); ++at) {
        const auto byte = std::to_integer<unsigned>(mask[(first + at) / 8]);
        const bool isKept = (byte >> ((first + at) % 8) & 1U) != 0;
        kept[many] = values[at];
        many += isKept ? 1U : 0U;
        zeros &= isKept | (values[at] == 0);
    }
    return zeros ? std::optional(many) : std::nullopt;
}

} // namespace kernscope::codec
#endif
