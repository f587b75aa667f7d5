// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/byte_alignment.h"

namespace kernscope::diff {

/// Whether a part of a weight stores the elements themselves: values, indices or kept values, which
/// are the same thing in two forms.
bool storesElements(const Weight &weight, const codec::Operand &operand);

/// Sets whether the elements of a segment are as wide on both sides, and how its bytes then lie:
/// AlignedSegment::otherwise and its units. `sectionA`, `sectionB`: the sections that it is made
/// of, indices into Bundle::sections().
void setWidths(const Bundle &a, std::size_t sectionA, const Bundle &b, std::size_t sectionB,
               AlignedSegment &segment);

} // namespace kernscope::diff
