// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/transpose.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numeric/transpose.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void turnEight(const std::uint8_t *in, std::size_t columnBytes, std::size_t rows,
                          std::uint16_t *out, std::size_t step)
{
    const EightHalves d;
    const hn::Repartition<std::uint8_t, EightHalves> d8;
    const auto load = [&](std::size_t column) HWY_ATTR {
        return hn::BitCast(d, hn::LoadU(d8, in + column * columnBytes));
    };
    if (rows == 8)
        storeTurned<true>(load, 0, 8, out, step);
    else
        storeTurned<false>(load, 0, rows, out, step);
}

/// `bytes`: how many may be read from `in` on. Eight rows at a time, also where there are fewer:
/// those past the last are read, as long as they lie in the bytes, and not stored.
void turnAll(const std::uint8_t *in, std::size_t bytes, std::size_t columnBytes, std::size_t rows,
             std::size_t columns, std::uint16_t *out, std::size_t step)
{
    constexpr std::size_t kFewRows = 2; // so few are read one by one
    std::size_t row = 0;
    for (; rows - row > kFewRows; row += std::min<std::size_t>(8, rows - row)) {
        const std::size_t some = std::min<std::size_t>(8, rows - row);
        std::size_t column = 0;
        for (; column + 8 <= columns &&
               (column + 7) * columnBytes + (row + 8) * sizeof(*out) <= bytes;
             column += 8)
            turnEight(in + column * columnBytes + row * sizeof(*out), columnBytes, some,
                      out + row * step + column, step);
        for (; column < columns; ++column) {
            for (std::size_t i = row; i < row + some; ++i)
                std::memcpy(out + i * step + column, in + column * columnBytes + i * sizeof(*out),
                            sizeof(*out));
        }
    }
    for (; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column)
            std::memcpy(out + row * step + column, in + column * columnBytes + row * sizeof(*out),
                        sizeof(*out));
    }
}

/// Past the caches, line by line; as many lines at a time as there is room for them on the way.
void turnLinesOf(const std::uint8_t *in, std::size_t bytes, std::size_t columnBytes,
                 std::size_t rows, std::size_t columns, std::uint16_t *out, std::size_t step)
{
    alignas(64) std::uint16_t block[8 * kLineHalves];
    for (std::size_t column = 0; column < columns; column += kLineHalves) {
        for (std::size_t row = 0; row < rows; row += 8) {
            const std::size_t from = column * columnBytes + row * sizeof(std::uint16_t);
            const std::size_t some = std::min<std::size_t>(8, rows - row);
            turnAll(in + from, bytes - from, columnBytes, some, kLineHalves, block, kLineHalves);
            streamRows(block, some, out + row * step + column, step);
        }
    }
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope {

HWY_EXPORT(turnAll);
HWY_EXPORT(turnLinesOf);

void turnHalves(std::span<const std::byte> stored, std::size_t columnBytes, std::size_t rows,
                std::size_t columns, std::uint16_t *out, std::size_t step)
{
    if (rows == 1 && columnBytes == sizeof(std::uint16_t))
        std::memcpy(out, stored.data(), columns * sizeof(std::uint16_t));
    else
        HWY_DYNAMIC_DISPATCH(turnAll)
    (reinterpret_cast<const std::uint8_t *>(stored.data()), stored.size(), columnBytes, rows,
     columns, out, step);
}

void turnHalvesPastCaches(std::span<const std::byte> stored, std::size_t columnBytes,
                          std::size_t rows, std::size_t columns, std::uint16_t *out,
                          std::size_t step)
{
    HWY_DYNAMIC_DISPATCH(turnLinesOf)
    (reinterpret_cast<const std::uint8_t *>(stored.data()), stored.size(), columnBytes, rows,
     columns, out, step);
}

} // namespace kernscope
#endif
