// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/direct_kernels.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/direct_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using Floats = hn::CappedTag<float, 16>;
using FloatVec = hn::Vec<Floats>;

/// The value of a code. The difference is an integer.
template <bool ToHalf>
HWY_INLINE FloatVec stepOf(FloatVec code, FloatVec scale, FloatVec offset)
{
    const Floats d;
    const auto product = hn::Mul(scale, hn::Sub(code, offset));
    if constexpr (ToHalf)
        return widenHalf(d, narrowToHalf(d, product));
    else
        return product;
}

constexpr std::size_t kAhead = 1024; ///< values: 4 KiB on is the next page, where processors stop

/// A code whose value is next to what is asked, and the one on the other side of that; beyond the
/// first and the last code the same one.
template <bool ToHalf>
HWY_INLINE void findBeside(const StepTakeRun &run, FloatVec value, FloatVec scale, FloatVec offset,
                           FloatVec &code, FloatVec &step, FloatVec &other, FloatVec &otherStep)
{
    const Floats d;
    const auto one = hn::Set(d, 1.0f);
    const auto least = hn::Set(d, run.smallest), most = hn::Set(d, run.largest);
    const auto guess = hn::MulAdd(value, hn::ApproximateReciprocal(scale), offset);
    code = hn::Add(hn::Min(hn::Max(hn::Round(guess), least), most), hn::Zero(d)); // no -0
    step = stepOf<ToHalf>(code, scale, offset);
    const auto next = hn::IfThenElse(hn::Ge(value, step), hn::Add(code, one), hn::Sub(code, one));
    const auto inside = hn::And(hn::Ge(next, least), hn::Le(next, most));
    other = hn::IfThenElse(inside, next, code);
    otherStep = stepOf<ToHalf>(other, scale, offset);
}

/// The values of two codes next to each other lie on both sides of what is asked, or the code is
/// the first or the last one: no other code is nearer. fp32 is enough: the nearer value is zero or
/// at least half, and at most twice, what is asked, so that the difference is exact, but for what
/// is asked beyond the first and the last code. So is the other difference where the two are next
/// to equal.
HWY_INLINE bool areSettled(const StepTakeRun &run, FloatVec value, FloatVec step,
                           FloatVec otherStep)
{
    constexpr float kMostBeyond = 4096; // there steps are no less than fp64's
    const Floats d;
    const auto bySteps = hn::Abs(hn::Sub(step, value)),
               byOther = hn::Abs(hn::Sub(otherStep, value));
    const auto isUp = hn::Ge(value, step), inside = hn::Ne(step, otherStep);
    const auto between =
        hn::Or(hn::And(isUp, hn::Ge(otherStep, value)), hn::AndNot(isUp, hn::Le(otherStep, value)));
    const auto magnitude = hn::Abs(value);
    const auto beyond =
        hn::AndNot(inside, hn::Le(magnitude, hn::Set(d, kMostBeyond))); // not of NaN
    const auto exact = hn::Min(bySteps, byOther);
    const auto around = hn::MulAdd(magnitude, hn::Set(d, run.spare), exact);
    const auto error = hn::IfThenElse(inside, around, hn::Mul(around, hn::Set(d, 1 + 0x1p-20f)));
    const auto may =
        hn::Max(hn::Set(d, run.absolute), hn::Mul(magnitude, hn::Set(d, run.relative)));
    const auto near = hn::Le(error, hn::Min(may, hn::Set(d, run.worst)));
    return hn::AllTrue(d, hn::And(near, hn::Or(hn::And(inside, between), beyond)));
}

/// One vector of elements.
template <bool ToHalf>
HWY_INLINE bool takeVector(const StepTakeRun &run, const float *values, const float *scales,
                           const float *offsets, std::uint8_t *codes, float *held,
                           std::uint64_t &changed)
{
    const Floats d;
    const hn::RebindToSigned<Floats> di;
    const hn::RebindToUnsigned<Floats> du;
    const hn::Rebind<std::uint8_t, Floats> d8;
    const auto value = hn::LoadU(d, values);
    auto code = hn::Zero(d), step = code, other = code, otherStep = code;
    findBeside<ToHalf>(run, value, hn::LoadU(d, scales), hn::LoadU(d, offsets), code, step, other,
                       otherStep);
    if (!areSettled(run, value, step, otherStep))
        return false;
    const auto bySteps = hn::Abs(hn::Sub(step, value)),
               byOther = hn::Abs(hn::Sub(otherStep, value));
    const auto takesOther = hn::Lt(byOther, bySteps);
    const auto even = hn::And(hn::Ne(code, other), hn::Eq(bySteps, byOther));
    auto taken = hn::IfThenElse(takesOther, other, code);
    auto becomes = hn::IfThenElse(takesOther, otherStep, step);
    const auto mask = hn::Set(du, run.mask);
    const auto bitsOf = [&](FloatVec integers) HWY_ATTR {
        return hn::And(hn::BitCast(du, hn::ConvertTo(di, integers)), mask);
    };
    const auto before = hn::PromoteTo(du, hn::LoadU(d8, codes));
    if (!hn::AllFalse(d, even)) {
        const auto highCode = hn::Max(code, other);
        const auto stays = hn::RebindMask(d, hn::Eq(before, bitsOf(highCode)));
        const auto high = hn::Max(step, otherStep), low = hn::Min(step, otherStep);
        taken = hn::IfThenElse(even, hn::IfThenElse(stays, highCode, hn::Min(code, other)), taken);
        becomes = hn::IfThenElse(even, hn::IfThenElse(stays, high, low), becomes);
    }
    const auto after = bitsOf(taken);
    changed += hn::Lanes(d) - hn::CountTrue(du, hn::Eq(before, after));
    hn::StoreU(hn::TruncateTo(d8, after), d8, codes);
    hn::StoreU(becomes, d, held);
    return true;
}

