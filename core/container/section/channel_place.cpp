// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/channel_place.h"

#include <algorithm>

namespace kernscope::section {

ChannelPlace placeOf(const std::vector<lanes::Chunk> &chunks, std::uint64_t channel)
{
    const auto behind = std::upper_bound(
        chunks.begin(), chunks.end(), channel,
        [](std::uint64_t c, const lanes::Chunk &chunk) { return c < chunk.first; });
    ChannelPlace place;
    place.chunk = static_cast<std::uint64_t>(behind - chunks.begin()) - 1;
    const lanes::Chunk &chunk = chunks[place.chunk];
    place.core = (channel - chunk.first) / chunk.lanes;
    place.lane = (channel - chunk.first) % chunk.lanes;
    place.count = chunk.channelsOf(place.core);
    return place;
}

void noteChunks(codec::LayoutNotes &notes, const std::vector<lanes::Chunk> &chunks)
{
    notes.add(chunks.size());
    for (const lanes::Chunk &chunk : chunks) {
        notes.add(chunk.lanes);
        notes.add(chunk.channels);
    }
}

} // namespace kernscope::section
