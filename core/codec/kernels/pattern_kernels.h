// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: n:m patterns, by vector instructions chosen at run time. All keep those of
/// the largest magnitude in fp16 (magnitudes are in the order of their bits, NaN above the rest)
/// and of equal ones the first. `keep` is at most the size of a group.
namespace kernscope::codec {

/// Whether keepInGroups has a kernel for groups of that many.
bool hasGroupKernel(std::size_t of);

/// Groups of `of` values (one that has a kernel), one after the other: mask and survivors, without
/// zeros, as by keepNonzero (keep_kernels.h). values.size() is a multiple of `of` and of 8.
std::size_t keepInGroups(std::span<const float> values, std::size_t of, std::size_t keep,
                         std::span<std::byte> mask, std::span<std::uint16_t> kept);

/// Groups of `of` values of any number, one after the other: halves, zero where they go.
/// values.size() is a multiple of `of`.
void zeroInGroups(std::span<const float> values, std::size_t of, std::size_t keep,
                  std::span<std::uint16_t> halves);

/// `width` groups side by side: element i of group j is values[i * width + j], and there are
/// values.size() / width in a group. Halves, zero where they go; behind them is room for 16 more.
void zeroInColumns(std::span<const float> values, std::size_t width, std::size_t keep,
                   std::span<std::uint16_t> halves);

} // namespace kernscope::codec
