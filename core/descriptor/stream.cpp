// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/stream.h"

#include "core/base/little_endian.h"

#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::descriptor {

namespace {

constexpr std::uint32_t kFullAddressMask = 0x03FFFFFF;
constexpr std::uint32_t kPackedAddressMask = 0x7FFF;
constexpr std::uint32_t kAddressPacketBit = 1U << 29;
/// Bits 30:21 are zero in a dense packet; bit 30 in an address packet.
constexpr std::uint32_t kDenseReserved = 0x7FE00000;

Packet packetOf(std::uint32_t word, PacketForm form)
{
    Packet packet;
    packet.word = word;
    if (form == PacketForm::Full) {
        packet.address = word & kFullAddressMask;
        packet.count = (word >> 26) + 1;
        return packet;
    }
    packet.address = (word & kPackedAddressMask) * 4;
    if ((word >> 31) != 0) {
        packet.kind = PacketKind::Masked;
        packet.mask = word >> 15 & 0xFFFF;
        packet.count = 1 + static_cast<std::uint32_t>(std::popcount(packet.mask));
        return packet;
    }
    packet.count = (word >> 15 & 0x3F) + 1;
    if ((word & kAddressPacketBit) != 0) {
        packet.kind = PacketKind::Address;
        packet.bar = word >> 21 & 0xFF;
    }
    return packet;
}

bool reservedBitsClear(const Packet &packet, PacketForm form)
{
    if (form == PacketForm::Full || packet.kind == PacketKind::Masked)
        return true;
    return packet.kind == PacketKind::Address ? (packet.word >> 30) == 0
                                              : (packet.word & kDenseReserved) == 0;
}

void readValues(std::span<const std::byte> task, const Packet &packet,
                std::vector<RegisterWrite> &writes)
{
    std::uint32_t offset = packet.offset + 4;
    const auto put = [&](std::uint32_t address) {
        writes.push_back({address, offset, loadLittle<std::uint32_t>(task, offset)});
        offset += 4;
    };
    if (packet.kind != PacketKind::Masked) {
        for (std::uint32_t i = 0; i < packet.count; ++i)
            put(packet.address + 4 * i);
        return;
    }
    put(packet.address);
    for (std::uint32_t mask = packet.mask; mask != 0; mask &= mask - 1)
        put(packet.address + 4 * (1 + static_cast<std::uint32_t>(std::countr_zero(mask))));
}

} // namespace

std::string_view packetKindName(PacketKind kind)
{
    static constexpr std::array<std::string_view, 3> kNames{"dense", "masked", "address"};
    return kNames[static_cast<std::size_t>(kind)];
}

void Stream::clear()
{
    packets.clear();
    writes.clear();
    begin = end = 0;
    exact = false;
    fault.clear();
}

void readStream(std::span<const std::byte> task, std::uint32_t begin, PacketForm form,
                Stream &stream)
{
    stream.clear();
    stream.begin = stream.end = begin;
    if (form == PacketForm::Unknown) {
        stream.fault = "the form of its records is not published";
        return;
    }
    if (begin > task.size()) {
        stream.fault = "the header runs over the task";
        return;
    }
    const auto size = static_cast<std::uint32_t>(task.size());
    std::uint32_t at = begin;
    while (size - at >= 4) {
        Packet packet = packetOf(loadLittle<std::uint32_t>(task, at), form);
        packet.offset = at;
        packet.firstWrite = stream.writes.size();
        if (!reservedBitsClear(packet, form)) {
            stream.fault =
                fmt::format("the word {:#010x} at {:#x} is no record header", packet.word, at);
            break;
        }
        if (packet.bytes() > size - at) {
            stream.fault = fmt::format(
                "the record at {:#x} has {} values and runs over its task of {:#x} bytes", at,
                packet.count, size);
            break;
        }
        readValues(task, packet, stream.writes);
        at += packet.bytes();
        stream.packets.push_back(packet);
    }
    stream.end = at;
    stream.exact = at == size;
    if (!stream.exact && stream.fault.empty())
        stream.fault = "its size is no multiple of a word";
}

Stream readStream(std::span<const std::byte> task, std::uint32_t begin, PacketForm form)
{
    Stream stream;
    readStream(task, begin, form, stream);
    return stream;
}

} // namespace kernscope::descriptor
