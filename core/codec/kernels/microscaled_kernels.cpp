// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/palette_kernels.h"

#include "core/numeric/half.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/microscaled_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/kernels/nibbles-inl.h"

// What every target shares, once.
#ifndef KERNSCOPE_MX_SHARED
#define KERNSCOPE_MX_SHARED
namespace kernscope::codec {

inline constexpr std::uint16_t kMxNan = 0x7e00;       ///< every NaN of a decoded matrix
inline constexpr std::uint16_t kMxNanFactor = 0x7fc0; ///< upper half of a NaN of fp32

/// The definition that the vectors below reproduce.
inline std::uint16_t mxHalf(float element, std::uint8_t exponent)
{
    const float value = element * e8m0ToFloat(exponent);
    return std::isnan(value) ? kMxNan : floatToHalf(value);
}

/// By exponent: what each code without a sign, or each nibble, stands for.
struct MxTables {
    static constexpr std::size_t kMagnitudes = 128;
    static constexpr std::size_t kNibbles = 16;
    alignas(64) std::array<std::uint16_t, 256 * kMagnitudes> e4m3{};
    alignas(64) std::array<std::uint16_t, 256 * kNibbles> e2m1{};
};
const MxTables &mxTables(); ///< made on first use

/// Whole groups of 32.
struct MxGroups {
    const std::uint8_t *in = nullptr; ///< of the first group
    bool mxfp4 = false;
    const std::uint8_t *exponents = nullptr; ///< one a group
    /// One an element instead, upper halves of fp32, or null.
    const std::uint16_t *factors = nullptr;
    bool nanFactors = false;               ///< some factors are NaN
    const std::uint16_t *shifts = nullptr; ///< MXFP4: instead of factors, or null
    std::size_t count = 0;
};

} // namespace kernscope::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

// Elements, 16 at a time, to halves.

using IntTag = hn::RebindToSigned<SixteenFloats>;
#if HWY_TARGET <= HWY_AVX3
using HalfLine = hn::Vec<hn::FixedTag<std::uint16_t, 32>>; ///< a cache line of halves
#endif

/// E4M3FN bytes as they lie; of E2M1 nibbles the upper bytes of their values in fp16.
template <bool E4m3>
HWY_INLINE ByteVec loadElements(const std::uint8_t *in)
{
    const SixteenBytes d;
    if constexpr (E4m3) {
        return hn::LoadU(d, in);
    } else {
        alignas(16) static constexpr std::uint8_t kUpper[16] = {0,    0x38, 0x3c, 0x3e, 0x40, 0x42,
                                                                0x44, 0x46, 0x80, 0xb8, 0xbc, 0xbe,
                                                                0xc0, 0xc2, 0xc4, 0xc6};
        return hn::TableLookupBytes(hn::Load(d, kUpper), loadNibbles(in));
    }
}

/// Bytes to halves. Those of E4M3FN are 1/256 of their value, since the exponent's bias is 15
/// instead of 7; with `WithNan` code 0x7f becomes a NaN.
template <bool E4m3, bool WithNan>
HWY_INLINE HalfVec halvesOf(hn::Vec<SomeBytes> bytes)
{
    const SixteenHalves d;
    const auto upper = halvesOfUpper(bytes);
    if constexpr (!E4m3)
        return upper;
    const hn::RebindToSigned<SixteenHalves> di;
    // The sign stays at the top; the shift has doubled it into the exponent, which is cleared.
    const auto moved = hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(di, upper)));
    const auto half = hn::And(moved, hn::Set(d, 0xbfff));
    if constexpr (!WithNan)
        return half;
    const auto isNan = hn::Eq(hn::And(half, hn::Set(d, 0x7fff)), hn::Set(d, 0x3f80));
    return hn::IfThenElse(isNan, hn::Set(d, kMxNan), half);
}

/// Powers of two that bring halves of E4M3FN to their value. Exponents that leave the range of fp16
/// whatever the element are limited to what fp32 has: infinity comes out as it should.
HWY_INLINE FloatVec factorsOf(hn::Vec<IntTag> exponent)
{
    const IntTag di;
    const SixteenFloats df;
    const auto raised = hn::Min(hn::Add(exponent, hn::Set(di, 8)), hn::Set(di, 254));
    return hn::BitCast(df, hn::ShiftLeft<23>(raised));
}

/// Factors from the upper halves of fp32.
HWY_INLINE FloatVec loadFactors(const std::uint16_t *factors)
{
    const SixteenFloats df;
    const hn::Rebind<std::uint16_t, SixteenFloats> d16;
    const hn::RebindToUnsigned<SixteenFloats> d32;
    return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(d32, hn::LoadU(d16, factors))));
}

