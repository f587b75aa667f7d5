// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/walk.h"

#include <optional>

/// Private to walkTasks().
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
std::uint32_t valuesOf(std::uint32_t word, PacketForm form);

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

    void walkLinked();
    void walkSized();

private:
    void report(Severity severity, const char *code, std::uint64_t at, std::string expected,
                std::string found, std::string message);
    void add(std::uint64_t offset, std::uint32_t words);
    std::uint32_t unstatedWords(std::uint64_t offset) const;
    std::optional<std::uint64_t> unnamedRecord(const Task &task,
                                               std::span<const std::byte> bytes) const;
    bool exactAt(std::uint64_t offset, std::uint64_t words, bool named = false) const;
    bool linkedAt(std::uint64_t offset, std::uint32_t words) const;
    std::uint64_t firstLinked() const;
    std::optional<std::uint64_t> nextLinked(std::uint64_t offset, std::uint64_t end,
                                            std::uint32_t words);
    std::optional<std::uint64_t> foundLinked(std::uint64_t from, std::uint32_t words) const;
    bool startsStream(std::uint64_t offset) const;
    std::uint64_t sizedWords(std::uint64_t offset) const;
    bool isFrame(std::uint64_t offset) const;
    bool mayFollow(std::uint64_t offset) const;
    bool soundSized(std::uint64_t offset) const;
    std::optional<std::uint64_t> foundSized(std::uint64_t offset) const;
    std::uint64_t endBefore(std::uint64_t offset, std::uint64_t next) const;
    std::optional<std::uint64_t> addSized(std::uint64_t offset);

    std::span<const std::byte> m_text;
    const Version &m_version;
    const WalkHints &m_hints;
    TaskList m_list;
    mutable std::uint64_t m_searches = kMostSearches; ///< that are left
};

} // namespace kernscope::descriptor
