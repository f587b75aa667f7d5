// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/take_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/take_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using Doubles = hn::CappedTag<double, 8>;
using DoubleVec = hn::Vec<Doubles>;

HWY_INLINE DoubleVec loadWide(const double *in)
{
    return hn::LoadU(Doubles(), in);
}

HWY_INLINE DoubleVec loadWide(const float *in)
{
    return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), in));
}

/// The first of the elements that are farthest off, of the lanes' own.
HWY_INLINE void reduceWorst(DoubleVec errors, DoubleVec places, TakeWorst &worst)
{
    const Doubles d;
    HWY_ALIGN double error[8], place[8];
    hn::Store(errors, d, error);
    hn::Store(places, d, place);
    std::size_t best = 0;
    for (std::size_t lane = 1; lane < hn::Lanes(d); ++lane) {
        if (error[lane] > error[best] || (error[lane] == error[best] && place[lane] < place[best]))
            best = lane;
    }
    if (error[best] > worst.error)
        worst = {error[best], static_cast<std::size_t>(place[best])};
}

template <class Value, class Code>
HWY_INLINE std::size_t takeRun(const TakeRun<Value> &run, const Code *codes, float *held,
                               Code *stored, std::uint64_t &changed, TakeWorst &worst)
{
    const Doubles d;
    const hn::RebindToUnsigned<Doubles> du;
    const hn::Rebind<float, Doubles> df;
    const hn::Rebind<Code, Doubles> dc;
    const std::size_t lanes = hn::Lanes(d), count = run.values.size();
    const auto relative = hn::Set(d, run.relative), absolute = hn::Set(d, run.absolute);
    const auto infinite = hn::Set(d, std::numeric_limits<double>::infinity());
    auto errors = hn::Set(d, worst.error);
    auto places = hn::Set(d, static_cast<double>(count)); // of those that were there: behind all
    auto place = hn::Iota(d, 0);
    const auto step = hn::Set(d, static_cast<double>(lanes));
    std::size_t at = 0, same = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = loadWide(run.values.data() + at);
        const auto now = hn::PromoteTo(d, hn::LoadU(df, held + at));
        const auto chosen = loadWide(run.chosen.data() + at);
        const auto byNow = hn::Abs(hn::Sub(now, value));
        const auto byChosen = hn::Abs(hn::Sub(chosen, value));
        const auto stays = hn::Le(byNow, byChosen); // not where it is not a number
        const auto error = hn::IfThenElse(stays, byNow, byChosen);
        const auto share = hn::Mul(hn::Abs(value), relative);
        const auto shared = hn::And(hn::Gt(share, absolute), hn::Lt(share, infinite));
        if (!hn::AllTrue(d, hn::Le(error, hn::IfThenElse(shared, share, absolute))))
            break;
        const auto farther = hn::Gt(error, errors);
        errors = hn::IfThenElse(farther, error, errors);
        places = hn::IfThenElse(farther, place, places);
        place = hn::Add(place, step);
        hn::StoreU(hn::DemoteTo(df, hn::IfThenElse(stays, now, chosen)), df, held + at);
        const auto keeps = hn::TruncateTo(dc, hn::BitCast(du, hn::VecFromMask(d, stays)));
        const auto before = hn::LoadU(dc, stored + at), after = hn::LoadU(dc, codes + at);
        hn::StoreU(hn::Or(hn::And(keeps, before), hn::AndNot(keeps, after)), dc, stored + at);
        same += hn::CountTrue(d, stays);
    }
    changed += at - same;
    if (at != 0)
        reduceWorst(errors, places, worst);
    return at;
}

std::size_t takeBytes(const TakeRun<double> &run, const std::uint8_t *codes, float *held,
                      std::uint8_t *stored, std::uint64_t &changed, TakeWorst &worst)
{
    return takeRun(run, codes, held, stored, changed, worst);
}