template <bool ToHalf>
HWY_INLINE bool takeAll(const StepTakeRun &run, std::uint8_t *codes, float *held,
                        std::uint64_t &changed)
{
    const std::size_t lanes = hn::Lanes(Floats()), count = run.values.size();
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        __builtin_prefetch(run.values.data() + at + kAhead);
        if (!takeVector<ToHalf>(run, run.values.data() + at, run.scales.data() + at,
                                run.offsets.data() + at, codes + at, held + at, changed))
            return false;
    }
    if (at == count)
        return true;
    // Beside the last elements zeros that have the code of zero.
    float values[16] = {}, scales[16], offsets[16] = {}, some[16];
    std::uint8_t last[16] = {};
    std::fill(scales, scales + 16, 1.0f);
    const std::size_t rest = count - at;
    std::copy_n(run.values.data() + at, rest, values);
    std::copy_n(run.scales.data() + at, rest, scales);
    std::copy_n(run.offsets.data() + at, rest, offsets);
    std::copy_n(codes + at, rest, last);
    if (!takeVector<ToHalf>(run, values, scales, offsets, last, some, changed))
        return false;
    std::copy_n(last, rest, codes + at);
    std::copy_n(some, rest, held + at);
    return true;
}

/// Differences of fp32 numbers and the fp16 numbers next to them are exact; no other one is as near
/// as these.
bool takeRoundedRun(const float *values, const std::byte *codes, std::size_t count, float worst,
                    std::byte *after, float *held, std::uint64_t &changed)
{
    const Floats d;
    const hn::Rebind<std::uint16_t, Floats> dh;
    const std::size_t lanes = hn::Lanes(d);
    const auto most = hn::Set(d, worst);
    auto settled = hn::Eq(hn::Zero(d), hn::Zero(d));
    std::uint64_t same = 0;
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        __builtin_prefetch(values + at + kAhead);
        const auto value = hn::LoadU(d, values + at);
        const auto before = hn::LoadU(dh, reinterpret_cast<const std::uint16_t *>(codes + 2 * at));
        const auto now = widenHalf(d, before);
        const auto rounded = narrowToHalf(d, value);
        const auto chosen = widenHalf(d, rounded);
        const auto error = hn::Abs(hn::Sub(chosen, value));
        settled = hn::And(settled, hn::Le(error, most)); // not of what is not finite
        const auto stays = hn::Le(hn::Abs(hn::Sub(now, value)), error);
        const auto keeps = hn::TruncateTo(
            dh, hn::BitCast(hn::RebindToUnsigned<Floats>(), hn::VecFromMask(d, stays)));
        hn::StoreU(hn::Or(hn::And(keeps, before), hn::AndNot(keeps, rounded)), dh,
                   reinterpret_cast<std::uint16_t *>(after + 2 * at));
        hn::StoreU(hn::IfThenElse(stays, now, chosen), d, held + at);
        same += hn::CountTrue(d, stays);
    }
    changed += at - same;
    if (!hn::AllTrue(d, settled))
        return false;
    for (; at < count; ++at) {
        std::uint16_t before = 0;
        std::memcpy(&before, codes + 2 * at, sizeof before);
        const std::uint16_t rounded = floatToHalf(values[at]);
        const float now = halfToFloat(before), chosen = halfToFloat(rounded);
        const float error = std::abs(chosen - values[at]);
        if (!(error <= worst))
            return false;
        const bool stays = std::abs(now - values[at]) <= error;
        std::memcpy(after + 2 * at, stays ? &before : &rounded, sizeof before);
        held[at] = stays ? now : chosen;
        changed += stays ? 0 : 1;
    }
    return true;
}

