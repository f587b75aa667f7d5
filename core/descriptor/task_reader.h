// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/walk.h"

#include <memory>
#include <unordered_map>

namespace kernscope::descriptor {

enum class PacketKind : std::uint8_t {
    Dense,   ///< count registers from the address on
    Masked,  ///< the address, then address + 1 + i for each set bit i of a 16-bit mask
    Address, ///< dense, and the values are offsets in the buffer of a base address register (BAR)
};
/// "dense", "masked", "address"
std::string_view packetKindName(PacketKind kind);

/// One record of a register stream: a header word and `count` values after it.
struct Packet {
    std::uint32_t offset = 0; ///< bytes from the start of the task to the header word
    std::uint32_t word = 0;   ///< the header word as stored
    PacketKind kind = PacketKind::Dense;
    std::uint32_t address = 0;  ///< byte address of the first register
    std::uint32_t count = 0;    ///< values that follow
    std::uint32_t mask = 0;     ///< masked only
    std::uint32_t bar = 0;      ///< address packets only
    std::size_t firstWrite = 0; ///< its values in Stream::writes

    std::uint32_t bytes() const { return 4 + 4 * count; }
};

/// One register that a task writes.
struct RegisterWrite {
    std::uint32_t address = 0; ///< byte address
    std::uint32_t offset = 0;  ///< bytes from the start of the task to the value
    std::uint32_t value = 0;
};

/// The records of one task, in the order of the stream.
struct Stream {
    std::vector<Packet> packets;
    std::vector<RegisterWrite> writes;
    std::uint32_t begin = 0; ///< bytes from the start of the task
    std::uint32_t end = 0;   ///< one past the last byte that was read
    bool exact = false;      ///< the records end where the task ends
    std::string fault;       ///< why reading stopped; empty where it did not

    void clear();
};

/// Reads the records of `task` from byte `begin` on into `stream` (whose memory is used again).
/// Never fails: what could not be read shows in `exact` and `fault`.
void readStream(std::span<const std::byte> task, std::uint32_t begin, PacketForm form,
                Stream &stream);
/// The same, as a new object.
Stream readStream(std::span<const std::byte> task, std::uint32_t begin, PacketForm form);

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
