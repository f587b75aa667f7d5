// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/floors.h"

#include "core/format/tables.h"

#include <vector>

namespace kernscope::target {

std::span<const FamilyFloor> familyFloors()
{
    static const std::vector<FamilyFloor> all = [] {
        std::vector<FamilyFloor> rows;
        const auto table = tables::load("family_floors");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            FamilyFloor row;
            row.floor = table->cell(i, "floor");
            if (const auto index = parseInteger(row.floor))
                row.index = static_cast<unsigned>(*index);
            row.family = table->cell(i, "family");
            row.operations = table->cell(i, "operations");
            row.source = table->cell(i, "source");
            row.note = table->cell(i, "note");
            row.confidence = format::confidenceFromName(table->cell(i, "confidence"));
            rows.push_back(std::move(row));
        }
        return rows;
    }();
    return all;
}

std::optional<bool> reachesFloor(const Target &target, const FamilyFloor &floor)
{
    if (!floor.index || !target.familyIndex)
        return std::nullopt;
    return *target.familyIndex >= *floor.index;
}

} // namespace kernscope::target
