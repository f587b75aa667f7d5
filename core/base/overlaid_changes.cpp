// SPDX-License-Identifier: GPL-3.0-or-later
// What of a file differs from the disk.
#include "core/base/overlaid_file.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace kernscope {

std::vector<ByteRange> OverlaidFile::changedRanges(std::uint64_t gap, std::size_t most) const
{
    std::vector<ByteRange> ranges;
    for (const auto &[start, originals] : m_originals) {
        const auto now = block(start);
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (now[i] == originals.data[i])
                continue;
            const std::uint64_t at = start + i;
            if (!ranges.empty() && at - ranges.back().end() < gap)
                ranges.back().bytes = ByteCount(at + 1 - ranges.back().offset.value);
            else if (ranges.size() < most)
                ranges.push_back({FileOffset(at), ByteCount(1)});
            else
                return ranges;
        }
    }
    return ranges;
}

std::vector<ByteRange> OverlaidFile::changedBlocks() const
{
    std::vector<ByteRange> runs;
    for (const auto &[start, originals] : m_originals) {
        if (!runs.empty() && runs.back().end() == start)
            runs.back().bytes = ByteCount(runs.back().bytes.value + block(start).size());
        else
            runs.push_back({FileOffset(start), ByteCount(block(start).size())});
    }
    return runs;
}

bool OverlaidFile::changed(ByteRange range) const
{
    const std::uint64_t end =
        checkedAdd(range.offset.value, range.bytes.value).value_or(UINT64_MAX);
    const std::uint64_t first = range.offset.value / kOriginalBlock * kOriginalBlock;
    for (auto at = m_originals.lower_bound(first); at != m_originals.end() && at->first < end;
         ++at) {
        const auto now = block(at->first);
        const auto from =
            std::max(range.offset.value, at->first) - at->first; // both within the block
        const auto until = std::min<std::uint64_t>(end - at->first, now.size());
        if (from < until &&
            std::memcmp(now.data() + from, at->second.data + from, until - from) != 0)
            return true;
    }
    return false;
}

std::byte OverlaidFile::diskByte(FileOffset offset) const
{
    const auto at = m_originals.find(offset.value / kOriginalBlock * kOriginalBlock);
    return at == m_originals.end() ? m_bytes[offset.value]
                                   : at->second.data[offset.value - at->first];
}

void OverlaidFile::readDisk(FileOffset offset, std::span<std::byte> out) const
{
    const auto now = m_bytes.subspan(offset.value, out.size());
    std::copy(now.begin(), now.end(), out.begin());
    const std::uint64_t end = offset.value + out.size();
    const std::uint64_t first = offset.value / kOriginalBlock * kOriginalBlock;
    for (auto at = m_originals.lower_bound(first); at != m_originals.end() && at->first < end;
         ++at) {
        const std::uint64_t from = std::max(offset.value, at->first);
        const std::uint64_t until = std::min(end, at->first + block(at->first).size());
        std::copy(at->second.data + (from - at->first), at->second.data + (until - at->first),
                  out.begin() + static_cast<std::ptrdiff_t>(from - offset.value));
    }
}

std::optional<SharedBytes> OverlaidFile::sharedDisk(ByteRange range) const
{
    if (range.bytes.value == 0 || !fitsInside(range, size()))
        return std::nullopt;
    const std::uint64_t first = range.offset.value / kOriginalBlock * kOriginalBlock;
    const auto found = m_originals.find(first);
    if (found == m_originals.end())
        return std::nullopt;
    const Original &original = found->second;
    auto at = found;
    for (std::uint64_t start = first; start < range.end(); start += kOriginalBlock, ++at) {
        if (at == m_originals.end() || at->first != start || at->second.owner != original.owner ||
            at->second.data != original.data + (start - first))
            return std::nullopt;
    }
    return SharedBytes(original.owner, {original.data + (range.offset.value - first),
                                        static_cast<std::size_t>(range.bytes.value)});
}

void OverlaidFile::giveUp(ByteRange range)
{
    const std::unique_lock lock(m_mutex);
    const std::uint64_t first =
        (range.offset.value + kOriginalBlock - 1) / kOriginalBlock * kOriginalBlock;
    const std::uint64_t end = range.end() / kOriginalBlock * kOriginalBlock;
    if (first >= end || !m_mapping.mapped())
        return;
    m_originals.erase(m_originals.lower_bound(first), m_originals.lower_bound(end));
    m_mapping.giveUp(first, end - first);
}

} // namespace kernscope
