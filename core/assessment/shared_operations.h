// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"
#include "core/bundle/bundle_fwd.h"

#include <vector>

namespace kernscope {

/// Of an operation that reads several weights (both operands of a matmul or einsum, the weights of
/// an lstm, gru or rnn, query, key and value of an attention), one layer has what the operation has
/// once: its activations, and the arithmetic of a product of two weights. So what layers add up to
/// is what the operations do. Operations are told by function, type and name; those of the same
/// name in one function are left as they are.
void shareOperations(const Bundle &bundle, std::vector<roofline::Layer> &layers);

} // namespace kernscope
