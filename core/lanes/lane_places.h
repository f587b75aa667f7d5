// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/order_layout.h"
#include "core/lanes/lane_order.h"

#include <cstdint>
#include <optional>
#include <string>

/// Private to the lanes: where the slices of a weight lie, for all orders over them.
namespace kernscope::lanes {

/// "lanes.length".
Error placesError(std::string expected, std::string found);
/// Bytes that the operand must have. `dense`: each slice must hold what the layout says.
Result<std::uint64_t> extentOf(const SliceLayout &layout, const SlicePlaces &places, bool dense);
/// The slice that holds a byte of the operand, in its own place or a copy.
std::optional<LanePlace> sliceAt(const SlicePlaces &places, std::uint64_t engines,
                                 std::uint64_t byte);
void noteLayout(codec::LayoutNotes &notes, const SliceLayout &layout);

} // namespace kernscope::lanes
