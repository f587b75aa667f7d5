// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/audit/audit.h"
#include "core/audit/reference.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Private to the audit: which weight of a package should hold which tensor of the checkpoint.
namespace kernscope::audit {

/// A weight and the reference that it should hold.
struct Seat {
    std::size_t weight = 0;
    std::size_t reference = 0; ///< index into Seating::references
    PairedBy how = PairedBy::Name;
};

struct Seating {
    std::vector<FoldedNorm> norms;
    std::vector<Reference> references; ///< all that were considered
    std::vector<Seat> seats;           ///< in the order of the package
    std::vector<Unpaired> unpaired;
    std::vector<std::string> missing; ///< tensors that no weight holds
    std::size_t notCompared = 0; ///< compressed weights without a tensor, where some are missing

    /// References of as many elements in a like shape, other than one of the same tensor.
    std::vector<std::size_t> alike(std::size_t reference) const;
};

/// Pairs all at once, the surest first: by name, by values (each tensor once), parts of tensors and
/// joined ones, then what is left by the order of the program. The order also moves what holds the
/// values of a tensor whose place is elsewhere: a weight is to hold what belongs where it stands,
/// not what fits it best. Hold the files for reading.
Seating findSeats(const BundlePtr &package, const BundlePtr &checkpoint, Progress *progress);

} // namespace kernscope::audit
