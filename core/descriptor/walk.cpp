// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/walk.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/descriptor/image_v10.h"
#include "core/descriptor/task_reader.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::descriptor {

inline constexpr std::uint64_t kSizedAlign = 16;
inline constexpr std::uint64_t kStreamAlign = 0x4000;
inline constexpr std::uint64_t kLinkedAlign = 0x100;
/// How far behind a faulty task the next one is looked for: some of the largest tasks.
inline constexpr std::uint64_t kSearched = 0x10000;
/// Places that are looked at in one section: a hostile one may not take minutes.
inline constexpr std::uint64_t kMostSearches = std::uint64_t{1} << 17;
/// Of a task whose size nothing states; the published ones have some hundred words.
inline constexpr std::uint64_t kMostTaskBytes = 0x4000;

/// Values that the record of a header word has.
std::uint32_t valuesOf(std::uint32_t word, PacketForm form)
{
    if (form == PacketForm::Full)
        return (word >> 26) + 1;
    if ((word >> 31) != 0)
        return 1 + static_cast<std::uint32_t>(std::popcount(word >> 15 & 0xFFFF));
    return (word >> 15 & 0x3F) + 1;
}

namespace {

/// A file full of faulty tasks is described by its first ones.
constexpr std::size_t kMaxRows = 64;

/// Whether records from `begin` on end exactly with the task, and, where asked for, each begins in
/// a register group of the version-10 image.
bool endsExactly(std::span<const std::byte> task, std::uint64_t begin, PacketForm form,
                 bool inGroups = false)
{
    std::uint64_t at = begin;
    bool zeros = false; // a record of two zero words, as the padding behind a task reads
    while (at + 4 <= task.size()) {
        const auto word = loadLittle<std::uint32_t>(task, at);
        const bool plain = form == PacketForm::Packed && (word >> 31) == 0;
        if (plain && (word >> 29 & 1) == 0 && (word & 0x7FE00000) != 0)
            return false;
        if (plain && (word >> 30) != 0)
            return false;
        if (inGroups && imageGroupOfAddress((word & 0x7FFF) * 4) == nullptr)
            return false;
        const bool before = std::exchange(zeros, plain && word == 0 && at + 8 <= task.size() &&
                                                     loadLittle<std::uint32_t>(task, at + 4) == 0);
        if (before && zeros)
            return false;
        at += 4 + 4 * std::uint64_t(valuesOf(word, form));
    }
    return at == task.size() && !zeros;
}

} // namespace

/// Finds the tasks of one text section. A task or a place that is damaged is reported, and the next
/// task is looked for behind it.
class Walker
{
public:
    Walker(std::span<const std::byte> text, const Version &version, const WalkHints &hints)
        : m_text(text), m_version(version), m_hints(hints)
    {
        m_list.version = &version;
    }

    TaskList take() { return std::move(m_list); }

