// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/section_field.h"

#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <array>
#include <span>

namespace kernscope::ui {

namespace {

struct SectionFieldWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::SectionField)
};

struct NamedRun {
    std::uint64_t offset, length;
    const char *name;
};

// resources/formats/weight-sections.md, as core/container/section reads it.
constexpr std::array<NamedRun, 10> kHeaderRuns{{
    {0x00, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "magic")},
    {0x04, 2, QT_TRANSLATE_NOOP("kernscope::SectionField", "version (u16)")},
    {0x06, 2, QT_TRANSLATE_NOOP("kernscope::SectionField", "flags (u16), bit 0: resolved")},
    {0x08, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "descriptor version (u32)")},
    {0x0c, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "number of units (u32)")},
    {0x10, 16, QT_TRANSLATE_NOOP("kernscope::SectionField", "target name")},
    {0x20, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "offset of the units (u64)")},
    {0x28, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "offset of the names (u64)")},
    {0x30, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "bytes of the names (u64)")},
    {0x38, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "bytes of the file (u64)")},
}};
constexpr std::uint64_t kEntries = 0x80, kEntryBytes = 32;
constexpr std::array<NamedRun, 17> kUnitRuns{{
    {0x00, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "type number (u32)")},
    {0x04, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "kernel format (u32)")},
    {0x08, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "offset of the payload (u64)")},
    {0x10, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "bytes of the payload (u64)")},
    {0x18, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "core (u32)")},
    {0x1c, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "number of cores (u32)")},
    {0x20, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "output channels (u32)")},
    {0x24, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "input channels of a group (u32)")},
    {0x28, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "kernel depth (u32)")},
    {0x2c, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "kernel height (u32)")},
    {0x30, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "kernel width (u32)")},
    {0x34, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "groups (u32)")},
    {0x38, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "flags (u32)")},
    {0x3c, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "palette vector size (u32)")},
    {0x40, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "offset of the name (u32)")},
    {0x44, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "bytes of the name (u32)")},
    {0x48, 56, QT_TRANSLATE_NOOP("kernscope::SectionField", "reserved")},
}};
constexpr std::array<NamedRun, 6> kEntryRuns{{
    {0x00, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "element type (u32)")},
    {0x04, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "bit depth (u32)")},
    {0x08, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "count (u32)")},
    {0x0c, 4, QT_TRANSLATE_NOOP("kernscope::SectionField", "palette format (u32)")},
    {0x10, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "offset in the payload (u64)")},
    {0x18, 8, QT_TRANSLATE_NOOP("kernscope::SectionField", "bytes (u64)")},
}};

std::optional<SectionField> among(std::span<const NamedRun> runs, std::uint64_t begin,
                                  std::uint64_t into, const QString &owner)
{
    for (const NamedRun &run : runs) {
        if (into >= run.offset && into - run.offset < run.length)
            return SectionField{
                SectionFieldWords::tr("%1: %2").arg(owner, SectionFieldWords::tr(run.name)),
                {FileOffset(begin + run.offset), ByteCount(run.length)}};
    }
    return std::nullopt;
}

std::optional<SectionField> unitField(std::size_t number, std::uint64_t begin, std::uint64_t into)
{
    const QString owner = SectionFieldWords::tr("unit %1").arg(groupedNumber(number));
    if (into < kEntries)
        return among(kUnitRuns, begin, into, owner);
    const std::uint64_t kind = (into - kEntries) / kEntryBytes, at = kEntries + kind * kEntryBytes;
    const auto name = format::unitSectionName(static_cast<section::Kind>(kind));
    return among(kEntryRuns, begin + at, into - at,
                 SectionFieldWords::tr("%1, %2").arg(owner, fromUtf8(name)));
}

QString wordName(std::uint64_t word)
{
    if (word == 0)
        return SectionFieldWords::tr("offset of the coefficients (u32)");
    if (word == 1)
        return SectionFieldWords::tr("channels (u32)");
    for (const section::Slot &slot : section::recordSlots()) {
        if (slot.word == word)
            return SectionFieldWords::tr("address slot: %1 (u32)").arg(fromUtf8(slot.name));
    }
    return SectionFieldWords::tr("reserved");
}

SectionField recordField(const section::Unit &unit, std::uint64_t begin, std::uint64_t into)
{
    const std::uint64_t record = into / section::kRecordBytes;
    const std::uint64_t word = into % section::kRecordBytes / 4;
    SectionField field;
    field.name = SectionFieldWords::tr("%1 core %2, record %3: %4")
                     .arg(fromUtf8(unit.name), groupedNumber(unit.core), groupedNumber(record),
                          wordName(word));
    field.bytes = {FileOffset(begin + record * section::kRecordBytes + 4 * word), ByteCount(4)};
    return field;
}

} // namespace

std::optional<SectionField> sectionFieldAt(const section::Section &section, FileOffset offset)
{
    if (offset.value < section::kHeaderBytes)
        return among(kHeaderRuns, 0, offset.value, SectionFieldWords::tr("header"));
    if (offset.value >= section.unitTable) {
        const std::uint64_t number = (offset.value - section.unitTable) / section::kUnitBytes;
        const std::uint64_t begin = section.unitTable + number * section::kUnitBytes;
        if (number < section.units.size())
            return unitField(number, begin, offset.value - begin);
    }
    for (const section::Unit &unit : section.units) {
        if (unit.fault || !unit.has(section::Kind::Ocgs))
            continue;
        const ByteRange records = unit.range(section::Kind::Ocgs);
        if (records.contains(offset))
            return recordField(unit, records.offset.value, offset.value - records.offset.value);
    }
    return std::nullopt;
}

} // namespace kernscope::ui
