// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/anec/field_at.h"

#include "core/container/anec/anec.h"

#include <fmt/format.h>

namespace kernscope::anec {

namespace {

constexpr std::string_view kFieldTable = "stored_fields";
constexpr std::uint64_t kTilesAt = 0x28, kTileBytes = 4, kShapesAt = kTilesAt + kTileBytes * kTiles,
                        kShapeBytes = 48;

std::optional<format::PlacedField> apertureField(std::string_view record, std::uint64_t table,
                                                 std::uint64_t step, FileOffset offset)
{
    const std::uint64_t number = (offset.value - table) / step;
    if (number >= kTiles)
        return std::nullopt;
    return format::placedField(kFieldTable, record, table + number * step, offset,
                               fmt::format("aperture {}", number));
}

} // namespace

std::optional<format::PlacedField> fieldAt(FileOffset offset)
{
    if (offset.value < kTilesAt)
        return format::placedField(kFieldTable, "anec header", 0, offset, "header");
    return offset.value < kShapesAt ? apertureField("anec aperture", kTilesAt, kTileBytes, offset)
                                    : apertureField("anec shape", kShapesAt, kShapeBytes, offset);
}

} // namespace kernscope::anec