    void walkLinked()
    {
        constexpr std::uint64_t kNextSizeWord = 1;
        const std::uint64_t headerBytes = 4ULL * m_version.headerWords;
        std::optional<std::uint64_t> at = firstLinked();
        m_list.streams.push_back({{}, *at});
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

    void walkSized()
    {
        const auto nameAt = [this](std::uint64_t offset) {
            for (const auto &[start, name] : m_hints.streamStarts) {
                if (start == offset)
                    return name;
            }
            return std::string();
        };
        m_list.streams.push_back({nameAt(0), 0});
        bool lost =
            false; // no task is found: what follows is found again where the next stream starts
        for (std::uint64_t offset = 0; offset + 4 <= m_text.size();) {
            if (offset % kSizedAlign == 0 && offset != 0 && startsStream(offset)) {
                m_list.streams.push_back({nameAt(offset), offset});
                lost = false;
            }
            const bool frame = isFrame(offset);
            const auto next = lost || frame ? std::nullopt : addSized(offset);
            lost = lost || (!frame && !next);
            offset = next.value_or(offset + kSizedAlign);
        }
    }

private:
    void report(Severity severity, const char *code, std::uint64_t at, std::string expected,
                std::string found, std::string message)
    {
        if (m_list.diagnostics.size() >= kMaxRows)
            return;
        m_list.diagnostics.push_back(
            {severity,
             valueError({m_hints.file, FileOffset(m_hints.fileOffset + at)}, code,
                        fmt::format("task {}", m_list.tasks.size()), expected, found, message)});
    }

    void add(std::uint64_t offset, std::uint32_t words)
    {
        Task task;
        task.offset = offset;
        task.words = words;
        task.stream = static_cast<std::uint32_t>(m_list.streams.size() - 1);
        const auto bytes = m_text.subspan(static_cast<std::size_t>(offset),
                                          static_cast<std::size_t>(task.bytes()));
        resolveHeader(bytes, m_version, task);
        if (!task.exact)
            report(Severity::Error, "descriptor.stream", offset, "records that end with the task",
                   fmt::format("{:#x} bytes", task.bytes()),
                   "its register records do not end where the task ends");
        else if (const auto at = unnamedRecord(task, bytes))
            report(Severity::Note, "descriptor.register", offset + *at, "a register of the map",
                   fmt::format("{:#x}",
                               loadLittle<std::uint32_t>(bytes, static_cast<std::size_t>(*at))),
                   "a record begins in no register that is known: what it sets is not shown");
        m_list.tasks.push_back(task);
    }

    /// Size of a task that nothing states: its records up to a zero word.
    std::uint32_t unstatedWords(std::uint64_t offset) const
    {
        const std::uint64_t limit = std::min<std::uint64_t>(m_text.size(), offset + kMostTaskBytes);
        std::uint64_t at = offset + 4ULL * m_version.headerWords;
        while (at + 4 <= limit) {
            const auto word = loadLittle<std::uint32_t>(m_text, at);
            const std::uint64_t next = at + 4 + 4ULL * valuesOf(word, m_version.packets);
            if (word == 0 || next > limit)
                break;
            at = next;
        }
        return static_cast<std::uint32_t>(std::min<std::uint64_t>((at - offset) / 4, UINT32_MAX));
    }

    /// The first record that begins in no register of the version's map, by its offset in the task.
    std::optional<std::uint64_t> unnamedRecord(const Task &task,
                                               std::span<const std::byte> bytes) const
    {
        const RegisterMap *map = RegisterMap::of(m_version.registerMap);
        if (map == nullptr)
            return std::nullopt;
        for (std::uint64_t at = task.streamBegin(); at + 4 <= bytes.size();) {
            const auto word = loadLittle<std::uint32_t>(bytes, at);
            const std::uint32_t address =
                m_version.packets == PacketForm::Full ? word & 0x3FFFFFF : (word & 0x7FFF) * 4;
            if (map->find(address) == nullptr)
                return at;
            at += 4 + 4 * std::uint64_t(valuesOf(word, m_version.packets));
        }
        return std::nullopt;
    }

    /// A task of that size stands there: its records end with it. `named`: and each begins in a
    /// register that the version's map names, so that no words within a task are taken for one.
    bool exactAt(std::uint64_t offset, std::uint64_t words, bool named = false) const
    {
        if (offset > m_text.size() || words > (m_text.size() - offset) / 4)
            return false;
        const auto bytes =
            m_text.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(4 * words));
        Task task;
        resolveHeader(bytes, m_version, task);
        if (!task.exact || task.headerWords >= words)
            return false;
        return !named || !unnamedRecord(task, bytes);
    }

    /// A task of the stated size stands there, or, on a boundary, one whose size is damaged: its
    /// records go up to a zero word.
    bool linkedAt(std::uint64_t offset, std::uint32_t words) const
    {
        if (exactAt(offset, words))
            return true;
        return offset % kLinkedAlign == 0 && offset <= m_text.size() &&
               exactAt(offset, unstatedWords(offset), true);
    }

