// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"

namespace kernscope::diff {

/// Whether the same stored bytes of all operands are the same decoded values: the same steps along
/// the same axes, operands of the same types and shapes, and elements that lie in the same order.
/// False where that cannot be told.
bool sameDecoding(const codec::Encoding &a, const codec::Encoding &b);

} // namespace kernscope::diff
