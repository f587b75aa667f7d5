// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/order_layout.h"
#include "core/lanes/sparse.h"

namespace kernscope::lanes {

/// Where the slices of one weight lie in an operand's bytes.
struct SlicePlaces {
    std::vector<std::uint64_t> starts;  ///< by engine: byte offset of the slice
    std::vector<std::uint64_t> lengths; ///< by engine: its bytes
    /// Other places that hold the same slices, each as long as `starts`.
    std::vector<std::vector<std::uint64_t>> copies;
};

/// Order of the weights of dense slices. Errors: "lanes.length" where the places do not fit the
/// layout or leave 2^60 bytes.
Result<std::shared_ptr<const codec::ElementOrder>> weightOrder(const SliceLayout &layout,
                                                               SlicePlaces places);
/// Order of the biases; the layout must have them.
Result<std::shared_ptr<const codec::ElementOrder>> biasOrder(const SliceLayout &layout,
                                                             SlicePlaces places);
/// Order of the weights of slices that leave zeros out; bound() reads the rows. Its mask() are the
/// bits of the rows' mask bytes.
Result<std::shared_ptr<const codec::ElementOrder>>
sparseOrder(SparseForm form, const SliceLayout &layout, SlicePlaces places);
/// Order of their biases; the layout must have them, and `planes` be those of its slices.
Result<std::shared_ptr<const codec::ElementOrder>>
sparseBiasOrder(const SliceLayout &layout, const std::vector<SparsePlane> &planes,
                SlicePlaces places);
/// The slices in an operand's bytes; the places must fit both (as the orders check).
std::vector<std::span<const std::byte>>
slicesIn(std::span<const std::byte> bytes, const SliceLayout &layout, const SlicePlaces &places);

// Private to the lanes: where the slices of a weight lie, for all orders over them.

/// "lanes.length".
tl::unexpected<Error> placesError(std::string expected, std::string found);
/// Bytes that the operand must have. `dense`: each slice must hold what the layout says.
Result<std::uint64_t> extentOf(const SliceLayout &layout, const SlicePlaces &places, bool dense);
/// The slice that holds a byte of the operand, in its own place or a copy.
std::optional<LanePlace> sliceAt(const SlicePlaces &places, std::uint64_t engines,
                                 std::uint64_t byte);
void noteLayout(codec::LayoutNotes &notes, const SliceLayout &layout);

} // namespace kernscope::lanes