    /// Where the program says that the list begins, or, where no task stands there, the first one.
    std::uint64_t firstLinked() const
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
    std::optional<std::uint64_t> nextLinked(std::uint64_t offset, std::uint64_t end,
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

    /// The first boundary from `from` on that has a task, of the size that is stated or as its
    /// records
    /// say: for a list whose next offset is wrong.
    std::optional<std::uint64_t> foundLinked(std::uint64_t from, std::uint32_t words) const
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

    /// A stream starts at a named place, or, where nothing is named, at a 16 KiB boundary that
    /// begins
    /// with the words 1, 0, 0, 0.
    bool startsStream(std::uint64_t offset) const
    {
        const auto &starts = m_hints.streamStarts;
        if (!starts.empty())
            return std::ranges::any_of(
                starts, [offset](const auto &start) { return start.first == offset; });
        if (offset % kStreamAlign != 0 || m_text.size() - offset < kSizedAlign)
            return false;
        constexpr std::array<std::uint32_t, 4> kPrefix{1, 0, 0, 0};
        for (std::size_t i = 0; i < kPrefix.size(); ++i) {
            if (loadLittle<std::uint32_t>(m_text, offset + 4 * i) != kPrefix[i])
                return false;
        }
        return true;
    }

    std::uint64_t sizedWords(std::uint64_t offset) const
    {
        return m_text.size() - offset < 4 ? 0
                                          : loadLittle<std::uint32_t>(m_text, offset) >> 16 & 0x7FF;
    }

    /// No task: zeros between tasks and the words that begin a stream.
    bool isFrame(std::uint64_t offset) const
    {
        for (std::uint64_t at = offset + 4; at < offset + kSizedAlign && at + 4 <= m_text.size();
             at += 4) {
            if (loadLittle<std::uint32_t>(m_text, at) != 0)
                return false;
        }
        return sizedWords(offset) == 0;
    }

    bool mayFollow(std::uint64_t offset) const
    {
        return offset >= m_text.size() || startsStream(offset) || isFrame(offset) ||
               exactAt(offset, sizedWords(offset));
    }

    /// A task stands there and another one, or the end of the stream, behind it.
    bool soundSized(std::uint64_t offset) const
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

    /// Where the next task or stream stands behind a task whose size is wrong; the section's end
    /// where
    /// that is near.
    std::optional<std::uint64_t> foundSized(std::uint64_t offset) const
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

    /// End of a task in front of another: less the zeros between them, but for those that its
    /// records
    /// need.
    std::uint64_t endBefore(std::uint64_t offset, std::uint64_t next) const
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

    /// Adds the task at `offset` and returns where the next one may stand. One whose size is wrong
    /// ends
    /// where another is found, less the zeros between them; nothing where none is.
    std::optional<std::uint64_t> addSized(std::uint64_t offset)
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
               found
                   ? fmt::format("{} words, up to the next task that is found", (end - offset) / 4)
                   : fmt::format("{} words up to the end of the section", m_version.headerWords),
               fmt::format("{} words", words), "the task's size does not fit its section");
        if ((end - offset) / 4 >= m_version.headerWords)
            add(offset, static_cast<std::uint32_t>((end - offset) / 4));
        return found;
    }

    std::span<const std::byte> m_text;
    const Version &m_version;
    const WalkHints &m_hints;
    TaskList m_list;
    mutable std::uint64_t m_searches = kMostSearches; ///< that are left
};

void resolveHeader(std::span<const std::byte> task, const Version &version, Task &result)
{
    const std::uint32_t base = version.headerWords;
    const std::uint64_t flagAt = 4ULL * version.flagWord;
    const bool flagged =
        flagAt + 4 <= task.size() && (loadLittle<std::uint32_t>(task, flagAt) & 3) == 3;
    std::array<std::uint32_t, 3> candidates{base + (flagged ? 1U : 0U), base + (flagged ? 0U : 1U),
                                            0};
    // A header length that is not published: by chance a wrong one ends exactly as well, so that
    // the records' addresses count first.
    const bool unpublished = version.confidence == format::Confidence::Contested;
    if (unpublished)
        candidates[2] = base + 2;
    result.headerWords = candidates[0];
    result.exact = false;
    const auto choose = [&](bool inGroups) {
        for (const std::uint32_t words : candidates) {
            if (!result.exact && words != 0 && 4ULL * words <= task.size() &&
                endsExactly(task, 4ULL * words, version.packets, inGroups)) {
                result.headerWords = words;
                result.exact = true;
            }
        }
    };
    if (unpublished)
        choose(true);
    choose(false);
    result.headerWords = std::min(result.headerWords, static_cast<std::uint32_t>(task.size() / 4));
    result.extended = result.headerWords > base;
}

TaskList walkTasks(std::span<const std::byte> text, const Version *version, const WalkHints &hints)
{
    if (version == nullptr || !version->known()) {
        TaskList list;
        list.version = version;
        list.diagnostics.push_back(
            {Severity::Note,
             valueError({hints.file, FileOffset(hints.fileOffset)}, "descriptor.version", {}, {},
                        version == nullptr ? "an unknown subtype"
                                           : fmt::format("version {}", version->number),
                        "the form of its task descriptors is not published; its words are shown "
                        "raw")});
        return list;
    }
    Walker walker(text, *version, hints);
    if (version->walk == TaskWalk::Linked)
        walker.walkLinked();
    else
        walker.walkSized();
    TaskList list = walker.take();
    if (hints.taskCount && *hints.taskCount != list.tasks.size()) {
        list.diagnostics.push_back(
            {Severity::Warning,
             valueError({hints.file, FileOffset(hints.fileOffset)}, "descriptor.count", {},
                        fmt::format("{} tasks", *hints.taskCount),
                        fmt::format("{}", list.tasks.size()),
                        "the program names another number of tasks than its list has")});
    }
    return list;
}

// Lists of tasks that name the next one's place (versions 5 to 7).

// Tasks one behind the other, each with its own size (version 8 and later).

} // namespace kernscope::descriptor
