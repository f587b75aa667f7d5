// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/section/builder.h"
#include "core/lanes/sparse.h"

namespace kernscope {

/// What a section's builder asks about a weight: its geometry (axis 0 are the output channels; the
/// groups are the consumer's), the law that deals its channels, its bias where the bundle keeps
/// one beside it. `decoder` must outlive the result. Errors: "section.build" (no axis, more than
/// five), those of Bundle::decoder for the bias.
Result<section::BuildWeight> sectionWeight(const Bundle &bundle, std::size_t weight,
                                           const codec::Decoder &decoder);

/// Geometry alone. Errors: "section.build".
Result<lanes::WeightExtents> laneGeometry(const Weight &weight);
/// The law by the weight's consumer and groups.
lanes::Law laneLaw(const Weight &weight, const lanes::WeightExtents &geometry);
/// The bias that the bundle keeps beside a weight of a container or section; kNoIndex where none.
std::size_t biasOf(const Bundle &bundle, std::size_t weight);

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
