// SPDX-License-Identifier: GPL-3.0-or-later
// Eight by eight numbers of two bytes, turned over their diagonal in registers.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_NUMERIC_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_NUMERIC_TRANSPOSE_INL_H
#undef KERNSCOPE_NUMERIC_TRANSPOSE_INL_H
#else
#define KERNSCOPE_NUMERIC_TRANSPOSE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using EightHalves = hn::FixedTag<std::uint16_t, 8>;

/// `load(column)` gives eight rows of a column; rows [first, first + rows) of the eight go to
/// out[row x step], eight columns each. `All`: these are all eight.
template <bool All, class Load>
HWY_INLINE void storeTurned(Load load, std::size_t first, std::size_t rows, std::uint16_t *out,
                            std::size_t step)
{
    const EightHalves d;
    const hn::FixedTag<std::uint32_t, 4> d32;
    const hn::FixedTag<std::uint64_t, 2> d64;
    const auto low16 = [&](auto a, auto b)
                           HWY_ATTR { return hn::BitCast(d32, hn::InterleaveLower(d, a, b)); };
    const auto high16 = [&](auto a, auto b)
                            HWY_ATTR { return hn::BitCast(d32, hn::InterleaveUpper(d, a, b)); };
    const auto c0 = load(0), c1 = load(1), c2 = load(2), c3 = load(3);
    const auto c4 = load(4), c5 = load(5), c6 = load(6), c7 = load(7);
    // Pairs of columns, rows 0 to 3 and 4 to 7; then fours of columns, two rows each.
    const auto a0 = low16(c0, c1), a1 = low16(c2, c3), a2 = low16(c4, c5), a3 = low16(c6, c7);
    const auto b0 = high16(c0, c1), b1 = high16(c2, c3), b2 = high16(c4, c5), b3 = high16(c6, c7);
    const auto low32 = [&](auto a, auto b)
                           HWY_ATTR { return hn::BitCast(d64, hn::InterleaveLower(d32, a, b)); };
    const auto high32 = [&](auto a, auto b)
                            HWY_ATTR { return hn::BitCast(d64, hn::InterleaveUpper(d32, a, b)); };
    const auto put = [&](auto both, std::size_t row) HWY_ATTR {
        // Unsigned differences: rows before `first` are past the others.
        if (All || row - first < rows)
            hn::StoreU(hn::BitCast(d, both), d, out + (All ? row : row - first) * step);
    };
    const auto store = [&](auto left, auto right, std::size_t row) HWY_ATTR {
        put(hn::InterleaveLower(d64, left, right), row);
        put(hn::InterleaveUpper(d64, left, right), row + 1);
    };
    store(low32(a0, a1), low32(a2, a3), 0);
    store(high32(a0, a1), high32(a2, a3), 2);
    store(low32(b0, b1), low32(b2, b3), 4);
    store(high32(b0, b1), high32(b2, b3), 6);
}

/// Elements of a cache line.
inline constexpr std::size_t kLineHalves = 32;

/// Rows of one line each, past the caches: `out` and `step` begin lines, as the block's rows do.
HWY_INLINE void streamRows(const std::uint16_t *block, std::size_t rows, std::uint16_t *out,
                           std::size_t step)
{
    const hn::CappedTag<std::uint16_t, kLineHalves> d;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t at = 0; at < kLineHalves; at += hn::Lanes(d))
            hn::Stream(hn::Load(d, block + row * kLineHalves + at), d, out + row * step + at);
    }
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
