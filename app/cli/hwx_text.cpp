// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hwx_text.h"

#include "app/cli/text_output.h"
#include "core/container/hwx/slots.h"
#include "core/report/slot_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

using Align = Table::Align;

std::string hex(std::uint64_t value)
{
    return fmt::format("{:#x}", value);
}

std::string summaryText(const hwx::Container &container, const std::string &name)
{
    std::string text = styled(Style::Bold, printable(name)) + ": " + bytesText(container.fileBytes);
    const auto *version = container.version;
    if (version == nullptr)
        return text + fmt::format(", unknown subtype {:#x}\n", container.header.cpusubtype);
    text += fmt::format(", subtype {}, descriptor version {}", version->subtype, version->number);
    if (!version->generation.empty())
        text += ", " + version->generation;
    if (!version->targets.empty())
        text += fmt::format(" ({})", fmt::join(version->targets, " "));
    text += container.extended() ? ", extended form\n" : "\n";
    if (container.ident)
        text += "  compiler " + printable(container.ident->compilerVersion) + ", target " +
                printable(container.ident->target) + ", " +
                counted(container.ident->flags.size(), "flag") + "\n";
    if (version->confidence == format::Confidence::Contested && !version->note.empty())
        text += "  contested: " + version->note + "\n";
    return text;
}

std::string commandDetail(const hwx::Container &container, const hwx::LoadCommand &command)
{
    switch (command.kind) {
    case hwx::CommandKind::Segment: return container.segments[command.item].name;
    case hwx::CommandKind::Binding32:
    case hwx::CommandKind::Binding64: {
        const hwx::Binding &binding = container.bindings[command.item];
        return fmt::format("{} at {:#x}", binding.name, binding.address);
    }
    case hwx::CommandKind::Thread: {
        const hwx::Thread &thread = container.threads[command.item];
        if (thread.role == hwx::ThreadRole::Program)
            return fmt::format("program {}, {}", thread.procedure,
                               counted(thread.apertures.size(), "aperture"));
        return thread.role == hwx::ThreadRole::Port ? "port " + thread.name
                                                    : fmt::format("flavor {}", thread.flavor);
    }
    case hwx::CommandKind::Note:
    case hwx::CommandKind::Signature: return container.notes[command.item].owner;
    default: return {};
    }
}

std::string commandsText(const hwx::Container &container)
{
    Table table({{"#", Align::Right},
                 {"offset", Align::Right},
                 {"bytes", Align::Right},
                 {"command"},
                 {"of", Align::Name}});
    for (const hwx::LoadCommand &command : container.commands)
        table.add({std::to_string(command.index), hex(command.offset.value), grouped(command.size),
                   command.kind == hwx::CommandKind::Unknown
                       ? fmt::format("unknown {:#x}", command.cmd)
                       : std::string(hwx::commandKindName(command.kind)),
                   printable(commandDetail(container, command))});
    return table.empty() ? std::string() : heading("Commands") + table.text();
}

std::string sectionsText(const hwx::Container &container)
{
    Table table({{"segment"},
                 {"section", Align::Name},
                 {"type"},
                 {"address", Align::Right},
                 {"bytes", Align::Right},
                 {"file", Align::Right},
                 {"relocations", Align::Right}});
    for (const hwx::Segment &segment : container.segments) {
        if (segment.sections.empty())
            table.add({printable(segment.name), "", "", hex(segment.vmAddress),
                       grouped(segment.vmSize), "window", ""});
        for (const hwx::Section &section : segment.sections)
            table.add({printable(segment.name), printable(section.name),
                       std::string(hwx::sectionTypeName(section.type())), hex(section.address),
                       grouped(section.size),
                       section.bytes ? hex(section.bytes->offset.value) : "window",
                       section.relocations.empty() ? "" : grouped(section.relocations.size())});
    }
    return table.empty() ? std::string() : heading("Segments and sections") + table.text();
}

std::string portsText(const hwx::Container &container)
{
    Table table({{"port"},
                 {"direction"},
                 {"N C H W D"},
                 {"strides"},
                 {"type", Align::Right},
                 {"bytes", Align::Right}});
    for (const hwx::Thread &thread : container.threads) {
        if (thread.role == hwx::ThreadRole::Port)
            table.add({printable(thread.name),
                       thread.direction == 1   ? "input"
                       : thread.direction == 2 ? "output"
                                               : std::to_string(thread.direction),
                       fmt::format("{}", fmt::join(thread.dims, " ")),
                       fmt::format("{}", fmt::join(thread.strides, " ")),
                       std::to_string(thread.elementType), grouped(thread.byteSize)});
    }
    return table.empty() ? std::string() : heading("Ports") + table.text();
}

std::string slotsText(const hwx::Container &container, std::span<const std::byte> bytes)
{
    const auto slots = hwx::relocationSlots(container, bytes);
    return slots.empty()
               ? std::string()
               : heading("Relocation slots") +
                     terminalText(textTable(report::slotTable(), report::slotRows(slots, {})));
}

std::string symbolsText(const hwx::Container &container)
{
    Table table({{"#", Align::Right},
                 {"kind"},
                 {"section", Align::Right},
                 {"value", Align::Right},
                 {"name"}});
    for (std::size_t i = 0; i < container.symbols.size(); ++i) {
        const hwx::Symbol &symbol = container.symbols[i];
        table.add({std::to_string(i), std::string(hwx::symbolKindName(symbol.type)),
                   std::to_string(symbol.section), hex(symbol.value), printable(symbol.name)});
    }
    return table.empty() ? std::string() : heading("Symbols") + table.text();
}

} // namespace

std::string hwxText(const hwx::Container &container, std::span<const std::byte> bytes,
                    const std::string &name, bool registers)
{
    return summaryText(container, name) + commandsText(container) + sectionsText(container) +
           portsText(container) + symbolsText(container) + slotsText(container, bytes) +
           hwxTasksText(container, bytes, registers);
}

} // namespace kernscope::cli
