// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/microscaled_layout.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"

#include <optional>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

using Bytes = std::vector<std::uint8_t>;

Error lengthFault(std::string_view field, std::uint64_t expected, std::uint64_t found)
{
    return ErrorBuilder("mx.length")
        .field(field)
        .expected(fmt::format("{} bytes", expected))
        .found(fmt::format("{} bytes", found))
        .message(fmt::format("the {} do not have the length of the matrix", field));
}

Result<void> requireLength(std::string_view field, std::optional<std::uint64_t> expected,
                           std::uint64_t found)
{
    if (expected && *expected == found)
        return {};
    return tl::unexpected(lengthFault(field, expected.value_or(UINT64_MAX), found));
}

std::optional<std::uint64_t> nzBytes(std::uint64_t rows, std::uint64_t bytesPerRow)
{
    const auto paddedRows = checkedRoundUp(rows, 16);
    const auto paddedBytes = checkedRoundUp(bytesPerRow, 32);
    if (!paddedRows || !paddedBytes)
        return std::nullopt;
    return checkedMultiply(*paddedRows, *paddedBytes);
}

/// Calls `each(row-major offset, NZ offset, bytes)` for every run of at most 32 bytes of a row.
template <class Each>
void forEachNzRun(std::uint64_t rows, std::uint64_t bytesPerRow, Each each)
{
    const std::uint64_t paddedRows = (rows + 15) / 16 * 16;
    for (std::uint64_t box = 0; box * 32 < bytesPerRow; ++box) {
        const std::uint64_t count = std::min<std::uint64_t>(32, bytesPerRow - box * 32);
        for (std::uint64_t r = 0; r < rows; ++r)
            each(r * bytesPerRow + box * 32, (box * paddedRows + r) * 32, count);
    }
}

/// The matrix of exponents as ZZ sees it: `lines` of 16 a box, `pairs` of two within a line.
struct ZzShape {
    std::uint64_t lines = 0;       ///< rows of the matrix (axis 1) or its columns (axis 0)
    std::uint64_t across = 0;      ///< groups within a line, an even number
    std::uint64_t lineStride = 0;  ///< in the row-major exponents
    std::uint64_t groupStride = 0; ///< in the row-major exponents

    std::uint64_t paddedLines() const { return (lines + 15) / 16 * 16; }
    std::uint64_t zzOffset(std::uint64_t line, std::uint64_t group) const
    {
        return (line / 16 * (across / 2) + group / 2) * 32 + line % 16 * 2 + group % 2;
    }
};

Error constraintFault(std::string_view field, std::string required, std::string found)
{
    return ErrorBuilder("mx.constraint")
        .field(field)
        .expected(std::move(required))
        .found(std::move(found))
        .message("the exponents of this shape have no ZZ layout");
}

Result<ZzShape> zzShape(MxAxis axis, std::uint64_t rows, std::uint64_t columns)
{
    if (!checkedMultiply(rows, columns))
        return tl::unexpected(constraintFault("shape", "M * N within 64 bits", "more"));
    if (axis == MxAxis::Columns) {
        if (columns % 64 != 0)
            return tl::unexpected(
                constraintFault("ZZ columns", "N mod 64 = 0", fmt::format("N = {}", columns)));
        return ZzShape{rows, columns / kMxGroup, columns / kMxGroup, 1};
    }
    if (rows % 64 != 0)
        return tl::unexpected(
            constraintFault("ZZ rows", "M mod 64 = 0", fmt::format("M = {}", rows)));
    if (columns % 16 != 0)
        return tl::unexpected(
            constraintFault("ZZ columns", "N mod 16 = 0", fmt::format("N = {}", columns)));
    return ZzShape{columns, rows / kMxGroup, 1, columns};
}

} // namespace

