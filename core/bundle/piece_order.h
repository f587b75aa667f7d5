// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/order_layout.h"

namespace kernscope {

/// Elements of `width` bits that lie one behind the other in pieces of a file, each a whole number
/// of elements. `lockReason` says why they are not edited; empty where they may be.
std::shared_ptr<const codec::ElementOrder> pieceOrder(const std::vector<ByteRange> &pieces,
                                                      unsigned width, std::string lockReason);

/// `order` with its edits refused for a reason.
std::shared_ptr<const codec::ElementOrder>
lockedOrder(std::shared_ptr<const codec::ElementOrder> order, std::string reason);

} // namespace kernscope