std::size_t takeBytesOfFloats(const TakeRun<float> &run, const std::uint8_t *codes, float *held,
                              std::uint8_t *stored, std::uint64_t &changed, TakeWorst &worst)
{
    return takeRun(run, codes, held, stored, changed, worst);
}

std::size_t takeHalves(const TakeRun<float> &run, const std::uint16_t *codes, float *held,
                       std::uint16_t *stored, std::uint64_t &changed, TakeWorst &worst)
{
    return takeRun(run, codes, held, stored, changed, worst);
}

std::size_t guessRun(const CodeGuess &guess, const double *values, std::size_t count, float *raw)
{
    const Doubles d;
    const hn::Rebind<std::int32_t, Doubles> di;
    const hn::Rebind<float, Doubles> df;
    const std::size_t lanes = hn::Lanes(d);
    const auto share = hn::Set(d, guess.share), offset = hn::Set(d, guess.offset);
    const auto first = hn::Set(d, guess.smallest + 1), last = hn::Set(d, guess.largest - 1);
    constexpr double kShift = 1024; // truncating a positive number rounds down
    const auto shift = hn::Set(d, kShift + 0.5);
    const auto back = hn::Set(df, static_cast<float>(kShift)), next = hn::Set(df, 1.0f);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at);
        const auto exact = guess.offsetFirst ? hn::Mul(hn::Sub(value, offset), share)
                                             : hn::Add(hn::Mul(value, share), offset);
        const auto middle = hn::Add(hn::Min(hn::Max(exact, first), last), shift);
        const auto code = hn::Sub(hn::ConvertTo(df, hn::DemoteTo(di, middle)), back);
        hn::StoreU(hn::Sub(code, next), df, raw + at);
        hn::StoreU(code, df, raw + count + at);
        hn::StoreU(hn::Add(code, next), df, raw + 2 * count + at);
    }
    return at;
}

std::size_t guessEachRun(const CodeGuess &guess, const double *values, std::size_t count,
                         const float *scales, const float *offsets, float *raw)
{
    const Doubles d;
    const hn::Rebind<std::int32_t, Doubles> di;
    const hn::Rebind<float, Doubles> df;
    const std::size_t lanes = hn::Lanes(d);
    const auto first = hn::Set(d, guess.smallest + 1), last = hn::Set(d, guess.largest - 1);
    constexpr double kShift = 1024; // truncating a positive number rounds down
    const auto shift = hn::Set(d, kShift + 0.5);
    const auto back = hn::Set(df, static_cast<float>(kShift)), next = hn::Set(df, 1.0f);
    const auto nothing = hn::Set(df, std::numeric_limits<float>::quiet_NaN());
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at);
        const auto scale = loadWide(scales + at), offset = loadWide(offsets + at);
        const auto exact = guess.offsetFirst ? hn::Div(hn::Sub(value, offset), scale)
                                             : hn::Add(hn::Div(value, scale), offset);
        const auto sound = hn::IsFinite(exact);
        const auto inside = hn::Min(hn::Max(hn::IfThenElseZero(sound, exact), first), last);
        const auto code =
            hn::Sub(hn::ConvertTo(df, hn::DemoteTo(di, hn::Add(inside, shift))), back);
        const auto isSound = hn::Eq(hn::DemoteTo(df, hn::IfThenElseZero(sound, shift)),
                                    hn::Set(df, static_cast<float>(kShift + 0.5)));
        const auto middle = hn::IfThenElse(isSound, code, nothing);
        hn::StoreU(hn::Sub(middle, next), df, raw + at);
        hn::StoreU(middle, df, raw + count + at);
        hn::StoreU(hn::Add(middle, next), df, raw + 2 * count + at);
    }
    return at;
}

