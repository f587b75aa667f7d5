// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/pending.h"

#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "core/patch/save/follow_hash.h"

namespace kernscope {

namespace patch {

void mergeRuns(std::vector<ByteRange> &runs, std::uint64_t gap)
{
    if (runs.empty())
        return;
    std::size_t last = 0;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        if (runs[i].offset.value - runs[last].end() < gap)
            runs[last].bytes = ByteCount(runs[i].end() - runs[last].offset.value);
        else
            runs[++last] = runs[i];
    }
    runs.resize(last + 1);
    runs.shrink_to_fit();
}

std::vector<ByteRange> rangesToWrite(const OverlaidFile &file)
{
    auto exact = file.changedRanges(1, kMostExactRuns + 1);
    if (exact.size() <= kMostExactRuns)
        return exact;
    std::vector<ByteRange> runs = file.changedRanges(kMergeGaps.front());
    for (const std::uint64_t gap : kMergeGaps) {
        if (gap != kMergeGaps.front())
            mergeRuns(runs, gap);
        if (runs.size() <= kMostExactRuns)
            break;
    }
    return runs;
}

} // namespace patch

std::vector<WrittenRange> pendingRanges(const Bundle &bundle)
{
    std::vector<WrittenRange> ranges;
    const auto follower = patch::followingFile(bundle);
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        const BundleFile &file = bundle.files()[i];
        if (follower == i) {
            ranges.push_back({file.path, {FileOffset(0), file.file->size()}});
            continue;
        }
        for (const ByteRange &range : patch::rangesToWrite(*file.file))
            ranges.push_back({file.path, range});
    }
    return ranges;
}

} // namespace kernscope