/// Sixteen elements times the factors that `factor(i)` gives for the ones from i on.
template <bool E4m3, bool WithNan, bool Streamed, class Factor>
HWY_INLINE void storeScaled(ByteVec bytes, Factor factor, std::uint16_t *out)
{
    const auto scale = [&](FloatVec value, std::size_t at)
                           HWY_ATTR { return hn::Mul(value, factor(at)); };
    const auto canonical = [](HalfVec halves) HWY_ATTR {
        const SixteenHalves d;
        if constexpr (!WithNan)
            return halves;
        const auto isNan = hn::Gt(hn::And(halves, hn::Set(d, 0x7fff)), hn::Set(d, 0x7c00));
        return hn::IfThenElse(isNan, hn::Set(d, kMxNan), halves);
    };
    const auto widen = [](hn::Vec<SomeBytes> some)
                           HWY_ATTR { return halvesOf<E4m3, WithNan>(some); };
    storeSixteen<Streamed>(bytes, widen, scale, canonical, out);
}

/// A group of 32 elements with one factor or a factor each.
template <bool E4m3, bool Streamed, class Factor>
HWY_INLINE void storeGroup(const std::uint8_t *in, Factor factor, std::uint16_t *out)
{
    const SixteenBytes d;
    const auto first = loadElements<E4m3>(in);
    const auto second = loadElements<E4m3>(in + (E4m3 ? 16 : 8));
    const auto later = [&](std::size_t at) HWY_ATTR { return factor(at + 16); };
    if constexpr (E4m3) {
        const auto all = hn::Set(d, 0x7f);
        const auto nan =
            hn::Or(hn::Eq(hn::And(first, all), all), hn::Eq(hn::And(second, all), all));
        if (HWY_UNLIKELY(!hn::AllFalse(d, nan))) {
            storeScaled<E4m3, true, Streamed>(first, factor, out);
            storeScaled<E4m3, true, Streamed>(second, later, out + 16);
            return;
        }
    }
    storeScaled<E4m3, false, Streamed>(first, factor, out);
    storeScaled<E4m3, false, Streamed>(second, later, out + 16);
}

/// Powers of two of a row's exponents, upper halves of fp32; returns how many, all but the last
/// few. Those of E4M3FN are limited as in factorsOf(), exponent 0 of E2M1 makes zero, 255 a NaN.
std::size_t factorRun(const std::uint8_t *exponents, bool mxfp4, std::uint16_t *out,
                      std::size_t count)
{
    const hn::CappedTag<std::uint16_t, 32> d;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const std::size_t lanes = hn::Lanes(d);
    const auto raised = hn::Set(d, mxfp4 ? 0 : 8), most = hn::Set(d, 254);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto exponent = hn::PromoteTo(d, hn::LoadU(d8, exponents + at));
        const auto upper = hn::ShiftLeft<7>(hn::Min(hn::Add(exponent, raised), most));
        const auto isNan = hn::Eq(exponent, hn::Set(d, kE8m0Nan));
        hn::StoreU(hn::IfThenElse(isNan, hn::Set(d, kMxNanFactor), upper), d, out + at);
    }
    return at;
}

#if HWY_TARGET <= HWY_AVX3

/// A line of halves times a factor each.
template <bool WithNan, bool Streamed>
HWY_INLINE void storeLine(HalfLine halves, const std::uint16_t *factors, std::uint16_t *out)
{
    const hn::FixedTag<std::uint16_t, 16> half;
    const SixteenFloats df;
    const auto product = [&](auto some, std::size_t at) HWY_ATTR {
        auto result = narrowToHalf(df, hn::Mul(widenHalf(df, some), loadFactors(factors + at)));
        if constexpr (WithNan) {
            const auto magnitude = hn::And(result, hn::Set(half, 0x7fff));
            const auto isNan = hn::Gt(magnitude, hn::Set(half, 0x7c00));
            result = hn::IfThenElse(isNan, hn::Set(half, kMxNan), result);
        }
        return result;
    };
    const auto low = product(hn::LowerHalf(half, halves), 0);
    const auto high = product(hn::UpperHalf(half, halves), 16);
    if constexpr (Streamed) {
        const hn::FixedTag<std::uint16_t, 32> d;
        hn::Stream(hn::Combine(d, high, low), d, out);
    } else {
        hn::StoreU(low, half, out);
        hn::StoreU(high, half, out + 16);
    }
}