std::size_t settleRun(const CodeGuess &guess, const double *values, std::size_t count,
                      const float *middle, const float *raw, unsigned mask, double *chosen,
                      std::uint8_t *codes)
{
    const Doubles d;
    const hn::Rebind<std::int32_t, Doubles> di;
    const hn::Rebind<std::uint32_t, Doubles> du;
    const hn::Rebind<std::uint8_t, Doubles> d8;
    const std::size_t lanes = hn::Lanes(d);
    const auto first = hn::Set(d, guess.smallest + 1), last = hn::Set(d, guess.largest - 1);
    const auto nothing = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const auto one = hn::Set(d, 1.0);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto value = hn::LoadU(d, values + at), code = loadWide(middle + at);
        const auto v0 = loadWide(raw + at), v1 = loadWide(raw + count + at);
        const auto v2 = loadWide(raw + 2 * count + at);
        const auto e0 = hn::Abs(hn::Sub(v0, value)), e1 = hn::Abs(hn::Sub(v1, value));
        const auto e2 = hn::Abs(hn::Sub(v2, value));
        const auto isSecond = hn::Lt(e1, e0);
        const auto e01 = hn::IfThenElse(isSecond, e1, e0);
        const auto isThird = hn::Lt(e2, e01);
        const auto error = hn::IfThenElse(isThird, e2, e01);
        const auto held = hn::IfThenElse(isThird, v2, hn::IfThenElse(isSecond, v1, v0));
        const auto lowEnd = hn::Or(hn::Eq(code, first), hn::Gt(e0, error));
        const auto highEnd = hn::Or(hn::Eq(code, last), hn::Gt(e2, error));
        // Not settled either where one of them is not a number.
        const auto settled =
            hn::And(hn::And(lowEnd, highEnd), hn::IsFinite(hn::Add(hn::Add(v0, v1), v2)));
        const auto moved = hn::IfThenElse(isThird, hn::Add(code, one),
                                          hn::IfThenElse(isSecond, code, hn::Sub(code, one)));
        hn::StoreU(hn::IfThenElse(settled, held, nothing), d, chosen + at);
        const auto bits = hn::And(hn::BitCast(du, hn::DemoteTo(di, moved)), hn::Set(du, mask));
        hn::StoreU(hn::TruncateTo(d8, bits), d8, codes + at);
    }
    return at;
}

#else // one element at a time: the callers' own loops

std::size_t takeBytes(const TakeRun<double> &, const std::uint8_t *, float *, std::uint8_t *,
                      std::uint64_t &, TakeWorst &)
{
    return 0;
}

std::size_t takeBytesOfFloats(const TakeRun<float> &, const std::uint8_t *, float *, std::uint8_t *,
                              std::uint64_t &, TakeWorst &)
{
    return 0;
}

std::size_t takeHalves(const TakeRun<float> &, const std::uint16_t *, float *, std::uint16_t *,
                       std::uint64_t &, TakeWorst &)
{
    return 0;
}

std::size_t guessRun(const CodeGuess &, const double *, std::size_t, float *)
{
    return 0;
}

std::size_t guessEachRun(const CodeGuess &, const double *, std::size_t, const float *,
                         const float *, float *)
{
    return 0;
}

