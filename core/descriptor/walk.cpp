// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/walk.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/descriptor/image_v10.h"
#include "core/descriptor/register_map.h"
#include "core/descriptor/stream.h"
#include "core/descriptor/walker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace kernscope::descriptor {

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

std::uint32_t valuesOf(std::uint32_t word, PacketForm form)
{
    if (form == PacketForm::Full)
        return (word >> 26) + 1;
    if ((word >> 31) != 0)
        return 1 + static_cast<std::uint32_t>(std::popcount(word >> 15 & 0xFFFF));
    return (word >> 15 & 0x3F) + 1;
}

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
    else if (const auto at = unnamedRecord(task, bytes))
        report(
            Severity::Note, "descriptor.register", offset + *at, "a register of the map",
            fmt::format("{:#x}", loadLittle<std::uint32_t>(bytes, static_cast<std::size_t>(*at))),
            "a record begins in no register that is known: what it sets is not shown");
    m_list.tasks.push_back(task);
    ++m_list.streams.back().tasks;
}

/// Size of a task that nothing states: its records up to a zero word.
std::uint32_t Walker::unstatedWords(std::uint64_t offset) const
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
std::optional<std::uint64_t> Walker::unnamedRecord(const Task &task,
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
bool Walker::exactAt(std::uint64_t offset, std::uint64_t words, bool named) const
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