/// Groups of 32 elements with a factor each; `nanFactors`: some of which are NaN.
template <bool E4m3, bool Streamed>
void elementRun(const std::uint8_t *in, const std::uint16_t *factors, bool nanFactors,
                std::uint16_t *out, std::size_t groups)
{
    constexpr std::size_t kOne = 127;    // the exponent of 1
    constexpr std::size_t kAhead = 2048; // bytes: beyond the page where processors stop
    const hn::FixedTag<std::uint16_t, 32> d;
    const NibbleTable table = loadNibbleTable(mxTables().e2m1.data() + kOne * MxTables::kNibbles);
    for (std::size_t g = 0; g < groups; ++g, in += E4m3 ? 32 : 16, factors += 32, out += 32) {
        __builtin_prefetch(in + kAhead);
        if constexpr (E4m3) {
            const hn::RebindToSigned<decltype(d)> di;
            const hn::FixedTag<std::uint8_t, 32> d8;
            const auto bytes = hn::LoadU(d8, in);
            const auto wide =
                hn::PromoteTo(di, hn::BitCast(hn::RebindToSigned<decltype(d8)>(), bytes));
            // The sign, extended, reaches the exponent's highest bit, which is cleared: 1/256 of
            // the value, as in halvesOf.
            const auto halves = hn::And(hn::BitCast(d, hn::ShiftLeft<7>(wide)), hn::Set(d, 0xbfff));
            const auto nanCodes = hn::Eq(hn::Or(bytes, hn::Set(d8, 0x80)), hn::Set(d8, 0xff));
            if (HWY_UNLIKELY(nanFactors || !hn::AllFalse(d8, nanCodes))) {
                const auto isNan = hn::Eq(hn::And(halves, hn::Set(d, 0x7fff)), hn::Set(d, 0x3f80));
                storeLine<true, Streamed>(hn::IfThenElse(isNan, hn::Set(d, kMxNan), halves),
                                          factors, out);
            } else {
                storeLine<false, Streamed>(halves, factors, out);
            }
        } else {
            const auto codes = hn::PromoteTo(d, loadManyNibbles(in));
            const HalfLine halves{_mm512_permutexvar_epi16(codes.raw, table.halves.raw)};
            if (HWY_UNLIKELY(nanFactors))
                storeLine<true, Streamed>(halves, factors, out);
            else
                storeLine<false, Streamed>(halves, factors, out);
        }
    }
}

/// Groups of 32 nibbles whose exponents are added to those of their halves.
template <bool Streamed>
void shiftedRun(const std::uint8_t *in, const std::uint16_t *shifts, std::uint16_t *out,
                std::size_t groups)
{
    constexpr std::size_t kOne = 127;    // the exponent of 1
    constexpr std::size_t kAhead = 2048; // as above
    const hn::FixedTag<std::uint16_t, 32> d;
    const NibbleTable table = loadNibbleTable(mxTables().e2m1.data() + kOne * MxTables::kNibbles);
    for (std::size_t g = 0; g < groups; ++g, in += 16, shifts += 32, out += 32) {
        __builtin_prefetch(in + kAhead);
        const auto codes = hn::PromoteTo(d, loadManyNibbles(in));
        const HalfLine halves{_mm512_permutexvar_epi16(codes.raw, table.halves.raw)};
        const auto isNumber = hn::Ne(hn::And(codes, hn::Set(d, 7)), hn::Zero(d));
        const auto result = hn::Add(halves, hn::IfThenElseZero(isNumber, hn::LoadU(d, shifts)));
        if constexpr (Streamed)
            hn::Stream(result, d, out);
        else
            hn::StoreU(result, d, out);
    }
}

#else

/// Other targets multiply.
template <bool Streamed>
void shiftedRun(const std::uint8_t *, const std::uint16_t *, std::uint16_t *, std::size_t)
{
}

/// Groups of 32 elements with a factor each; `nanFactors`: some of which are NaN.
template <bool E4m3, bool Streamed>
void elementRun(const std::uint8_t *in, const std::uint16_t *factors, bool nanFactors,
                std::uint16_t *out, std::size_t groups)
{
    for (std::size_t g = 0; g < groups; ++g, in += E4m3 ? 32 : 16, factors += 32, out += 32) {
        const auto own = [&](std::size_t at) HWY_ATTR { return loadFactors(factors + at); };
        if (HWY_UNLIKELY(nanFactors)) {
            const auto later = [&](std::size_t at) HWY_ATTR { return own(at + 16); };
            storeScaled<E4m3, true, Streamed>(loadElements<E4m3>(in), own, out);
            storeScaled<E4m3, true, Streamed>(loadElements<E4m3>(in + (E4m3 ? 16 : 8)), later,
                                              out + 16);
        } else {
            storeGroup<E4m3, Streamed>(in, own, out);
        }
    }
}

