// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/file_ranges.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/diff/byte_ranges.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernscope::diff {

namespace {

/// In order, neighbours joined, bounded.
void finishRanges(std::vector<ByteRange> &ranges, std::uint64_t size, bool &cut)
{
    std::sort(ranges.begin(), ranges.end(),
              [](const ByteRange &x, const ByteRange &y) { return x.offset < y.offset; });
    std::vector<ByteRange> joined;
    for (const ByteRange &range : ranges) {
        if (!joined.empty() && joined.back().end() == range.offset.value)
            joined.back().bytes.value += range.bytes.value;
        else
            joined.push_back(range);
    }
    if (joined.size() > FileDifference::kMaxRanges) {
        cut = true;
        joined.resize(FileDifference::kMaxRanges);
        joined.back().bytes = ByteCount(size - joined.back().offset.value);
    }
    ranges = std::move(joined);
}

void addRange(std::vector<ByteRange> &to, std::uint64_t first, std::uint64_t length)
{
    if (length > 0)
        to.push_back({FileOffset(first), ByteCount(length)});
}

} // namespace

bool FileRanges::find(FileDifference &file, const Progress *progress)
{
    if (!m_alignment)
        m_alignment.emplace(m_a, m_b, m_pairs);
    const auto bytesA = m_a.files()[file.a].file->bytes();
    const auto bytesB = m_b.files()[file.b].file->bytes();
    const auto &files = m_alignment->files();
    const auto aligned = std::find_if(files.begin(), files.end(), [&](const AlignedFile &each) {
        return each.a == file.a && each.b == file.b;
    });
    if (aligned == files.end()) {
        AlignedSegment whole;
        whole.lengthA = bytesA.size();
        whole.lengthB = bytesB.size();
        return add(file, whole, bytesA, bytesB, progress);
    }
    for (std::size_t s = aligned->firstSection; s < aligned->firstSection + aligned->sections;
         ++s) {
        const AlignedSection &section = m_alignment->sections()[s];
        for (std::size_t i = section.firstSegment; i < section.firstSegment + section.segments;
             ++i) {
            const AlignedSegment &segment = m_alignment->segments()[i];
            if (!add(file, segment, bytesA.subspan(segment.firstA, segment.lengthA),
                     bytesB.subspan(segment.firstB, segment.lengthB), progress))
                return false;
        }
    }
    finishRanges(file.ranges, bytesA.size(), file.rangesCut);
    finishRanges(file.rangesB, bytesB.size(), file.rangesCut);
    return true;
}

bool FileRanges::add(FileDifference &file, const AlignedSegment &segment,
                     std::span<const std::byte> a, std::span<const std::byte> b,
                     const Progress *progress) const
{
    if (segment.text && a.size() != b.size()) {
        const std::uint64_t trimmed = segment.prefix + segment.suffix;
        const std::uint64_t inA = a.size() - std::min<std::uint64_t>(a.size(), trimmed);
        const std::uint64_t inB = b.size() - std::min<std::uint64_t>(b.size(), trimmed);
        addRange(file.ranges, segment.firstA + segment.prefix, inA);
        addRange(file.rangesB, segment.firstB + segment.prefix, inB);
        file.tally += ByteTally::of(inA, inB);
        return true;
    }
    if (segment.otherwise) {
        addRange(file.ranges, segment.firstA, a.size());
        addRange(file.rangesB, segment.firstB, b.size());
        file.tally += ByteTally::of(a.size(), b.size());
        return true;
    }
    // The bytes were counted when the files were found to differ: here only a stop is looked for.
    const auto found = findDifferentBytes(a, b, FileDifference::kMaxRanges, nullptr);
    if (!found || (progress != nullptr && progress->cancelled()))
        return false;
    file.rangesCut = file.rangesCut || found->cut;
    file.tally += differentBytes(a, b);
    for (const ByteRange &range : found->ranges) {
        const std::uint64_t first = range.offset.value;
        const auto within = [&](std::uint64_t size) {
            return std::min(range.end(), size) - std::min(first, size);
        };
        addRange(file.ranges, segment.firstA + first, within(a.size()));
        addRange(file.rangesB, segment.firstB + first, within(b.size()));
    }
    return true;
}

} // namespace kernscope::diff
