// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/codebook_match.h"
#include "core/diff/worst_places.h"
#include "core/report/column.h"

#include <cstdint>
#include <string>
#include <vector>

/// Where the weights of a pair differ: by channel, by element and by entry of a codebook, as
/// `diff --worst` and `diff --codebooks` and the docks of the window list them.
namespace kernscope::report {

const TableOf<ChannelDifference> &channelTable();

/// An element with its value on either side.
struct ElementFacts {
    ElementPair pair;
    std::vector<std::uint64_t> place;     ///< its index along every axis
    ElementType type = ElementType::Fp16; ///< of A: what a ULP is
    bool operator==(const ElementFacts &) const = default;
};
/// `shape` and `type` are those of A; of a part those of the part.
std::vector<ElementFacts> elementRows(const WorstPlaces &worst, const Shape &shape,
                                      ElementType type);
const TableOf<ElementFacts> &elementTable();

/// An entry of a codebook of A with what its elements take in B.
struct EntryFacts {
    const CodebookMatch *match = nullptr;
    std::size_t entry = 0;

    const EntryMatch &get() const { return match->entries[entry]; }
};
std::vector<EntryFacts> entryRows(const CodebookMatch &match);
const TableOf<EntryFacts> &entryTable();

} // namespace kernscope::report