Result<Bytes> toNz(std::span<const std::uint8_t> data, std::uint64_t rows,
                   std::uint64_t bytesPerRow)
{
    const auto size = nzBytes(rows, bytesPerRow);
    const auto expected = size ? checkedMultiply(rows, bytesPerRow) : std::nullopt;
    if (auto fits = requireLength("data", expected, data.size()); !fits)
        return tl::unexpected(fits.error());
    Bytes nz(*size, 0);
    forEachNzRun(rows, bytesPerRow,
                 [&](std::uint64_t plain, std::uint64_t boxed, std::uint64_t count) {
                     std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(plain), count,
                                 nz.begin() + static_cast<std::ptrdiff_t>(boxed));
                 });
    return nz;
}

Result<Bytes> fromNz(std::span<const std::uint8_t> nz, std::uint64_t rows,
                     std::uint64_t bytesPerRow)
{
    if (auto fits = requireLength("NZ data", nzBytes(rows, bytesPerRow), nz.size()); !fits)
        return tl::unexpected(fits.error());
    Bytes data(rows * bytesPerRow, 0);
    forEachNzRun(rows, bytesPerRow,
                 [&](std::uint64_t plain, std::uint64_t boxed, std::uint64_t count) {
                     std::copy_n(nz.begin() + static_cast<std::ptrdiff_t>(boxed), count,
                                 data.begin() + static_cast<std::ptrdiff_t>(plain));
                 });
    return data;
}

Result<Bytes> toZz(std::span<const std::uint8_t> exponents, MxAxis axis, std::uint64_t rows,
                   std::uint64_t columns)
{
    const auto shape = zzShape(axis, rows, columns);
    if (!shape)
        return tl::unexpected(shape.error());
    if (auto fits = requireLength("exponents", shape->lines * shape->across, exponents.size());
        !fits)
        return tl::unexpected(fits.error());
    Bytes zz(shape->paddedLines() * shape->across, 0);
    for (std::uint64_t line = 0; line < shape->lines; ++line) {
        for (std::uint64_t group = 0; group < shape->across; ++group)
            zz[shape->zzOffset(line, group)] =
                exponents[line * shape->lineStride + group * shape->groupStride];
    }
    return zz;
}

Result<Bytes> fromZz(std::span<const std::uint8_t> zz, MxAxis axis, std::uint64_t rows,
                     std::uint64_t columns)
{
    const auto shape = zzShape(axis, rows, columns);
    if (!shape)
        return tl::unexpected(shape.error());
    if (auto fits = requireLength("ZZ exponents", shape->paddedLines() * shape->across, zz.size());
        !fits)
        return tl::unexpected(fits.error());
    Bytes exponents(shape->lines * shape->across, 0);
    for (std::uint64_t line = 0; line < shape->lines; ++line) {
        for (std::uint64_t group = 0; group < shape->across; ++group)
            exponents[line * shape->lineStride + group * shape->groupStride] =
                zz[shape->zzOffset(line, group)];
    }
    return exponents;
}

Result<Bytes> toInterleaved(std::span<const std::uint8_t> exponents, std::uint64_t rows,
                            std::uint64_t columns)
{
    const std::uint64_t groups = rows / kMxGroup;
    if (auto fits = requireLength("exponents", checkedMultiply(groups, columns), exponents.size());
        !fits)
        return tl::unexpected(fits.error());
    Bytes out((groups + 1) / 2 * 2 * columns, 0);
    for (std::uint64_t group = 0; group < groups; ++group) {
        for (std::uint64_t c = 0; c < columns; ++c)
            out[2 * columns * (group / 2) + 2 * c + group % 2] = exponents[group * columns + c];
    }
    return out;
}

Result<Bytes> fromInterleaved(std::span<const std::uint8_t> interleaved, std::uint64_t rows,
                              std::uint64_t columns)
{
    const std::uint64_t groups = rows / kMxGroup;
    if (auto fits =
            requireLength("interleaved exponents", checkedMultiply((groups + 1) / 2 * 2, columns),
                          interleaved.size());
        !fits)
        return tl::unexpected(fits.error());
    Bytes exponents(groups * columns, 0);
    for (std::uint64_t group = 0; group < groups; ++group) {
        for (std::uint64_t c = 0; c < columns; ++c)
            exponents[group * columns + c] =
                interleaved[2 * columns * (group / 2) + 2 * c + group % 2];
    }
    return exponents;
}

} // namespace kernscope::codec
