// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

#include <optional>
#include <span>
#include <string>

namespace kernscope::target {

/// The lowest family on which some operations are legal, MinimumFamily<N> of the compiler
/// (chapter 36; resources/tables/family_floors.csv).
struct FamilyFloor {
    std::string floor;             ///< as the source has it: "5", "5 to 7"
    std::optional<unsigned> index; ///< N; empty where a row is about several
    std::string family;            ///< "A16"
    std::string operations, source, note;
    Confidence confidence = Confidence::Documented;
};
std::span<const FamilyFloor> familyFloors();
/// Whether a target's family is at or above the floor; empty where one of them is not known.
std::optional<bool> reachesFloor(const Target &target, const FamilyFloor &floor);

} // namespace kernscope::target