#endif

/// Groups of 32 nibbles with an exponent each: a lookup in the table of the exponent.
template <bool Streamed>
void nibbleGroupRun(const std::uint8_t *in, const std::uint8_t *exponents, std::uint16_t *out,
                    std::size_t groups)
{
    const std::uint16_t *tables = mxTables().e2m1.data();
    const std::size_t step = hn::Lanes(NibbleTag());
    for (std::size_t g = 0; g < groups; ++g, in += 16, out += 32) {
        const NibbleTable table = loadNibbleTable(tables + MxTables::kNibbles * exponents[g]);
        for (std::size_t at = 0; at < 32; at += step)
            storeNibbles<Streamed>(table, in + at / 2, out + at);
    }
}

#if HWY_TARGET <= HWY_AVX3

/// Groups of 32 bytes with an exponent each: their magnitudes looked up, their signs added.
template <bool Streamed>
void byteGroupRun(const std::uint8_t *in, const std::uint8_t *exponents, std::uint16_t *out,
                  std::size_t groups)
{
    const hn::FixedTag<std::uint16_t, 32> d;
    const hn::FixedTag<std::uint8_t, 32> d8;
    using V = hn::Vec<decltype(d)>;
    const std::uint16_t *tables = mxTables().e4m3.data();
    for (std::size_t g = 0; g < groups; ++g, in += 32, out += 32) {
        const std::uint16_t *table = tables + MxTables::kMagnitudes * exponents[g];
        const V codes = hn::PromoteTo(d, hn::LoadU(d8, in));
        const auto two = [&](std::size_t i) HWY_ATTR {
            return V{_mm512_permutex2var_epi16(hn::Load(d, table + i).raw, codes.raw,
                                               hn::Load(d, table + i + 32).raw)};
        };
        const V magnitudes = hn::IfThenElse(hn::TestBit(codes, hn::Set(d, 64)), two(64), two(0));
        const V signs = hn::ShiftLeft<8>(hn::And(codes, hn::Set(d, 0x80)));
        const auto isNan = hn::Eq(magnitudes, hn::Set(d, kMxNan)); // which has no sign
        const V halves = hn::IfThenElse(isNan, magnitudes, hn::Or(magnitudes, signs));
        if constexpr (Streamed)
            hn::Stream(halves, d, out);
        else
            hn::StoreU(halves, d, out);
    }
}

#else

template <bool Streamed>
void byteGroupRun(const std::uint8_t *in, const std::uint8_t *exponents, std::uint16_t *out,
                  std::size_t groups)
{
    const IntTag di;
    for (std::size_t g = 0; g < groups; ++g, in += 32, out += 32) {
        if (HWY_UNLIKELY(exponents[g] == kE8m0Nan)) {
            std::fill_n(out, 32, kMxNan);
            continue;
        }
        const auto factor = factorsOf(hn::Set(di, exponents[g]));
        storeGroup<true, Streamed>(
            in, [&](std::size_t) HWY_ATTR { return factor; }, out);
    }
}

#endif

template <bool Streamed>
void groupRun(const MxGroups &groups, std::uint16_t *out)
{
    constexpr bool kShifts = HWY_TARGET <= HWY_AVX3;
    if (kShifts && groups.shifts != nullptr)
        shiftedRun<Streamed>(groups.in, groups.shifts, out, groups.count);
    else if (groups.factors != nullptr && groups.mxfp4)
        elementRun<false, Streamed>(groups.in, groups.factors, groups.nanFactors, out,
                                    groups.count);
    else if (groups.factors != nullptr)
        elementRun<true, Streamed>(groups.in, groups.factors, groups.nanFactors, out, groups.count);
    else if (groups.mxfp4)
        nibbleGroupRun<Streamed>(groups.in, groups.exponents, out, groups.count);
    else
        byteGroupRun<Streamed>(groups.in, groups.exponents, out, groups.count);
}

