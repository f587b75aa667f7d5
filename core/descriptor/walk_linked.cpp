// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of tasks that name the next one's place (versions 5 to 7).
#include "core/base/little_endian.h"
#include "core/descriptor/walker.h"

#include <fmt/format.h>

namespace kernscope::descriptor {

/// A task of the stated size stands there, or, on a boundary, one whose size is damaged: its
/// records go up to a zero word.
bool Walker::linkedAt(std::uint64_t offset, std::uint32_t words) const
{
    if (exactAt(offset, words))
        return true;
    return offset % kLinkedAlign == 0 && offset <= m_text.size() &&
           exactAt(offset, unstatedWords(offset), true);
}

/// The first boundary from `from` on that has a task, of the size that is stated or as its records
/// say: for a list whose next offset is wrong.
std::optional<std::uint64_t> Walker::foundLinked(std::uint64_t from, std::uint32_t words) const
{
    std::uint64_t at = checkedRoundUp(from, kLinkedAlign).value_or(m_text.size());
    for (std::uint64_t i = 0; i < kSearched / kLinkedAlign && at < m_text.size(); ++i) {
        if (m_text.size() - at < 4ULL * m_version.headerWords || m_searches == 0)
            return std::nullopt;
        --m_searches;
        if (linkedAt(at, words))
            return at;
        at += kLinkedAlign;
    }
    return std::nullopt;
}

/// Where the program says that the list begins, or, where no task stands there, the first one.
std::uint64_t Walker::firstLinked() const
{
    const std::uint32_t words = m_hints.firstTaskWords.value_or(0);
    const std::uint64_t stated = m_hints.firstOffset;
    const bool room =
        stated <= m_text.size() && m_text.size() - stated >= 4ULL * m_version.headerWords;
    if (room && linkedAt(stated, words))
        return stated;
    return foundLinked(0, words).value_or(stated);
}

/// The task behind the one at `offset`, which ends at `end`; nothing at the end of the list.
std::optional<std::uint64_t> Walker::nextLinked(std::uint64_t offset, std::uint64_t end,
                                                std::uint32_t words)
{
    constexpr std::uint64_t kNextOffsetWord = 7;
    const auto next = loadLittle<std::uint32_t>(m_text, offset + 4 * kNextOffsetWord);
    const bool last = !m_hints.taskCount || m_list.tasks.size() >= *m_hints.taskCount;
    if (next == 0 && last)
        return std::nullopt;
    const bool inside = next >= end && next <= m_text.size() &&
                        m_text.size() - next >= 4ULL * m_version.headerWords;
    const bool stands = inside && linkedAt(next, words);
    if (stands && next % kLinkedAlign == 0)
        return next;
    const auto found = foundLinked(end, words);
    if (stands && !found)
        return next;
    if (next == 0 && !found)
        return std::nullopt;
    if (inside && !found)
        return next;
    const bool loops = next <= offset && next != 0;
    report(Severity::Error, loops ? "descriptor.loop" : "descriptor.bounds", offset,
           found ? fmt::format("offset {:#x}, where a task stands", *found)
                 : fmt::format("an offset from {:#x} on", end),
           fmt::format("{:#x}", next),
           loops        ? "the task list runs in a loop"
           : next < end ? "two tasks overlap, or the list ends before its number of tasks"
           : inside     ? "the next task of the list does not stand where it says"
                        : "the task list leaves its section");
    return found;
}

void Walker::walkLinked()
{
    constexpr std::uint64_t kNextSizeWord = 1;
    const std::uint64_t headerBytes = 4ULL * m_version.headerWords;
    std::optional<std::uint64_t> at = firstLinked();
    m_list.streams.push_back({{}, *at, 0, 0});
    if (*at != m_hints.firstOffset)
        report(Severity::Error, "descriptor.bounds", *at,
               fmt::format("offset {:#x}, where a task stands", *at),
               fmt::format("{:#x}", m_hints.firstOffset),
               "the program's first task does not stand where it says");
    std::optional<std::uint32_t> words = m_hints.firstTaskWords;
    while (at) {
        const std::uint64_t offset = *at;
        if (offset > m_text.size() || m_text.size() - offset < headerBytes) {
            report(Severity::Error, "descriptor.bounds",
                   std::min<std::uint64_t>(offset, m_text.size()), "a task within the section",
                   fmt::format("offset {:#x}", offset), "the task list leaves its section");
            return;
        }
        std::uint32_t size = words.value_or(0);
        if (size == 0)
            size = unstatedWords(offset);
        if (size < m_version.headerWords || 4ULL * size > m_text.size() - offset) {
            report(Severity::Error, "descriptor.size", offset,
                   fmt::format("{} words up to the end of the section", m_version.headerWords),
                   fmt::format("{} words", size), "the task's size does not fit its section");
            size = unstatedWords(offset);
        }
        add(offset, size);
        const auto second = loadLittle<std::uint32_t>(m_text, offset + 4 * kNextSizeWord);
        words = (second >> 16 & 0x1FF) + 1;
        at = nextLinked(offset, offset + 4ULL * size, *words);
    }
}

} // namespace kernscope::descriptor
