// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/audit/audit.h"
#include "core/audit/reference.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Private to the audit: which weight of a package should hold which tensor of the checkpoint, the
/// names of the tensors, and the order in which a program reads them.
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
    std::vector<std::string> missing;      ///< tensors that no weight holds
    std::vector<std::size_t> missingParts; ///< references: of tensors whose other rows are held
    std::size_t notCompared = 0; ///< compressed weights without a tensor, where some are missing

    /// References of as many elements in a like shape, other than one of the same tensor.
    std::vector<std::size_t> alike(std::size_t reference) const;
};

/// Pairs all at once, the surest first: by name, by values (each tensor once), parts of tensors and
/// joined ones, then what is left by the order of the program. The order also moves what holds the
/// values of a tensor whose place is elsewhere: a weight is to hold what belongs where it stands,
/// not what fits it best. Hold the files for reading.
Seating findSeats(const BundlePtr &package, const BundlePtr &checkpoint, Progress *progress);

/// Least distance of a weight of the package from a reference (index), as it is now.
using Nearest = std::function<double(std::size_t)>;
/// The epsilon of the batch norms: the one with which folded weights fit best, of those in use; and
/// along which axis a transposed convolution that may have either is folded.
void fitEpsilon(const Bundle &checkpoint, Seating &seating, const Nearest &nearest);
/// References that no weight holds because each batch norm is folded into its layer or is an
/// operation of its own: by the values, and where those fit neither way, as most of the package.
/// `tensors`: the first one of each reference.
std::vector<std::size_t> unusedByFolding(const Seating &seating,
                                         const std::vector<std::size_t> &tensors,
                                         const Nearest &nearest);

/// Fills in `missing` and `missingParts`. `tensors`: the first one of each reference; `holders`:
/// its weight, or kNoIndex.
void findMissing(const Bundle &checkpoint, const std::vector<std::size_t> &tensors,
                 const std::vector<std::size_t> &holders, Seating &seating);

/// A dotted name as converters write it.
std::string programName(std::string_view name);
/// Without what converters append.
std::string plainName(std::string name);
/// "weight" of "weight_7"; empty where there is no number.
std::string withoutNumber(const std::string &name);

/// Whether the plain name of a weight has the part in which the dotted name `other` differs from
/// that of the tensor that it holds, with the part before, and not the tensor's: "layers_1".
bool namesOther(const std::string &name, std::string_view held, std::string_view other);

/// Ranks of dotted names in the order in which a program is expected to read them: numbers count
/// upwards unless most places are the other way round, other siblings as they mostly stand in the
/// program. `positions` of the names, as far as they are known; not negative.
std::vector<std::size_t> expectedOrder(std::span<const std::string> names,
                                       std::span<const std::optional<double>> positions);

/// Names (two indices each) of parts that two numbered layers have exchanged: their other modules
/// stand in one order, and each of these is among the others of the other layer.
std::vector<std::pair<std::size_t, std::size_t>>
exchangedParts(std::span<const std::string> names,
               std::span<const std::optional<double>> positions);

/// Whether the program reads a matrix as [inputs, outputs]; nothing of what no product reads.
std::optional<bool> inputsFirst(const Weight &weight);

/// Where each weight is first read by the program, through what only moves its elements; empty
/// where it is not.
std::vector<std::optional<double>> positionsOf(const BundlePtr &package);

} // namespace kernscope::audit
