// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/floors.h"

#include "core/format/table_rows.h"

#include <vector>

namespace kernscope::target {

std::span<const FamilyFloor> familyFloors()
{
    static const auto all =
        tables::loadRows<FamilyFloor>("family_floors", {{"floor", &FamilyFloor::floor},
                                                        {"floor", &FamilyFloor::index},
                                                        {"family", &FamilyFloor::family},
                                                        {"operations", &FamilyFloor::operations},
                                                        {"source", &FamilyFloor::source},
                                                        {"note", &FamilyFloor::note},
                                                        {"confidence", &FamilyFloor::confidence}});
    return all;
}

std::optional<bool> reachesFloor(const Target &target, const FamilyFloor &floor)
{
    if (!floor.index || !target.familyIndex)
        return std::nullopt;
    return *target.familyIndex >= *floor.index;
}

} // namespace kernscope::target
