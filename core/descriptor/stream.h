// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/version.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

} // namespace kernscope::descriptor
