// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/task_reader.h"

#include <cstdint>
#include <vector>

/// The words of a register stream, made of what was read of it (resources/formats/descriptors.md).
namespace kernscope::test {

/// A record's header word, from its fields.
inline std::uint32_t headerWordOf(const descriptor::Packet &packet, descriptor::PacketForm form)
{
    using descriptor::PacketKind;
    const std::uint32_t count = packet.count - 1;
    if (form == descriptor::PacketForm::Full)
        return count << 26 | packet.address;
    const std::uint32_t word = packet.address / 4;
    switch (packet.kind) {
    case PacketKind::Masked: return 1U << 31 | packet.mask << 15 | word;
    case PacketKind::Address: return 1U << 29 | packet.bar << 21 | count << 15 | word;
    case PacketKind::Dense: break;
    }
    return count << 15 | word;
}

inline std::vector<std::uint32_t> wordsOf(const descriptor::Stream &stream,
                                          descriptor::PacketForm form)
{
    std::vector<std::uint32_t> words;
    for (const descriptor::Packet &packet : stream.packets) {
        words.push_back(headerWordOf(packet, form));
        for (std::uint32_t i = 0; i < packet.count; ++i)
            words.push_back(stream.writes.at(packet.firstWrite + i).value);
    }
    return words;
}

} // namespace kernscope::test
