// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/cases.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kernscope::bench {

/// Decoders of vectors of codebooks and of the slices of engines, into `out`.
std::vector<Case> orderCases(std::span<std::uint16_t> out);

} // namespace kernscope::bench
