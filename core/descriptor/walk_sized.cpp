// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks one behind the other, each with its own size (version 8 and later).
#include "core/base/little_endian.h"
#include "core/descriptor/walker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kernscope::descriptor {

/// A stream starts at a named place, or, where nothing is named, at a 16 KiB boundary that begins
/// with the words 1, 0, 0, 0.
bool Walker::startsStream(std::uint64_t offset) const
{
    const auto &starts = m_hints.streamStarts;
    if (!starts.empty())
        return std::any_of(starts.begin(), starts.end(),
                           [offset](const auto &start) { return start.first == offset; });
    if (offset % kStreamAlign != 0 || m_text.size() - offset < kSizedAlign)
        return false;
    constexpr std::array<std::uint32_t, 4> kPrefix{1, 0, 0, 0};
    for (std::size_t i = 0; i < kPrefix.size(); ++i) {
        if (loadLittle<std::uint32_t>(m_text, offset + 4 * i) != kPrefix[i])
            return false;
    }
    return true;
}

std::uint64_t Walker::sizedWords(std::uint64_t offset) const
{
    return m_text.size() - offset < 4 ? 0 : loadLittle<std::uint32_t>(m_text, offset) >> 16 & 0x7FF;
}

/// A task stands there and another one, or the end of the stream, behind it.
bool Walker::soundSized(std::uint64_t offset) const
{
    const std::uint64_t words = sizedWords(offset);
    if (words == 0 || !exactAt(offset, words, true))
        return false;
    const std::uint64_t next = offset + *checkedRoundUp(4 * words, kSizedAlign);
    if (next >= m_text.size() || startsStream(next))
        return true;
    const std::uint64_t behind = sizedWords(next);
    return behind == 0 || exactAt(next, behind, true);
}

/// No task: zeros between tasks and the words that begin a stream.
bool Walker::isFrame(std::uint64_t offset) const
{
    for (std::uint64_t at = offset + 4; at < offset + kSizedAlign && at + 4 <= m_text.size();
         at += 4) {
        if (loadLittle<std::uint32_t>(m_text, at) != 0)
            return false;
    }
    return sizedWords(offset) == 0;
}

bool Walker::mayFollow(std::uint64_t offset) const
{
    return offset >= m_text.size() || startsStream(offset) || isFrame(offset) ||
           exactAt(offset, sizedWords(offset));
}

/// Where the next task or stream stands behind a task whose size is wrong; the section's end where
/// that is near.
std::optional<std::uint64_t> Walker::foundSized(std::uint64_t offset) const
{
    for (std::uint64_t i = 1; i <= kSearched / kSizedAlign; ++i) {
        const std::uint64_t at = offset + i * kSizedAlign;
        if (at >= m_text.size())
            return m_text.size();
        if (m_searches == 0)
            return std::nullopt;
        --m_searches;
        if (startsStream(at) || soundSized(at))
            return at;
    }
    return std::nullopt;
}

/// End of a task in front of another: less the zeros between them, but for those that its records
/// need.
std::uint64_t Walker::endBefore(std::uint64_t offset, std::uint64_t next) const
{
    std::uint64_t end = next;
    while (end - offset >= 4 && loadLittle<std::uint32_t>(m_text, end - 4) == 0)
        end -= 4;
    for (std::uint64_t at = end; at <= next && at - end < 4 * kSizedAlign; at += 4) {
        if (exactAt(offset, (at - offset) / 4, true))
            return at;
    }
    return end;
}

/// Adds the task at `offset` and returns where the next one may stand. One whose size is wrong ends
/// where another is found, less the zeros between them; nothing where none is.
std::optional<std::uint64_t> Walker::addSized(std::uint64_t offset)
{
    const std::uint64_t words = sizedWords(offset);
    const bool fits = words >= m_version.headerWords && 4 * words <= m_text.size() - offset;
    const std::uint64_t stated = offset + *checkedRoundUp(4 * words, kSizedAlign);
    const bool exact = fits && exactAt(offset, words);
    if (exact && mayFollow(stated)) {
        add(offset, static_cast<std::uint32_t>(words));
        return stated;
    }
    const auto found = foundSized(offset);
    // Some of a task's records may end where a wrong size says: then all of them fit better.
    const bool better =
        exact && found && exactAt(offset, (endBefore(offset, *found) - offset) / 4, true);
    if (fits && (!found || *found == stated || (exact && !better))) {
        add(offset, static_cast<std::uint32_t>(words));
        return stated;
    }
    const std::uint64_t end = endBefore(offset, found.value_or(offset));
    report(Severity::Error, "descriptor.size", offset,
           found ? fmt::format("{} words, up to the next task that is found", (end - offset) / 4)
                 : fmt::format("{} words up to the end of the section", m_version.headerWords),
           fmt::format("{} words", words), "the task's size does not fit its section");
    if ((end - offset) / 4 >= m_version.headerWords)
        add(offset, static_cast<std::uint32_t>((end - offset) / 4));
    return found;
}

void Walker::walkSized()
{
    const auto nameAt = [this](std::uint64_t offset) {
        for (const auto &[start, name] : m_hints.streamStarts) {
            if (start == offset)
                return name;
        }
        return std::string();
    };
    m_list.streams.push_back({nameAt(0), 0, 0, 0});
    bool lost = false; // no task is found: what follows is found again where the next stream starts
    for (std::uint64_t offset = 0; offset + 4 <= m_text.size();) {
        if (offset % kSizedAlign == 0 && offset != 0 && startsStream(offset)) {
            m_list.streams.push_back({nameAt(offset), offset, m_list.tasks.size(), 0});
            lost = false;
        }
        const bool frame = isFrame(offset);
        const auto next = lost || frame ? std::nullopt : addSized(offset);
        lost = lost || (!frame && !next);
        offset = next.value_or(offset + kSizedAlign);
    }
}

} // namespace kernscope::descriptor