bool takeStepRun(const StepTakeRun &run, std::uint8_t *codes, float *held, std::uint64_t &changed)
{
    return run.toHalf ? takeAll<true>(run, codes, held, changed)
                      : takeAll<false>(run, codes, held, changed);
}

/// Returns how many were narrowed.
std::size_t oddRun(const double *values, std::size_t count, float *out)
{
    const hn::CappedTag<double, 8> dd;
    const hn::RebindToUnsigned<decltype(dd)> du;
    const hn::Rebind<float, decltype(dd)> df;
    const hn::Rebind<std::uint32_t, decltype(dd)> d32;
    const std::size_t lanes = hn::Lanes(dd);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(dd, values + at);
        const auto near = hn::DemoteTo(df, value);
        const auto back = hn::PromoteTo(dd, near);
        const auto whole = hn::Eq(back, value);
        const auto beyond = hn::Gt(hn::Abs(back), hn::Abs(value));
        const auto ones = hn::TruncateTo(d32, hn::BitCast(du, hn::VecFromMask(dd, beyond)));
        const auto odd = hn::Not(hn::TruncateTo(d32, hn::BitCast(du, hn::VecFromMask(dd, whole))));
        const auto towardsZero = hn::Add(hn::BitCast(d32, near), ones); // less one
        const auto bits = hn::Or(towardsZero, hn::And(odd, hn::Set(d32, 1U)));
        hn::StoreU(hn::BitCast(df, bits), df, out + at);
    }
    return at;
}

/// Returns how many were looked at.
std::size_t soundRun(const float *scales, const float *offsets, std::size_t count, float least,
                     float most, float mostOffset, bool *sound)
{
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    auto all = hn::Eq(hn::Zero(d), hn::Zero(d));
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto scale = hn::LoadU(d, scales + at), offset = hn::LoadU(d, offsets + at);
        const auto inside =
            hn::And(hn::Ge(scale, hn::Set(d, least)), hn::Le(scale, hn::Set(d, most)));
        const auto whole = hn::And(hn::Le(hn::Abs(offset), hn::Set(d, mostOffset)),
                                   hn::Eq(hn::Round(offset), offset));
        all = hn::And(all, hn::And(inside, whole));
    }
    *sound = hn::AllTrue(d, all);
    return at;
}

#else // the callers' own way, element by element

std::size_t oddRun(const double *, std::size_t, float *)
{
    return 0;
}

std::size_t soundRun(const float *, const float *, std::size_t, float, float, float, bool *)
{
    return 0;
}

bool takeRoundedRun(const float *, const std::byte *, std::size_t, float, std::byte *, float *,
                    std::uint64_t &)
{
    return false;
}

bool takeStepRun(const StepTakeRun &, std::uint8_t *, float *, std::uint64_t &)
{
    return false;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(takeStepRun);
HWY_EXPORT(soundRun);
HWY_EXPORT(oddRun);
HWY_EXPORT(takeRoundedRun);

bool takeRounded(std::span<const float> values, std::span<const std::byte> codes, float worst,
                 std::span<std::byte> after, std::span<float> held, std::uint64_t &changed)
{
    return HWY_DYNAMIC_DISPATCH(takeRoundedRun)(values.data(), codes.data(), values.size(), worst,
                                                after.data(), held.data(), changed);
}

/// With |code - offset| below 512, two roundings to fp16 move two neighbours towards each other by
/// less than a step, also where fp16 is subnormal; nothing is infinite.
bool areSoundSteps(std::span<const float> scales, std::span<const float> offsets)
{
    constexpr float kLeast = 0x1p-20f, kMost = 64, kMostOffset = 255;
    bool sound = true;
    std::size_t at = HWY_DYNAMIC_DISPATCH(soundRun)(scales.data(), offsets.data(), scales.size(),
                                                    kLeast, kMost, kMostOffset, &sound);
    for (; at < scales.size(); ++at)
        sound = sound && scales[at] >= kLeast && scales[at] <= kMost &&
                std::abs(offsets[at]) <= kMostOffset && std::round(offsets[at]) == offsets[at];
    return sound;
}

void narrowToOdd(std::span<const double> values, std::span<float> out)
{
    std::size_t at = HWY_DYNAMIC_DISPATCH(oddRun)(values.data(), values.size(), out.data());
    for (; at < values.size(); ++at)
        out[at] = doubleToFloatOdd(values[at]);
}

bool takeSteps(const StepTakeRun &run, std::span<std::uint8_t> codes, std::span<float> held,
               std::uint64_t &changed)
{
    return HWY_DYNAMIC_DISPATCH(takeStepRun)(run, codes.data(), held.data(), changed);
}

} // namespace kernscope::codec
#endif
