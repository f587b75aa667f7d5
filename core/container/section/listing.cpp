// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted_text.h"
#include "core/container/section/layout.h"
#include "core/container/section/section.h"

#include <fmt/format.h>

namespace kernscope::section {

namespace {

std::string slotText(std::uint32_t value)
{
    return value == kUnresolved ? "-" : fmt::format("{:#x}", value);
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
        line += fmt::format(" {:>10}", slotText(record.words[slot.word]));
    return line + '\n';
}

} // namespace

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
            text += fmt::format(" {:>10}", slot.name.substr(0, 10));
        text += '\n';
        for (const RecordPlace &place : recordPlaces(section, group))
            text += recordLine(section, place);
    }
    return text;
}

} // namespace kernscope::section
