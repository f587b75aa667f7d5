// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/section.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/base/text.h"
#include "core/container/section/layout.h"
#include "core/format/table_rows.h"
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

tl::unexpected<Error> writeError(std::string field)
{
    return refused("section.write", std::move(field), "a place within the file", {},
                   "The weight section's tables do not fit its bytes");
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

std::string slotText(std::uint32_t value)
{
    return value == kUnresolved ? "-" : fmt::format("{:#x}", value);
}

/// As wide as the slot's title.
std::string slotColumn(const RecordSlot &slot, std::string_view text)
{
    return fmt::format(" {:>{}}", text, std::max<std::size_t>(slot.name.size(), 10));
}

std::string recordLine(const WeightSection &section, const RecordPlace &place)
{
    const GroupRecord &record = section.units[place.unit].records[place.record];
    const std::string channels =
        place.channels == 0
            ? std::string("none")
            : fmt::format("{}..{}", place.firstChannel, place.firstChannel + place.channels - 1);
    std::string line = fmt::format("  {:>6} {:>6}  {:<13} {:>10} ", section.units[place.unit].core,
                                   place.record, channels, record.offset());
    for (const RecordSlot &slot : recordSlots())
        line += slotColumn(slot, slotText(record.words[slot.word]));
    return line + '\n';
}

tl::unexpected<Error> addressError(std::string_view field, std::string expected,
                                   std::uint64_t found)
{
    return refused("section.address", std::string(field), std::move(expected),
                   fmt::format("{:#x}", found), "The address cannot be loaded into a slot");
}

Result<void> fill(GroupRecord &record, std::size_t word, std::optional<std::uint64_t> address)
{
    record.words[word] = kUnresolved;
    if (!address)
        return {};
    if (*address >= kUnresolved)
        return addressError(recordSlots()[word - 2].name, "an address below 0xffffffff", *address);
    record.words[word] = static_cast<std::uint32_t>(*address);
    return {};
}

Result<void> relocateUnit(Unit &unit, const LoadAddresses &addresses)
{
    const auto sectionAt = [&](Kind kind) -> std::optional<std::uint64_t> {
        if (!unit.has(kind))
            return std::nullopt;
        return checkedAdd(addresses.base, unit.range(kind).offset.value);
    };
    for (GroupRecord &record : unit.records) {
        const auto weights = sectionAt(Kind::Weights);
        const auto coefficients = weights ? checkedAdd(*weights, record.offset()) : std::nullopt;
        const std::array<std::optional<std::uint64_t>, 10> targets{
            addresses.inputTile,   addresses.outputTile,   coefficients,
            std::nullopt,          std::nullopt,           std::nullopt,
            sectionAt(Kind::Bias), sectionAt(Kind::Scale), sectionAt(Kind::Pal),
            sectionAt(Kind::Lut)};
        for (std::size_t slot = 0; slot < targets.size(); ++slot) {
            TRY(fill(record, slot + 2, targets[slot]));
        }
    }
    return {};
}

using format::PlacedField;

constexpr std::string_view kFieldTable = "stored_fields";

std::optional<PlacedField> storedField(std::string_view record, std::uint64_t begin,
                                       FileOffset offset, const std::string &owner)
{
    return format::placedField(kFieldTable, record, begin, offset, owner);
}

std::optional<PlacedField> unitField(std::size_t number, std::uint64_t begin, FileOffset offset)
{
    const std::string owner = "unit " + grouped(number);
    const std::uint64_t into = offset.value - begin;
    if (into < kEntriesAt)
        return storedField("section unit", begin, offset, owner);
    const std::uint64_t kind = (into - kEntriesAt) / kEntryBytes;
    const auto name = format::unitSectionName(static_cast<Kind>(kind));
    return storedField("section entry", begin + kEntriesAt + kind * kEntryBytes, offset,
                       fmt::format("{}, {}", owner, name));
}

std::optional<PlacedField> groupField(const Unit &unit, std::uint64_t records, FileOffset offset)
{
    const std::uint64_t number = (offset.value - records) / kRecordBytes;
    const std::uint64_t begin = records + number * kRecordBytes, word = (offset.value - begin) / 4;
    const std::string owner =
        fmt::format("{} core {}, record {}", unit.name, grouped(unit.core), grouped(number));
    for (const RecordSlot &slot : recordSlots()) {
        if (slot.word != word)
            continue;
        // The first word of the record has the source of them all.
        auto field = storedField("section record", begin, FileOffset(begin), owner);
        if (field) {
            field->name = fmt::format("{}: address slot: {} ({})", owner, slot.name,
                                      elementTypeName(field->type));
            field->bytes = {FileOffset(begin + 4 * word), ByteCount(4)};
        }
        return field;
    }
    return storedField("section record", begin, offset, owner);
}

} // namespace

std::vector<std::string_view> unitFlagNames(std::uint32_t flags)
{
    static constexpr std::array<std::string_view, 6> kNames{
        "replicated", "shared", "vector palette", "mutable", "sparse", "asymmetric"};
    std::vector<std::string_view> names;
    for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
        if ((flags >> bit & 1U) != 0)
            names.push_back(kNames[bit]);
    }
    return names;
}

std::span<const RecordSlot> recordSlots()
{
    static const auto slots =
        tables::loadRows<RecordSlot>("section_slots", {{"word", &RecordSlot::word},
                                                       {"name", &RecordSlot::name},
                                                       {"enable", &RecordSlot::enable},
                                                       {"base", &RecordSlot::base},
                                                       {"relocation", &RecordSlot::relocation}});
    return slots;
}

std::uint64_t Unit::channels() const
{
    std::uint64_t sum = 0;
    for (const GroupRecord &record : records)
        sum += record.channels();
    return sum;
}

