// SPDX-License-Identifier: GPL-3.0-or-later
// Codebooks of halves that lie in registers.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_CODEC_REGISTER_TABLE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_CODEC_REGISTER_TABLE_INL_H
#undef KERNSCOPE_CODEC_REGISTER_TABLE_INL_H
#else
#define KERNSCOPE_CODEC_REGISTER_TABLE_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

#include "core/numeric/unpack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

/// Stores a vector of halves; past the caches to an aligned place, anywhere otherwise.
template <bool Streamed, class D>
HWY_INLINE void storeHalves(hn::Vec<D> halves, D d, std::uint16_t *HWY_RESTRICT out)
{
    if constexpr (Streamed)
        hn::Stream(halves, d, out);
    else
        hn::StoreU(halves, d, out);
}

#if HWY_TARGET <= HWY_AVX3

/// A codebook in registers of 32 halves each, of which one instruction looks up in two.
template <unsigned Width>
class RegisterTable
{
public:
    explicit RegisterTable(const std::byte *table)
    {
        alignas(64) std::uint16_t entries[32 * kRegisters] = {};
        std::memcpy(entries, table, sizeof(std::uint16_t) << Width);
        for (std::size_t i = 0; i < kRegisters; ++i)
            m_parts[i] = hn::Load(m_d, entries + 32 * i);
    }

    /// Stores the halves of 32 codes.
    template <bool Streamed>
    HWY_INLINE void lookUp(hn::Vec<CodeTag> codes, std::uint16_t *HWY_RESTRICT out) const
    {
        storeHalves<Streamed>(found(codes), m_d, out);
    }

    using Tag = hn::FixedTag<std::uint16_t, 32>;
    using V = hn::Vec<Tag>;
    HWY_INLINE V found(hn::Vec<CodeTag> codes) const { return pick(hn::PromoteTo(m_d, codes)); }

private:
    static constexpr std::size_t kRegisters = Width <= 4 ? 1 : (std::size_t{1} << Width) / 32;

    HWY_INLINE V two(V codes, std::size_t i) const
    {
        return V{_mm512_permutex2var_epi16(m_parts[i].raw, codes.raw, m_parts[i + 1].raw)};
    }

    HWY_INLINE V pick(V codes) const
    {
        if constexpr (kRegisters == 1) {
            return V{_mm512_permutexvar_epi16(codes.raw, m_parts[0].raw)};
        } else if constexpr (kRegisters == 2) {
            return two(codes, 0);
        } else {
            const auto second = hn::TestBit(codes, hn::Set(m_d, 64));
            const auto upper = hn::TestBit(codes, hn::Set(m_d, 128));
            const V low = hn::IfThenElse(second, two(codes, 2), two(codes, 0));
            const V high = hn::IfThenElse(second, two(codes, 6), two(codes, 4));
            return hn::IfThenElse(upper, high, low);
        }
    }

    Tag m_d;
    V m_parts[kRegisters];
};

#if HWY_TARGET <= HWY_AVX3_DL

using SixtyFour = hn::FixedTag<std::uint8_t, 64>;

/// Halves of 64 codes: in each 16 bytes, those of the lower and those of the upper eight codes.
struct FoundHalves {
    hn::Vec<hn::FixedTag<std::uint16_t, 32>> first, second;
};

/// A codebook of 256 halves as two of bytes, low and high ones, in four registers each: a look-up
/// of 64 bytes costs as much as one of 32 halves.
class HalfPlanes
{
public:
    explicit HalfPlanes(const std::byte *table)
    {
        alignas(64) std::uint8_t low[64], high[64];
        for (unsigned i = 0; i < 64; ++i) {
            low[i] = static_cast<std::uint8_t>(2 * i);
            high[i] = static_cast<std::uint8_t>(2 * i + 1);
        }
        const auto *in = reinterpret_cast<const std::uint8_t *>(table);
        for (std::size_t i = 0; i < 4; ++i) {
            const V a = hn::LoadU(m_d, in + 128 * i), b = hn::LoadU(m_d, in + 128 * i + 64);
            m_low[i] = V{_mm512_permutex2var_epi8(a.raw, hn::Load(m_d, low).raw, b.raw)};
            m_high[i] = V{_mm512_permutex2var_epi8(a.raw, hn::Load(m_d, high).raw, b.raw)};
        }
    }

