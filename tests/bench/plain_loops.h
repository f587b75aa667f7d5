// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// The plainest C++ for each codec: what a program without this library would do.
namespace kernscope::bench {

void plainCopy(std::span<const std::byte> stored, std::span<std::uint16_t> out);
void plainPalette(std::span<const std::byte> indices, unsigned bits,
                  std::span<const std::uint16_t> table, std::size_t perTable,
                  std::span<std::uint16_t> out);
void plainSparse(std::span<const std::byte> mask, std::span<const std::uint16_t> values,
                 std::span<std::uint16_t> out);
/// `block` elements share a scale.
void plainScaled(std::span<const std::int8_t> codes, std::span<const std::uint16_t> scales,
                 std::size_t block, std::span<std::uint16_t> out);
void plainScaled4(std::span<const std::byte> nibbles, std::span<const std::uint16_t> scales,
                  std::size_t block, std::span<std::uint16_t> out);
void plainMicroscaled(std::span<const std::uint8_t> data, bool mxfp4,
                      std::span<const std::uint8_t> exponents, std::span<std::uint16_t> out);
/// Nearest of 16 given centres, by trying all of them.
void plainPaletteEncode(std::span<const float> values, std::span<const float> centres,
                        std::span<std::uint8_t> out);
/// Returns the survivors.
std::size_t plainSparseEncode(std::span<const float> values, float threshold,
                              std::span<std::byte> mask, std::span<std::uint16_t> survivors);
/// The threshold that keeps `count` values, by partial sorting, and then plainSparseEncode.
std::size_t plainDensityEncode(std::span<const float> values, std::size_t count,
                               std::span<std::byte> mask, std::span<std::uint16_t> survivors);
/// Rows of `row` values: the `keep` largest of every `of`, along the rows or from row to row.
std::size_t plainPatternEncode(std::span<const float> values, std::size_t row, std::size_t keep,
                               std::size_t of, bool alongRows, std::span<std::byte> mask,
                               std::span<std::uint16_t> survivors);
void plainAffineEncode(std::span<const float> values, std::size_t channel,
                       std::span<std::int8_t> codes, std::span<std::uint16_t> scales);

} // namespace kernscope::bench
