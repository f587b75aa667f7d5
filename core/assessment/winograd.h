// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/geometry.h"

namespace kernscope::decision {

/// CanUseWinogradMode, table 20.4, for an operation with that group size and buffering.
WinogradGate winogradGate(const target::Target &target, const LayerOperation &operation,
                          std::uint64_t group, Buffering buffering);

} // namespace kernscope::decision