bool isSection(std::span<const std::byte> bytes)
{
    return bytes.size() >= 4 && std::memcmp(bytes.data(), "KSEC", 4) == 0;
}

Diagnostics verifySection(const WeightSection &section, std::span<const std::byte> bytes,
                          const std::string &file)
{
    Diagnostics diagnostics;
    for (const Unit &unit : section.units) {
        if (unit.fault || !unit.sparse() || !unit.has(Kind::Weights))
            continue;
        const ByteRange range = unit.range(Kind::Weights);
        const std::uint64_t elements = unit.channels() * unit.steps();
        const std::uint64_t maskBytes = (elements + 7) / 8;
        const std::uint64_t kept =
            countBits(bytes.subspan(range.offset.value, maskBytes), 0, elements);
        if (2 * kept == range.bytes.value - maskBytes)
            continue;
        diagnostics.push_back(
            {Severity::Error,
             valueError({file, range.offset, ByteCount(maskBytes)}, "section.mask", unit.name,
                        fmt::format("{} set bits", (range.bytes.value - maskBytes) / 2),
                        fmt::format("{}", kept), "The mask does not match its values")});
    }
    return diagnostics;
}

Result<std::vector<std::byte>> writeSection(const WeightSection &section,
                                            std::span<const std::byte> source)
{
    const ByteCount size(source.size());
    if (source.size() < kHeaderBytes || section.units.size() > kMaxUnits ||
        !fitsInside({FileOffset(section.unitTable), ByteCount(section.units.size() * kUnitBytes)},
                    size) ||
        !fitsInside({FileOffset(section.pool), ByteCount(section.poolBytes)}, size))
        return writeError("header");
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
            return writeError("records of " + unit.name);
        for (std::size_t record = 0; record < unit.records.size(); ++record) {
            for (std::uint64_t word = 0; word < kRecordWords; ++word)
                storeLittle<std::uint32_t>(bytes, at + record * kRecordBytes + 4 * word,
                                           unit.records[record].words[word]);
        }
    }
    return bytes;
}

format::KernelUnit kernelUnit(const Unit &unit)
{
    format::KernelUnit result;
    result.type = unit.type;
    result.offset = unit.payload;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const Entry &entry = unit.entries[kind];
        if (entry.bytes == 0)
            continue;
        format::UnitSection part;
        part.type = format::TypeNumber(entry.type);
        part.paletteFormat = entry.paletteFormat;
        part.bitDepth = entry.bitDepth;
        part.count = entry.count;
        part.bytes = entry.bytes;
        result.sections[kind] = part;
    }
    return result;
}

std::string listing(const WeightSection &section)
{
    std::string text =
        fmt::format("; weight section for {}, descriptor version {}, {}\n",
                    section.target.empty() ? "no target" : section.target, section.codegen,
                    section.resolved() ? "resolved" : "relocatable");
    for (const UnitGroup &group : section.groups) {
        const Unit &first = section.units[group.units.front()];
        text += fmt::format("\n; {}: [{}, {}, {}, {}, {}], {}, {}\n", group.name, first.outputs,
                            first.inputs, first.depth, first.height, first.width,
                            counted(first.groups, "group"), counted(first.cores, "core"));
        for (const auto *units : {&group.units, &group.idle}) {
            for (const std::size_t unit : *units)
                text += format::printKernelUnit(kernelUnit(section.units[unit]));
        }
        if (group.fault) {
            text += fmt::format("; {}\n", describe(*group.fault));
            continue;
        }
        text +=
            fmt::format("; {:>5} {:>6}  {:<13} {:>10} ", "core", "record", "channels", "offset");
        for (const RecordSlot &slot : recordSlots())
            text += slotColumn(slot, slot.name);
        text += '\n';
        for (const RecordPlace &place : recordPlaces(section, group))
            text += recordLine(section, place);
    }
    return text;
}

Result<void> relocate(WeightSection &section, const LoadAddresses &addresses)
{
    const std::array<std::pair<std::string_view, std::optional<std::uint64_t>>, 3> given{
        std::pair{"base", std::optional(addresses.base)},
        {"input tile", addresses.inputTile},
        {"output tile", addresses.outputTile}};
    for (const auto &[name, address] : given) {
        if (address && *address % kAlignment != 0)
            return addressError(name, "a multiple of 64", *address);
    }
    WeightSection changed = section;
    for (Unit &unit : changed.units) {
        if (unit.fault)
            return tl::unexpected(*unit.fault);
        TRY(relocateUnit(unit, addresses));
    }
    changed.flags |= kResolvedFlag;
    section = std::move(changed);
    return {};
}

void strip(WeightSection &section)
{
    for (Unit &unit : section.units) {
        for (GroupRecord &record : unit.records)
            std::fill(record.words.begin() + 2, record.words.begin() + 12, kUnresolved);
    }
    section.flags = static_cast<std::uint16_t>(section.flags & ~kResolvedFlag);
}

std::optional<PlacedField> fieldAt(const WeightSection &section, FileOffset offset)
{
    if (offset.value < kHeaderBytes)
        return storedField("section header", 0, offset, "header");
    if (offset.value >= section.unitTable) {
        const std::uint64_t number = (offset.value - section.unitTable) / kUnitBytes;
        if (number < section.units.size())
            return unitField(number, section.unitTable + number * kUnitBytes, offset);
    }
    for (const Unit &unit : section.units) {
        if (unit.fault || !unit.has(Kind::Ocgs))
            continue;
        const ByteRange records = unit.range(Kind::Ocgs);
        if (records.contains(offset))
            return groupField(unit, records.offset.value, offset);
    }
    return std::nullopt;
}

} // namespace kernscope::section
