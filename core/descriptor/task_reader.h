// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/register_map.h"
#include "core/descriptor/stream.h"
#include "core/descriptor/walk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kernscope::descriptor {

/// Values of registers at some point of a stream.
class RegisterState
{
public:
    void set(std::uint32_t address, std::uint32_t value);
    void apply(const Stream &stream);
    /// Nothing where no task wrote it so far.
    std::optional<std::uint32_t> get(std::uint32_t address) const;
    void clear();
    std::size_t size() const { return m_count; }

    using Snapshot = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    Snapshot snapshot() const; ///< by address
    void restore(const Snapshot &snapshot);

private:
    static constexpr std::uint32_t kDirect = 0x8000; ///< word addresses held in the table
    std::vector<std::uint32_t> m_values;
    std::vector<bool> m_set;
    std::vector<std::uint32_t> m_touched; ///< addresses of the table in order of first writing
    std::unordered_map<std::uint32_t, std::uint32_t> m_others;
    std::size_t m_count = 0;
};

/// One task, decoded.
struct TaskDetail {
    std::size_t index = 0;
    Task task;
    std::vector<std::uint32_t> header; ///< its words, the extra one included
    Stream stream;

    /// Value that this task writes to a register (the last one, should it write it twice).
    const RegisterWrite *written(std::uint32_t address) const;
};

/// Decodes the tasks of a text section one by one and carries register state between them.
///
/// Reading in order costs one pass; going back costs at most the tasks since a checkpoint. Holds
/// the bytes by view: keep the text alive. Not for use by two threads at once.
class TaskReader
{
public:
    TaskReader(std::span<const std::byte> text, const TaskList &list) : m_text(text), m_list(list)
    {
    }

    const TaskList &list() const { return m_list; }
    /// Decodes task `index`, which must exist, into `detail` (whose memory is used again).
    void read(std::size_t index, TaskDetail &detail) const;
    /// Registers as the tasks before `index` in its stream left them (of versions that carry no
    /// state: as the task just before it wrote them).
    const RegisterState &before(std::size_t index);
    /// What the engine sees in task `detail`: what it writes, else what is carried. Call after
    /// before(detail.index).
    std::optional<std::uint32_t> effective(const TaskDetail &detail, std::uint32_t address) const;

private:
    static constexpr std::size_t kCheckpoint = 256;
    void advance();

    std::span<const std::byte> m_text;
    const TaskList &m_list;
    RegisterState m_state;
    std::size_t m_at = kNone; ///< the task that m_state is before
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<RegisterState::Snapshot> m_checkpoints; ///< before task i * kCheckpoint
    TaskDetail m_scratch;
};

/// A header's named fields in order of their places: name and value.
std::vector<std::pair<std::string_view, std::uint32_t>> headerFields(const TaskDetail &detail,
                                                                     const Version &version);

} // namespace kernscope::descriptor
