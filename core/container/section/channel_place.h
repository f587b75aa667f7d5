// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/order_layout.h"
#include "core/lanes/deal.h"

#include <cstdint>
#include <vector>

/// Private to the weight sections: where the channels of a group lie.
namespace kernscope::section {

/// Which core, record and lane make an output channel.
struct ChannelPlace {
    std::uint64_t chunk = 0, core = 0, lane = 0;
    std::uint64_t count = 1; ///< channels of that record
};

/// The channel must exist.
ChannelPlace placeOf(const std::vector<lanes::Chunk> &chunks, std::uint64_t channel);
void noteChunks(codec::LayoutNotes &notes, const std::vector<lanes::Chunk> &chunks);

} // namespace kernscope::section