/// `streamed`: past the caches, to the start of a line. Returns how many groups.
std::size_t mxRun(const MxGroups &groups, bool streamed, std::uint16_t *out)
{
    if (streamed)
        groupRun<true>(groups, out);
    else
        groupRun<false>(groups, out);
    return groups.count;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(mxRun);
HWY_EXPORT(factorRun);

const MxTables &mxTables()
{
    static const std::unique_ptr<const MxTables> tables = [] {
        auto made = std::make_unique<MxTables>();
        for (unsigned exponent = 0; exponent < 256; ++exponent) {
            const auto e = static_cast<std::uint8_t>(exponent);
            for (unsigned code = 0; code < MxTables::kMagnitudes; ++code)
                made->e4m3[MxTables::kMagnitudes * exponent + code] =
                    mxHalf(e4m3ToFloat(static_cast<std::uint8_t>(code)), e);
            for (unsigned code = 0; code < MxTables::kNibbles; ++code)
                made->e2m1[MxTables::kNibbles * exponent + code] =
                    mxHalf(e2m1ToFloat(static_cast<std::uint8_t>(code)), e);
        }
        return made;
    }();
    return *tables;
}

namespace {

/// Elements before the first whole group of `run`; with an exponent an element, before the first
/// whole byte and, past the caches, the first line.
std::size_t elementsBeforeGroups(const MxRun &run, std::span<const std::uint16_t> out)
{
    const std::uint64_t step = run.perElement ? 2 : 32;
    const auto head = static_cast<std::size_t>((step - run.first % step) % step);
    if (head >= out.size())
        return out.size();
    const std::size_t toLine = elementsBeforeLine(out.subspan(head));
    return run.streamed && run.perElement && toLine % 2 == 0 ? head + toLine : head;
}

} // namespace

bool streamsMicroscaled(const MxRun &run, std::span<const std::uint16_t> out)
{
    MxRun streamed = run;
    streamed.streamed = true;
    const std::size_t head = elementsBeforeGroups(streamed, out);
    return elementsBeforeLine(out.subspan(head)) == 0;
}

bool microscaledFactors(std::span<const std::uint8_t> exponents, bool mxfp4,
                        std::span<std::uint16_t> out)
{
    std::size_t at =
        HWY_DYNAMIC_DISPATCH(factorRun)(exponents.data(), mxfp4, out.data(), exponents.size());
    for (; at < exponents.size(); ++at) {
        const unsigned field = mxfp4 ? exponents[at] : std::min(exponents[at] + 8U, 254U);
        out[at] = exponents[at] == kE8m0Nan ? kMxNanFactor : static_cast<std::uint16_t>(field << 7);
    }
    return std::find(exponents.begin(), exponents.end(), kE8m0Nan) != exponents.end();
}

bool microscaledShifts(std::span<const std::uint8_t> exponents, std::span<std::uint16_t> out)
{
    // Magnitudes are 2^-1 to 6: normal in fp16 (2^-14 to 65504) at 2^-13 to 2^13.
    constexpr unsigned kLeast = 127 - 13, kMost = 127 + 13;
    unsigned outside = 0;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
        const unsigned exponent = exponents[i];
        outside |= exponent - kLeast > kMost - kLeast ? 1u : 0u;
        out[i] = static_cast<std::uint16_t>((exponent - 127u) << 10);
    }
    return outside == 0;
}

void microscaledRunToHalf(const MxRun &run, std::span<std::uint16_t> out)
{
    const auto one = [&](std::size_t i) {
        const std::uint64_t at = run.first + i;
        const float element =
            run.mxfp4 ? e2m1ToFloat(static_cast<std::uint8_t>(run.data[at / 2] >> (4 * (at % 2))))
                      : e4m3ToFloat(run.data[at]);
        const std::uint64_t group = run.perElement ? i : at / 32 - run.first / 32;
        return mxHalf(element, run.exponents[static_cast<std::size_t>(group)]);
    };
    std::size_t done = 0;
    for (const std::size_t head = elementsBeforeGroups(run, out); done < head; ++done)
        out[done] = one(done);
    const std::size_t groups = (out.size() - done) / 32;
    if (groups != 0) {
        const std::uint64_t at = run.first + done;
        const bool lines =
            run.streamed &&
            elementsBeforeLine(std::span<const std::uint16_t>(out.subspan(done))) == 0;
        MxGroups whole;
        whole.in = run.data.data() + (run.mxfp4 ? at / 2 : at);
        whole.mxfp4 = run.mxfp4;
        whole.count = groups;
        if (run.perElement) {
            whole.factors = run.factors.data() + done;
            whole.nanFactors = run.nanFactors;
            whole.shifts = run.shifts.empty() ? nullptr : run.shifts.data() + done;
        } else {
            whole.exponents = run.exponents.data() + (at / 32 - run.first / 32);
        }
        done += 32 * HWY_DYNAMIC_DISPATCH(mxRun)(whole, lines, out.data() + done);
    }
    for (; done < out.size(); ++done)
        out[done] = one(done);
}

} // namespace kernscope::codec
#endif
