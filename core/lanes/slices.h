// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lanes/layout.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernscope::lanes {

/// fp16 bits of a weight, row-major [O, I, D, H, W], and one bias an output channel (or none).
struct Halves {
    std::vector<std::uint16_t> weights, bias;
};

using Slice = std::vector<std::byte>;
using SliceSpans = std::span<const std::span<const std::byte>>;

/// Lays a weight out as slices, padding zero. Errors: "lanes.length" where `weights` or `bias` do
/// not have the layout's sizes.
Result<std::vector<Slice>> encodeSlices(const SliceLayout &layout,
                                        std::span<const std::uint16_t> weights,
                                        std::span<const std::uint16_t> bias);

/// Reads slices, one an engine; they may be longer than the layout asks for.
/// Errors: "lanes.length" (a slice missing or too short).
Result<Halves> decodeSlices(const SliceLayout &layout, SliceSpans slices);

/// True where every byte of the slices that holds no number is zero, as the compilers leave it.
/// Only then do decoding and encoding give the same bytes.
bool paddingIsZero(const SliceLayout &layout, SliceSpans slices);

/// Errors: "lanes.length".
Result<void> checkHalves(const SliceLayout &layout, std::span<const std::uint16_t> weights,
                         std::span<const std::uint16_t> bias);

} // namespace kernscope::lanes
