// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/container/section/layout.h"
#include "core/container/section/section.h"

#include <algorithm>
#include <cstring>

namespace kernscope::section {

namespace {

Error writeError(std::string field)
{
    return ErrorBuilder("section.write")
        .field(std::move(field))
        .expected("a place within the file")
        .message("The weight section's tables do not fit its bytes");
}

void putUnit(const Unit &unit, std::span<std::byte> bytes, std::uint64_t row)
{
    const auto u32 = [&](std::uint64_t at, std::uint32_t value) {
        storeLittle<std::uint32_t>(bytes, row + at, value);
    };
    const auto u64 = [&](std::uint64_t at, std::uint64_t value) {
        storeLittle<std::uint64_t>(bytes, row + at, value);
    };
    u32(0x00, unit.type);
    u32(0x04, unit.kernelFormat);
    u64(0x08, unit.payload);
    u64(0x10, unit.payloadBytes);
    u32(0x18, unit.core);
    u32(0x1c, unit.cores);
    std::uint64_t at = 0x20;
    for (const std::uint32_t extent :
         {unit.outputs, unit.inputs, unit.depth, unit.height, unit.width, unit.groups}) {
        u32(at, extent);
        at += 4;
    }
    u32(0x38, unit.flags);
    u32(0x3c, unit.vectorSize);
    u32(0x40, unit.nameOffset);
    u32(0x44, unit.nameBytes);
    at = kEntriesAt;
    for (const Entry &entry : unit.entries) {
        u32(at, entry.type);
        u32(at + 4, entry.bitDepth);
        u32(at + 8, entry.count);
        u32(at + 12, entry.paletteFormat);
        u64(at + 16, entry.offset);
        u64(at + 24, entry.bytes);
        at += 32;
    }
}

} // namespace

Result<std::vector<std::byte>> writeSection(const WeightSection &section,
                                            std::span<const std::byte> source)
{
    const ByteCount size(source.size());
    if (source.size() < kHeaderBytes || section.units.size() > kMaxUnits ||
        !fitsInside({FileOffset(section.unitTable), ByteCount(section.units.size() * kUnitBytes)},
                    size) ||
        !fitsInside({FileOffset(section.pool), ByteCount(section.poolBytes)}, size))
        return tl::unexpected(writeError("header"));
    std::vector<std::byte> bytes(source.begin(), source.end());
    std::memcpy(bytes.data(), "KSEC", 4);
    storeLittle<std::uint16_t>(bytes, 4, section.version);
    storeLittle<std::uint16_t>(bytes, 6, section.flags);
    storeLittle<std::uint32_t>(bytes, 8, section.codegen);
    storeLittle<std::uint32_t>(bytes, 12, static_cast<std::uint32_t>(section.units.size()));
    for (std::size_t i = 0; i < std::min<std::size_t>(16, section.target.size()); ++i)
        bytes[16 + i] = static_cast<std::byte>(section.target[i]);
    storeLittle<std::uint64_t>(bytes, 0x20, section.unitTable);
    storeLittle<std::uint64_t>(bytes, 0x28, section.pool);
    storeLittle<std::uint64_t>(bytes, 0x30, section.poolBytes);
    storeLittle<std::uint64_t>(bytes, 0x38, section.fileBytes);
    for (std::size_t i = 0; i < section.units.size(); ++i) {
        const Unit &unit = section.units[i];
        putUnit(unit, bytes, section.unitTable + i * kUnitBytes);
        const std::uint64_t room = unit.records.size() * kRecordBytes;
        const std::uint64_t at = unit.payload + unit.entry(Kind::Ocgs).offset;
        if (room != 0 &&
            (at < unit.payload || !fitsInside({FileOffset(at), ByteCount(room)}, size)))
            return tl::unexpected(writeError("records of " + unit.name));
        for (std::size_t record = 0; record < unit.records.size(); ++record) {
            for (std::uint64_t word = 0; word < kRecordWords; ++word)
                storeLittle<std::uint32_t>(bytes, at + record * kRecordBytes + 4 * word,
                                           unit.records[record].words[word]);
        }
    }
    return bytes;
}

} // namespace kernscope::section
