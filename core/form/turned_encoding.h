// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"

namespace kernscope::codec {

/// The operand read with its axes permuted; axes beyond the permutation stay. Of palette indices
/// `books` says the codebooks along each axis, as read; empty: one.
Operand permutedOperand(Operand operand, std::vector<std::size_t> axes, const Shape &books = {});

/// Permutes the axes of what an encoding makes: of its payload, mask, codebooks and tables, whose
/// operands get orders; axis i of the result is axis `axes[i]` of what was made. False where it has
/// vectors, or parts that do not lie as the whole does; it is then of no use.
bool turnAxes(Encoding &encoding, const std::vector<std::size_t> &axes);

} // namespace kernscope::codec
