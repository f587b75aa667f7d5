// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/field_at.h"

#include "core/base/text.h"
#include "core/container/section/layout.h"

#include <fmt/format.h>

namespace kernscope::section {

namespace {

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
