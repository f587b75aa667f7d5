// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/codec/microscaled/microscaled.h"

/// The fractal layouts that the cube unit reads (resources/formats/numbers.md). Every function
/// works on bytes; the inverse of each gives the row-major bytes back.
namespace kernscope::codec {

/// NZ: boxes of 16 rows by 32 bytes, row-major inside, ordered column of boxes by column of boxes.
/// Rows are padded to 16 and bytes to 32 with zeros. Errors: "mx.length".
Result<std::vector<std::uint8_t>> toNz(std::span<const std::uint8_t> data, std::uint64_t rows,
                                       std::uint64_t bytesPerRow);
Result<std::vector<std::uint8_t>> fromNz(std::span<const std::uint8_t> nz, std::uint64_t rows,
                                         std::uint64_t bytesPerRow);

/// ZZ: boxes of [16][2] exponents, row-major inside and outside. Groups along the columns: rows are
/// padded to 16, the number of groups must be even. Groups along the rows: the transposed matrix,
/// rows / 32 must be even and the columns a multiple of 16. Errors: "mx.constraint", "mx.length".
Result<std::vector<std::uint8_t>> toZz(std::span<const std::uint8_t> exponents, MxAxis axis,
                                       std::uint64_t rows, std::uint64_t columns);
/// `rows` and `columns` are those of the matrix of numbers, as for toZz.
Result<std::vector<std::uint8_t>> fromZz(std::span<const std::uint8_t> zz, MxAxis axis,
                                         std::uint64_t rows, std::uint64_t columns);

/// Interleaved exponents of groups along the rows: [pair][column][2]; a missing second row is zero.
/// Errors: "mx.length".
Result<std::vector<std::uint8_t>> toInterleaved(std::span<const std::uint8_t> exponents,
                                                std::uint64_t rows, std::uint64_t columns);
Result<std::vector<std::uint8_t>> fromInterleaved(std::span<const std::uint8_t> interleaved,
                                                  std::uint64_t rows, std::uint64_t columns);

} // namespace kernscope::codec
