// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/section/builder.h"

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

} // namespace kernscope
