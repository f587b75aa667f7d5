// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/order_layout.h"

namespace kernscope {

/// Elements of `width` bits that lie one behind the other in pieces of a file, each a whole number
/// of elements.
std::shared_ptr<const codec::ElementOrder> pieceOrder(const std::vector<ByteRange> &pieces,
                                                      unsigned width);

} // namespace kernscope
