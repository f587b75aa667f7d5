// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "core/report/column.h"

#include <cstdint>
#include <string>
#include <vector>

/// The output-channel groups of a weight, as the window lists them.
namespace kernscope::report {

/// One output-channel group: a record of one core of a weight section, or what one engine core of
/// a hardware container loads (a plane of its slice, or the whole slice).
struct GroupRow {
    std::size_t unit = 0;
    std::uint64_t core = 0, record = 0;
    std::uint64_t firstChannel = 0, channels = 0; ///< channels: all in `runs`
    std::vector<ChannelRun> runs;                 ///< empty where the channels are not known
    std::uint64_t codebook = 0;
    std::uint64_t copy = 0;               ///< of the slices, for a further stream; 0: none
    bool copied = false;                  ///< the weight's slices have copies
    std::uint64_t recordOffset = 0;       ///< of the 56 bytes of the record in the file
    ByteRange bytes;                      ///< of its coefficients; empty where a mask mixes them
    std::vector<std::uint32_t> addresses; ///< words 2 to 11; empty for a hardware container
};
/// The groups of one weight: of a section by chunk and then core, of a container by lane and then
/// plane, then the copies for further streams in the same order; empty where it has none.
std::vector<GroupRow> groupRows(const Bundle &bundle, std::size_t weight);
/// "0 to 3, 64 to 67"; "not known" and "none" where that is so.
std::string channelsText(const GroupRow &row);
/// Core, channels, bytes; of a weight section also codebook and slots.
const TableOf<GroupRow> &groupTable();

} // namespace kernscope::report
