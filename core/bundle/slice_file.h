// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/lanes/sparse.h"

/// Weights of any bundle as the slices of a hardware container, end to end: what
/// `section build --hwx-slices` and the window write.
namespace kernscope {

struct SliceOptions {
    bool leaveZeros = false;     ///< slices that leave zeros out
    std::uint64_t imageSide = 0; ///< larger side of the task's image; 0: above 8 pixels
    std::uint64_t lanes = 0;     ///< most channels of a group; 0: those of the law, or stored
};

/// A lane's slice of a weight, and where it is in the file.
struct SliceRow {
    std::string weight;
    std::size_t lane = 0;
    std::uint64_t offset = 0, bytes = 0;
};
struct SliceFile {
    std::vector<std::byte> bytes;
    std::vector<SliceRow> rows;
    std::string laws; ///< of their sizes, a line a weight
};

/// "H13 or H14": the generations whose slices are known.
std::string slicedTargets();
/// The order of a chip's slices, by its name. Errors: "section.build" where none is published.
Result<lanes::SparseForm> sliceForm(std::string_view target);
/// Errors: those of Bundle::decoder(), laneGeometry(), SliceLayout::make() and of the encoders.
Result<SliceFile> buildSlices(const Bundle &bundle, const std::vector<std::size_t> &weights,
                              const SliceOptions &options, lanes::SparseForm form);

} // namespace kernscope
