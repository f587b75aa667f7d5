// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lanes/layout.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernscope::lanes {

using Slice = std::vector<std::byte>;
using SliceSpans = std::span<const std::span<const std::byte>>;

/// Lays a weight out as slices, padding zero: fp16 bits, row-major [O, I, D, H, W], and one bias an
/// output channel (or none). Errors: "lanes.length" where `weights` or `bias` do
/// not have the layout's sizes.
Result<std::vector<Slice>> encodeSlices(const SliceLayout &layout,
                                        std::span<const std::uint16_t> weights,
                                        std::span<const std::uint16_t> bias);

/// Errors: "lanes.length".
Result<void> checkHalves(const SliceLayout &layout, std::span<const std::uint16_t> weights,
                         std::span<const std::uint16_t> bias);

} // namespace kernscope::lanes
