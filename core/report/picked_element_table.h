// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/diff/stored_element.h"
#include "core/report/column.h"

#include <cstdint>
#include <vector>

/// One element as both builds store it: a row a fact, a column a build.
namespace kernscope::report {

struct PickedSide {
    const Bundle *bundle = nullptr; ///< null where the side has no such weight
    std::size_t weight = 0;
    std::uint64_t element = 0;             ///< its number in that weight
    const StoredElement *stored = nullptr; ///< null where the side does not have it
};

struct PickedFact {
    Value what, a, b;
};
/// Value, code, codebook entry, bytes and their place; how far the two are apart where they are
/// `comparable`.
std::vector<PickedFact> pickedElementRows(const PickedSide &a, const PickedSide &b,
                                          bool comparable);
const TableOf<PickedFact> &pickedElementTable();

} // namespace kernscope::report
