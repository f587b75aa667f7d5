// SPDX-License-Identifier: GPL-3.0-or-later
// Vector unpacking of sub-byte codes (bitpack.h), shared by the kernels that use the codes at once.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_NUMERIC_UNPACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_NUMERIC_UNPACK_INL_H
#undef KERNSCOPE_NUMERIC_UNPACK_INL_H
#else
#define KERNSCOPE_NUMERIC_UNPACK_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of codes, one a byte: 16 or 32 of them, as the processor has it.
using CodeTag = hn::CappedTag<std::uint8_t, 32>;

/// Where the stored bytes of 16 codes go before they are shifted apart, by width. -1: zero.
/// 1 bit: each byte eight times; 2 and 4 bits: into the lowest byte of every 4 or 2;
/// 3 and 6 bits: the two or three bytes that hold four codes into every 4.
template <unsigned Width>
constexpr std::array<std::int8_t, 16> spreadOrder()
{
    if constexpr (Width == 1)
        return {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    else if constexpr (Width == 2)
        return {0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1};
    else if constexpr (Width == 3)
        return {0, 1, -1, -1, 1, 2, -1, -1, 3, 4, -1, -1, 4, 5, -1, -1};
    else if constexpr (Width == 4)
        return {0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7, -1};
    else
        return {0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1};
}

/// Bytes that unpackVector may read from `in` on: a whole 16 for each 16 codes.
template <unsigned Width>
HWY_INLINE std::size_t unpackReach()
{
    return (hn::Lanes(CodeTag()) / 16 - 1) * 2 * Width + 16;
}

/// Lanes(CodeTag()) codes of `Width` bits that start at the first bit of `in`.
template <unsigned Width>
HWY_INLINE hn::Vec<CodeTag> unpackVector(const std::uint8_t *HWY_RESTRICT in)
{
    const CodeTag d;
    const hn::Repartition<std::uint16_t, CodeTag> d16;
    const hn::Repartition<std::uint32_t, CodeTag> d32;
    const hn::FixedTag<std::uint8_t, 16> block;
    alignas(16) static constexpr std::array<std::int8_t, 16> kOrder = spreadOrder<Width>();
    const auto order = hn::LoadDup128(d, reinterpret_cast<const std::uint8_t *>(kOrder.data()));
#if HWY_MAX_BYTES >= 32
    const auto stored = hn::Combine(d, hn::LoadU(block, in + 2 * Width), hn::LoadU(block, in));
#else
    const auto stored = hn::LoadU(block, in);
#endif
    const auto spread = hn::TableLookupBytesOr0(stored, order);
    if constexpr (Width == 1) {
        alignas(16) static constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                               1, 2, 4, 8, 16, 32, 64, 128};
        const auto bits = hn::LoadDup128(d, kBits);
        return hn::And(hn::VecFromMask(d, hn::Eq(hn::And(spread, bits), bits)), hn::Set(d, 1));
    } else if constexpr (Width == 2) {
        const auto x = hn::BitCast(d32, spread);
        const auto all = hn::Or(hn::Or(x, hn::ShiftLeft<6>(x)),
                                hn::Or(hn::ShiftLeft<12>(x), hn::ShiftLeft<18>(x)));
        return hn::And(hn::BitCast(d, all), hn::Set(d, 3));
    } else if constexpr (Width == 4) {
        const auto x = hn::BitCast(d16, spread);
        return hn::And(hn::BitCast(d, hn::Or(x, hn::ShiftLeft<4>(x))), hn::Set(d, 15));
    } else {
        auto x = hn::BitCast(d32, spread);
        if constexpr (Width == 3) // every second one starts in the middle of a byte
            x = hn::OddEven(hn::ShiftRight<4>(x), x);
        constexpr std::uint32_t kMask = (1u << Width) - 1u;
        constexpr int kStep = 8 - static_cast<int>(Width);
        const auto pick = [&](auto shifted, int at) HWY_ATTR {
            return hn::And(shifted, hn::Set(d32, kMask << (8 * at)));
        };
        const auto low = hn::Or(pick(x, 0), pick(hn::ShiftLeft<kStep>(x), 1));
        const auto high =
            hn::Or(pick(hn::ShiftLeft<2 * kStep>(x), 2), pick(hn::ShiftLeft<3 * kStep>(x), 3));
        return hn::BitCast(d, hn::Or(low, high));
    }
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