    /// `upper`: the highest bit of each code.
    HWY_INLINE FoundHalves lookUp(hn::Vec<SixtyFour> codes, __mmask64 upper) const
    {
        const hn::FixedTag<std::uint16_t, 32> d16;
        const V low = pick(m_low, codes, upper), high = pick(m_high, codes, upper);
        return {hn::BitCast(d16, hn::InterleaveLower(m_d, low, high)),
                hn::BitCast(d16, hn::InterleaveUpper(m_d, low, high))};
    }

private:
    using V = hn::Vec<SixtyFour>;

    static HWY_INLINE V pick(const V *parts, V codes, __mmask64 upper)
    {
        return V{_mm512_mask_blend_epi8(
            upper, _mm512_permutex2var_epi8(parts[0].raw, codes.raw, parts[1].raw),
            _mm512_permutex2var_epi8(parts[2].raw, codes.raw, parts[3].raw))};
    }

    SixtyFour m_d;
    V m_low[4], m_high[4];
};

#endif

#else

/// A codebook of at most 64 halves in registers: low and high bytes of 16 entries each.
template <unsigned Width>
class RegisterTable
{
public:
    explicit RegisterTable(const std::byte *table)
    {
        const CodeTag d;
        alignas(64) std::uint8_t low[64] = {};
        alignas(64) std::uint8_t high[64] = {};
        for (std::size_t i = 0; i < std::size_t{1} << Width; ++i) {
            low[i] = std::to_integer<std::uint8_t>(table[2 * i]);
            high[i] = std::to_integer<std::uint8_t>(table[2 * i + 1]);
        }
        low0 = hn::LoadDup128(d, low);
        high0 = hn::LoadDup128(d, high);
        if constexpr (Width > 4) {
            low1 = hn::LoadDup128(d, low + 16);
            low2 = hn::LoadDup128(d, low + 32);
            low3 = hn::LoadDup128(d, low + 48);
            high1 = hn::LoadDup128(d, high + 16);
            high2 = hn::LoadDup128(d, high + 32);
            high3 = hn::LoadDup128(d, high + 48);
        }
    }

    /// Stores the halves of Lanes(CodeTag()) codes.
    template <bool Streamed>
    HWY_INLINE void lookUp(hn::Vec<CodeTag> codes, std::uint16_t *HWY_RESTRICT out) const
    {
        const CodeTag d;
        const hn::Repartition<std::uint16_t, CodeTag> d16;
        const std::size_t lanes = hn::Lanes(d16);
        const auto low = pick(codes, low0, low1, low2, low3);
        const auto high = pick(codes, high0, high1, high2, high3);
        const auto first = hn::BitCast(d16, hn::InterleaveLower(d, low, high));
        const auto second = hn::BitCast(d16, hn::InterleaveUpper(d, low, high));
#if HWY_MAX_BYTES >= 32
        // The interleaving works on 16 bytes each: put the halves into order.
        storeHalves<Streamed>(hn::ConcatLowerLower(d16, second, first), d16, out);
        storeHalves<Streamed>(hn::ConcatUpperUpper(d16, second, first), d16, out + lanes);
#else
        storeHalves<Streamed>(first, d16, out);
        storeHalves<Streamed>(second, d16, out + lanes);
#endif
    }

private:
    using V = hn::Vec<CodeTag>;

    static HWY_INLINE V pick(V codes, V t0, V t1, V t2, V t3)
    {
        if constexpr (Width <= 4) {
            return hn::TableLookupBytes(t0, codes);
        } else {
            const CodeTag d;
            const V inQuarter = hn::And(codes, hn::Set(d, 15));
            const auto odd = hn::TestBit(codes, hn::Set(d, 16));
            const auto upper = hn::TestBit(codes, hn::Set(d, 32));
            const V low = hn::IfThenElse(odd, hn::TableLookupBytes(t1, inQuarter),
                                         hn::TableLookupBytes(t0, inQuarter));
            const V high = hn::IfThenElse(odd, hn::TableLookupBytes(t3, inQuarter),
                                          hn::TableLookupBytes(t2, inQuarter));
            return hn::IfThenElse(upper, high, low);
        }
    }

    V low0, low1, low2, low3;
    V high0, high1, high2, high3;
};

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
