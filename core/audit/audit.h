// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/compare/limits.h"
#include "core/numeric/element_type.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A converted package held against the checkpoint that it was made from: are the stored weights
/// what their form makes of the checkpoint's values, and if not, which, where and how.
namespace kernscope::audit {

/// What is wrong with a weight. Names by kindName().
enum class Kind : std::uint8_t {
    NonFinite,      ///< elements that are not finite, where the checkpoint's are
    RowsZeroed,     ///< rows of zeros
    BlockScale,     ///< some blocks or rows by another factor
    OtherRows,      ///< some rows or blocks hold other values
    OtherElements,  ///< some elements hold other values
    ScalesShifted,  ///< each row or block has the scale of a neighbour
    ScaleMissing,   ///< the scales are all one
    ZeroPointSign,  ///< the zero points are added instead of subtracted, or left out
    RowsScaled,     ///< each row by a factor of its own that nothing explains
    Scaled,         ///< all by one factor
    NormGain,       ///< a batch norm was folded in without its gain
    NormFold,       ///< or without its variance or mean, or not at all
    NibblesSwapped, ///< codes of a byte in the other order
    CodesUnpacked,  ///< one code a byte, read as packed ones
    MaskShifted,    ///< the mask's bits stand elsewhere than the values that it keeps
    TablePermuted,  ///< entries of the table in another order
    GroupOrder,     ///< tables of other groups
    Transposed,     ///< axes exchanged
    Flipped,        ///< reversed along axes
    ChannelOrder,   ///< the same rows in another order
    Clipped,        ///< too small a scale: codes at the ends
    Swapped,        ///< the values of another tensor, whose place has those of this one
    Repeated,       ///< the values of another weight, stored twice
    OtherTensor,    ///< the values of another tensor of the checkpoint
    OtherValues,    ///< near, but not these values: another training step
    Unrelated,      ///< nothing to do with the checkpoint's values
    NotCompressed,  ///< dense, where the scheme of the package compresses it
    AboveBest,      ///< these values, further off than the form must be
};
/// "rows-zeroed", "scales-shifted", …
std::string_view kindName(Kind kind);

/// Rows (indices of axis 0) [first, end).
struct Rows {
    std::uint64_t first = 0, end = 0;
    friend bool operator==(const Rows &, const Rows &) = default;
};

/// A run of elements with one scale (or one row) that is wrong.
struct BadBlock {
    std::uint64_t row = 0, block = 0; ///< block: of the row, from 0
    std::uint64_t first = 0, end = 0; ///< columns: elements of the row
};

struct AuditOptions {
    /// A weight is at fault where its error is more than this times the best possible one.
    double limit = 1.5;
    bool exact = false; ///< the best possible error from all blocks, not from a sample
    DiffLimits rules;   ///< `auditLimit` goes over `limit`; weights to ignore are not audited
};

/// What is counted of a weight's values and codes, whatever it should hold.
struct StoredFigures {
    double subnormal = 0;        ///< share of elements that are not zero and below 2^-14 (of fp16)
    std::uint64_t equalRows = 0; ///< rows that equal an earlier one: of 16 elements, not constant
    std::optional<std::uint64_t> over240;     ///< codes of E4M3 that are finite and above 240
    std::optional<std::uint64_t> unusedCodes; ///< integers of 1, 2, 4 or 8 bits
};

/// How a weight was found to be a tensor of the checkpoint.
enum class PairedBy : std::uint8_t { Name, Values, Structure, Order, Remainder };
/// "name", "values", "structure", "order", "remainder".
std::string_view pairedByName(PairedBy how);

/// A weight and what it should hold.
struct AuditedWeight {
    std::size_t weight = 0;     ///< index into the package's weights
    std::string name;           ///< its address
    std::string checkpointName; ///< of the tensor; of joined ones of the first
    std::string transform;      ///< "as it is", "rows 0 to 95 of 288", "batch norm folded: …"
    PairedBy pairedBy = PairedBy::Name;

    double error = 0;        ///< relative RMSE: of the difference, over that of the checkpoint's
    double sampledError = 0; ///< the same of the elements that `bestPossible` is of
    double bestPossible = 0; ///< least relative RMSE of the stored form, of sampled blocks
    bool sampled = false;    ///< not all elements are in `bestPossible`
    double notNearest = 0;   ///< share of elements whose code is more than 0.1 steps from the
                             ///< nearest one (0.6 steps of the value), ends left out
    double atEnds = 0;       ///< share of codes at either end
    bool hasCodes = false;
    StoredFigures figures;

    std::optional<Kind> fault; ///< empty: sound
    std::string why;           ///< a sentence; of a sound one: why its error is above the limit
    std::vector<Rows> rows;    ///< where the fault is local
    std::vector<BadBlock> blocks;
    std::vector<std::vector<std::uint64_t>> elements; ///< places of single elements
    std::uint64_t wrongBlocks = 0;                    ///< of all, also those that are not listed
    double factor = 0;                                ///< of scaled ones; 0: there is none
};

/// A weight that nothing of the checkpoint corresponds to.
struct Unpaired {
    std::size_t weight = 0;
    std::string name, why;
};

struct AuditResult {
    std::vector<AuditedWeight> faulty; ///< worst first
    std::vector<AuditedWeight> sound;  ///< in the order of the package
    std::vector<Unpaired> unpaired;
    std::vector<std::string> missing; ///< tensors of the checkpoint that no weight holds
    std::string scheme;               ///< what the package says of its compression; empty: nothing
    double limit = 1.5;
    std::size_t unreadable = 0;  ///< weights of the package: nothing is said of the whole then
    std::size_t notCompared = 0; ///< compressed ones without a tensor, where some are missing

    bool comparable() const { return !faulty.empty() || (!sound.empty() && unreadable == 0); }
};

/// Takes the files' locks itself. Progress in elements of the package. Errors: "task.cancelled",
/// "audit.checkpoint" (nothing in it to compare with).
Result<AuditResult> auditPackage(const BundlePtr &package, const BundlePtr &checkpoint,
                                 const AuditOptions &options = {}, Progress *progress = nullptr);

} // namespace kernscope::audit
