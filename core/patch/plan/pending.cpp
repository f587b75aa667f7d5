// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/pending.h"

#include "core/patch/patch.h"

#include <algorithm>

namespace kernscope {

namespace patch {

std::vector<ByteRange> rangesToWrite(const OverlaidFile &file)
{
    std::vector<ByteRange> ranges = file.changedRanges();
    if (ranges.size() <= kMostExactRuns)
        return ranges;
    std::size_t last = 0;
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].offset.value - ranges[last].end() < kMergeGap)
            ranges[last].bytes = ByteCount(ranges[i].end() - ranges[last].offset.value);
        else
            ranges[++last] = ranges[i];
    }
    ranges.resize(last + 1);
    ranges.shrink_to_fit();
    return ranges;
}

std::vector<std::byte> bytesOnDisk(const OverlaidFile &file, ByteRange range)
{
    if (const auto run = file.diskBytes(range); run.size() == range.bytes.value)
        return {run.begin(), run.end()};
    const auto now = file.bytes().subspan(range.offset.value, range.bytes.value);
    std::vector<std::byte> bytes(now.begin(), now.end());
    for (std::uint64_t i = 0; i < bytes.size(); ++i) {
        if (file.changed({FileOffset(range.offset.value + i), ByteCount(1)}))
            bytes[i] = file.diskByte(FileOffset(range.offset.value + i));
    }
    return bytes;
}

} // namespace patch

std::vector<WrittenRange> pendingRanges(const Bundle &bundle)
{
    std::vector<WrittenRange> ranges;
    for (const BundleFile &file : bundle.files()) {
        for (const ByteRange &range : patch::rangesToWrite(*file.file))
            ranges.push_back({file.path, range});
    }
    return ranges;
}

} // namespace kernscope
