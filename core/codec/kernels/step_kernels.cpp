// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/step_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/step_kernels.cpp"
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

/// One vector of elements. The values of two codes next to each other lie on both sides of what is
/// asked, or the code is the first or the last one: no other code is nearer. fp32 is enough: their
/// middle is exact, and so is the difference, since the value is at most twice, and at least half,
/// what is asked, or zero, but for what is asked beyond the first and the last code.
template <bool ToHalf>
HWY_INLINE bool takeVector(const StepTakeRun &run, const float *values, const float *scales,
                           const float *offsets, std::uint8_t *codes, float *held,
                           std::uint64_t &changed)
{
    constexpr float kMostBeyond = 4096; // there steps are no less than fp64's
    const Floats d;
    const hn::RebindToSigned<Floats> di;
    const hn::RebindToUnsigned<Floats> du;
    const hn::Rebind<std::uint8_t, Floats> d8;
    const auto one = hn::Set(d, 1.0f);
    const auto least = hn::Set(d, run.smallest), most = hn::Set(d, run.largest);
    const auto value = hn::LoadU(d, values);
    const auto scale = hn::LoadU(d, scales), offset = hn::LoadU(d, offsets);

    const auto guess = hn::MulAdd(value, hn::ApproximateReciprocal(scale), offset);
    const auto code = hn::Add(hn::Min(hn::Max(hn::Round(guess), least), most), hn::Zero(d));
    const auto step = stepOf<ToHalf>(code, scale, offset);
    const auto next = hn::IfThenElse(hn::Ge(value, step), hn::Add(code, one), hn::Sub(code, one));
    const auto inside = hn::And(hn::Ge(next, least), hn::Le(next, most));
    const auto other = hn::IfThenElse(inside, next, code);
    const auto otherStep = stepOf<ToHalf>(other, scale, offset);

    const auto low = hn::Min(step, otherStep), high = hn::Max(step, otherStep);
    const auto highCode = hn::Max(code, other);
    const auto middle = hn::Mul(hn::Add(low, high), hn::Set(d, 0.5f));
    const auto takesLow = hn::Le(value, middle);
    auto taken = hn::IfThenElse(takesLow, hn::Min(code, other), highCode);
    auto becomes = hn::IfThenElse(takesLow, low, high);

    const auto magnitude = hn::Abs(value);
    const auto exact = hn::Abs(hn::Sub(becomes, value));
    const auto error = hn::IfThenElse(inside, exact, hn::Mul(exact, hn::Set(d, 1 + 0x1p-20f)));
    const auto between = hn::And(hn::Le(low, value), hn::Le(value, high));
    const auto beyond =
        hn::And(hn::Not(inside), hn::Le(magnitude, hn::Set(d, kMostBeyond))); // not of NaN
    const auto may =
        hn::Max(hn::Set(d, run.absolute), hn::Mul(magnitude, hn::Set(d, run.relative)));
    const auto near = hn::And(hn::Le(error, may), hn::Le(error, hn::Set(d, run.worst)));
    if (!hn::AllTrue(d, hn::And(near, hn::Or(hn::And(inside, between), beyond))))
        return false;

    const auto mask = hn::Set(du, run.mask);
    const auto bitsOf = [&](FloatVec integers) HWY_ATTR {
        return hn::And(hn::BitCast(du, hn::ConvertTo(di, integers)), mask);
    };
    const auto before = hn::PromoteTo(du, hn::LoadU(d8, codes));
    const auto even = hn::And(inside, hn::Eq(value, middle));
    if (!hn::AllFalse(d, even)) {
        const auto hasHigh = hn::RebindMask(d, hn::Eq(before, bitsOf(highCode)));
        const auto stays = hn::And(even, hasHigh);
        taken = hn::IfThenElse(stays, highCode, taken);
        becomes = hn::IfThenElse(stays, high, becomes);
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

bool takeStepRun(const StepTakeRun &run, std::uint8_t *codes, float *held, std::uint64_t &changed)
{
    return run.toHalf ? takeAll<true>(run, codes, held, changed)
                      : takeAll<false>(run, codes, held, changed);
}

#else // the callers' own way, element by element

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

/// With |code - offset| below 512, two roundings to fp16 move two neighbours towards each other by
/// less than a step, also where fp16 is subnormal; nothing is infinite.
bool areSoundSteps(std::span<const float> scales, std::span<const float> offsets)
{
    constexpr float kLeast = 0x1p-20f, kMost = 64, kMostOffset = 255;
    bool sound = true;
    for (std::size_t i = 0; i < scales.size(); ++i) {
        const float offset = std::abs(offsets[i]);
        sound &=
            (scales[i] >= kLeast) & (scales[i] <= kMost) & (offset <= kMostOffset) &
            (static_cast<float>(static_cast<int>(offset <= kMostOffset ? offset : 0)) == offset);
    }
    return sound;
}

bool takeSteps(const StepTakeRun &run, std::span<std::uint8_t> codes, std::span<float> held,
               std::uint64_t &changed)
{
    return HWY_DYNAMIC_DISPATCH(takeStepRun)(run, codes.data(), held.data(), changed);
}

} // namespace kernscope::codec
#endif