std::size_t settleRun(const CodeGuess &, const double *, std::size_t, const float *, const float *,
                      unsigned, double *, std::uint8_t *)
{
    return 0;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(takeBytes);
HWY_EXPORT(takeBytesOfFloats);
HWY_EXPORT(takeHalves);
HWY_EXPORT(guessRun);
HWY_EXPORT(guessEachRun);
HWY_EXPORT(settleRun);

std::size_t takeNearest(const TakeRun<double> &run, std::span<const std::uint8_t> codes,
                        std::span<float> held, std::uint8_t *stored, std::uint64_t &changed,
                        TakeWorst &worst)
{
    return HWY_DYNAMIC_DISPATCH(takeBytes)(run, codes.data(), held.data(), stored, changed, worst);
}

std::size_t takeNearest(const TakeRun<float> &run, std::span<const std::uint8_t> codes,
                        std::span<float> held, std::uint8_t *stored, std::uint64_t &changed,
                        TakeWorst &worst)
{
    return HWY_DYNAMIC_DISPATCH(takeBytesOfFloats)(run, codes.data(), held.data(), stored, changed,
                                                   worst);
}

std::size_t takeNearest(const TakeRun<float> &run, std::span<const std::uint16_t> codes,
                        std::span<float> held, std::uint16_t *stored, std::uint64_t &changed,
                        TakeWorst &worst)
{
    return HWY_DYNAMIC_DISPATCH(takeHalves)(run, codes.data(), held.data(), stored, changed, worst);
}

namespace {

/// One element, of which the exact code is known.
void guessOne(const CodeGuess &guess, double exact, std::size_t at, std::size_t count,
              std::span<float> raw)
{
    const double inside = std::min(std::max(exact, guess.smallest + 1), guess.largest - 1);
    const auto code = static_cast<float>(std::floor(inside + 0.5));
    raw[at] = code - 1;
    raw[count + at] = code;
    raw[2 * count + at] = code + 1;
}

} // namespace

void guessCodes(const CodeGuess &guess, std::span<const double> values, std::span<float> raw)
{
    const std::size_t count = values.size();
    std::size_t at = HWY_DYNAMIC_DISPATCH(guessRun)(guess, values.data(), count, raw.data());
    for (; at < count; ++at)
        guessOne(guess,
                 guess.offsetFirst ? (values[at] - guess.offset) * guess.share
                                   : values[at] * guess.share + guess.offset,
                 at, count, raw);
}

void guessCodesOfEach(const CodeGuess &guess, std::span<const double> values,
                      std::span<const float> scales, std::span<const float> offsets,
                      std::span<float> raw)
{
    const std::size_t count = values.size();
    std::size_t at = HWY_DYNAMIC_DISPATCH(guessEachRun)(guess, values.data(), count, scales.data(),
                                                        offsets.data(), raw.data());
    for (; at < count; ++at) {
        const auto scale = static_cast<double>(scales[at]);
        const auto offset = static_cast<double>(offsets[at]);
        const double exact =
            guess.offsetFirst ? (values[at] - offset) / scale : values[at] / scale + offset;
        guessOne(guess, exact, at, count, raw);
        if (!std::isfinite(exact))
            raw[at] = raw[count + at] = raw[2 * count + at] =
                std::numeric_limits<float>::quiet_NaN();
    }
}

void settleCodes(const CodeGuess &guess, std::span<const double> values,
                 std::span<const float> middle, std::span<const float> raw, unsigned mask,
                 std::span<double> chosen, std::span<std::uint8_t> codes)
{
    const std::size_t count = values.size();
    std::size_t at = HWY_DYNAMIC_DISPATCH(settleRun)(guess, values.data(), count, middle.data(),
                                                     raw.data(), mask, chosen.data(), codes.data());
    for (; at < count; ++at) {
        const double code = static_cast<double>(middle[at]);
        chosen[at] = std::numeric_limits<double>::quiet_NaN();
        codes[at] = 0;
        if (std::isnan(code))
            continue;
        const std::array<double, 3> held{static_cast<double>(raw[at]),
                                         static_cast<double>(raw[count + at]),
                                         static_cast<double>(raw[2 * count + at])};
        const std::array<double, 3> error{std::abs(held[0] - values[at]),
                                          std::abs(held[1] - values[at]),
                                          std::abs(held[2] - values[at])};
        std::size_t best = error[1] < error[0] ? 1 : 0;
        best = error[2] < error[best] ? 2 : best;
        const bool settled = (code == guess.smallest + 1 || error[0] > error[best]) &&
                             (code == guess.largest - 1 || error[2] > error[best]) &&
                             std::isfinite(held[0] + held[1] + held[2]);
        chosen[at] = settled ? held[best] : std::numeric_limits<double>::quiet_NaN();
        codes[at] = static_cast<std::uint8_t>(
            static_cast<unsigned>(static_cast<int>(code) - 1 + static_cast<int>(best)) & mask);
    }
}

} // namespace kernscope::codec
#endif
