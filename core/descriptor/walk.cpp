// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/walk.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/descriptor/image_v10.h"
#include "core/descriptor/stream.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::descriptor {

namespace {

constexpr std::uint64_t kSizedAlign = 16;
constexpr std::uint64_t kStreamAlign = 0x4000;
/// A file full of faulty tasks is described by its first ones.
constexpr std::size_t kMaxRows = 64;

std::uint32_t valuesOf(std::uint32_t word, PacketForm form)
{
    if (form == PacketForm::Full)
        return (word >> 26) + 1;
    if ((word >> 31) != 0)
        return 1 + static_cast<std::uint32_t>(std::popcount(word >> 15 & 0xFFFF));
    return (word >> 15 & 0x3F) + 1;
}

/// Whether records from `begin` on end exactly with the task, and, where asked for, each begins in
/// a register group of the version-10 image.
bool endsExactly(std::span<const std::byte> task, std::uint64_t begin, PacketForm form,
                 bool inGroups = false)
{
    std::uint64_t at = begin;
    while (at + 4 <= task.size()) {
        const auto word = loadLittle<std::uint32_t>(task, at);
        const bool plain = form == PacketForm::Packed && (word >> 31) == 0;
        if (plain && (word >> 29 & 1) == 0 && (word & 0x7FE00000) != 0)
            return false;
        if (plain && (word >> 30) != 0)
            return false;
        if (inGroups && imageGroupOfAddress((word & 0x7FFF) * 4) == nullptr)
            return false;
        at += 4 + 4 * std::uint64_t(valuesOf(word, form));
    }
    return at == task.size();
}

class Walker
{
public:
    Walker(std::span<const std::byte> text, const Version &version, const WalkHints &hints)
        : m_text(text), m_version(version), m_hints(hints)
    {
        m_list.version = &version;
    }

    TaskList take() { return std::move(m_list); }

    void walkLinked();
    void walkSized();

private:
    void report(Severity severity, const char *code, std::uint64_t at, std::string expected,
                std::string found, std::string message);
    void add(std::uint64_t offset, std::uint32_t words);
    std::uint32_t unstatedWords(std::uint64_t offset) const;
    bool startsStream(std::uint64_t offset) const;
    bool addSized(std::uint64_t offset, std::uint32_t words);

    std::span<const std::byte> m_text;
    const Version &m_version;
    const WalkHints &m_hints;
    TaskList m_list;
};

void Walker::report(Severity severity, const char *code, std::uint64_t at, std::string expected,
                    std::string found, std::string message)
{
    if (m_list.diagnostics.size() >= kMaxRows)
        return;
    m_list.diagnostics.push_back({severity, ErrorBuilder(code)
                                                .file(m_hints.file)
                                                .at(FileOffset(m_hints.fileOffset + at))
                                                .field(fmt::format("task {}", m_list.tasks.size()))
                                                .expected(std::move(expected))
                                                .found(std::move(found))
                                                .message(std::move(message))});
}

void Walker::add(std::uint64_t offset, std::uint32_t words)
{
    Task task;
    task.offset = offset;
    task.words = words;
    task.stream = static_cast<std::uint32_t>(m_list.streams.size() - 1);
    const auto bytes =
        m_text.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(task.bytes()));
    resolveHeader(bytes, m_version, task);
    if (!task.exact)
        report(Severity::Error, "descriptor.stream", offset, "records that end with the task",
               fmt::format("{:#x} bytes", task.bytes()),
               "its register records do not end where the task ends");
    m_list.tasks.push_back(task);
    ++m_list.streams.back().tasks;
}

/// Size of a task that nothing states: its records up to a zero word.
std::uint32_t Walker::unstatedWords(std::uint64_t offset) const
{
    const std::uint64_t limit = m_text.size();
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

void Walker::walkLinked()
{
    constexpr std::uint64_t kNextSizeWord = 1, kNextOffsetWord = 7;
    const std::uint64_t headerBytes = 4ULL * m_version.headerWords;
    m_list.streams.push_back({{}, m_hints.firstOffset, 0, 0});
    std::uint64_t offset = m_hints.firstOffset;
    std::optional<std::uint32_t> words = m_hints.firstTaskWords;
    for (;;) {
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
        const auto next = loadLittle<std::uint32_t>(m_text, offset + 4 * kNextOffsetWord);
        if (next == 0)
            return;
        if (next < offset + 4ULL * size) {
            report(Severity::Error, next <= offset ? "descriptor.loop" : "descriptor.bounds",
                   offset, fmt::format("an offset from {:#x} on", offset + 4ULL * size),
                   fmt::format("{:#x}", next),
                   next <= offset ? "the task list runs in a loop" : "two tasks overlap");
            return;
        }
        const auto second = loadLittle<std::uint32_t>(m_text, offset + 4 * kNextSizeWord);
        words = (second >> 16 & 0x1FF) + 1;
        offset = next;
    }
}

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

bool Walker::addSized(std::uint64_t offset, std::uint32_t words)
{
    if (words < m_version.headerWords || 4ULL * words > m_text.size() - offset) {
        report(Severity::Error, "descriptor.size", offset,
               fmt::format("{} words up to the end of the section", m_version.headerWords),
               fmt::format("{} words", words), "the task's size does not fit its section");
        return false;
    }
    add(offset, words);
    return true;
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
    bool lost = false; // a faulty size: what follows is found again where the next stream starts
    for (std::uint64_t offset = 0; offset + 4 <= m_text.size();) {
        if (offset % kSizedAlign == 0 && offset != 0 && startsStream(offset)) {
            m_list.streams.push_back({nameAt(offset), offset, m_list.tasks.size(), 0});
            lost = false;
        }
        const auto word = loadLittle<std::uint32_t>(m_text, offset);
        const std::uint32_t words = word >> 16 & 0x7FF;
        std::uint64_t step = kSizedAlign;
        if (!lost && words != 0) {
            lost = !addSized(offset, words);
            if (!lost)
                step = *checkedRoundUp(4ULL * words, kSizedAlign);
        }
        offset += step;
    }
}

} // namespace

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
             ErrorBuilder("descriptor.version")
                 .file(hints.file)
                 .at(FileOffset(hints.fileOffset))
                 .found(version == nullptr ? "an unknown subtype"
                                           : fmt::format("version {}", version->number))
                 .message("the form of its task descriptors is not published; its words are shown "
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
             ErrorBuilder("descriptor.count")
                 .file(hints.file)
                 .at(FileOffset(hints.fileOffset))
                 .expected(fmt::format("{} tasks", *hints.taskCount))
                 .found(fmt::format("{}", list.tasks.size()))
                 .message("the program names another number of tasks than its list has")});
    }
    return list;
}

} // namespace kernscope::descriptor
