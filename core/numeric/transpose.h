// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Numbers that interleave in memory, brought into rows. Nothing outside the spans is read.
namespace kernscope {

/// out[row x step + column] = the two bytes at stored[column x columnBytes + 2 x row], for `rows`
/// rows and `columns` columns; bytes may lie at any address.
void turnHalves(std::span<const std::byte> stored, std::size_t columnBytes, std::size_t rows,
                std::size_t columns, std::uint16_t *out, std::size_t step);
/// The same past the caches: `columns` is a multiple of 32, `out` and `step` begin cache lines.
/// flushStream() is the caller's.
void turnHalvesPastCaches(std::span<const std::byte> stored, std::size_t columnBytes,
                          std::size_t rows, std::size_t columns, std::uint16_t *out,
                          std::size_t step);
} // namespace kernscope
