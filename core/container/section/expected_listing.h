// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/section/section.h"

#include <string>
#include <string_view>
#include <vector>

namespace kernscope::section {

/// A field in which a unit is not what a listing of kernel units says.
struct ListingDifference {
    std::string unit;            ///< "0: w core 2", by its place in the listing
    std::string section;         ///< "pal"; empty: of the unit itself
    std::string field;           ///< "count"
    std::string expected, found; ///< "absent" where one has no such section or unit
};

/// The kernel units of a text: listing 25.1, as a compiler prints it and `listing()` does. What
/// stands between units (tables of records) is left out. Errors: those of
/// format::parseKernelUnit(), "unit.syntax" where there is no unit.
Result<std::vector<format::KernelUnit>> parseListing(std::string_view text);

/// The units of a section beside those of a text, one by one in the order of `listing()`. Empty
/// where they are the same. Errors: those of parseListing().
Result<std::vector<ListingDifference>> compareListing(const WeightSection &section,
                                                      std::string_view text);

} // namespace kernscope::section
