// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/geometry.h"

namespace kernscope::decision {

/// Cycles of `macs` multiplications (empty: not known) on the cores that `geometry` lights.
CycleEstimate cyclesOf(const target::Target &target, const LayerOperation &operation,
                       const Geometry &geometry, const std::optional<std::uint64_t> &macs);

/// Of the products of a window with its input along one axis, the share that meets an element and
/// not the padding; empty where an extent is 0. `before`: places before the first element.
std::optional<double> insideShare(std::uint64_t input, std::uint64_t output, std::uint64_t kernel,
                                  std::uint64_t stride, std::uint64_t dilation,
                                  std::uint64_t before);
/// The same of padding "same" (or "same_lower", which pads more before): how many places are before
/// the first element.
std::uint64_t samePadding(std::uint64_t input, std::uint64_t output, std::uint64_t kernel,
                          std::uint64_t stride, std::uint64_t dilation, bool lower = false);
/// The share of implicit zeros of an operation of which only its numbers are known: as with padding
/// "same" and an input of each output extent times its stride.
std::optional<double> samePaddedZero(const LayerOperation &operation);

} // namespace kernscope::decision
