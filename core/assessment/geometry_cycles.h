// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/geometry.h"

namespace kernscope::decision {

/// Cycles of `macs` multiplications (empty: not known) on the cores that `geometry` lights.
CycleEstimate cyclesOf(const target::Target &target, const LayerOperation &operation,
                       const Geometry &geometry, const std::optional<std::uint64_t> &macs);

} // namespace kernscope::decision
