// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hwx_text.h"

#include "app/cli/text_output.h"
#include "core/container/hwx/slots.h"
#include "core/report/container_table.h"
#include "core/report/task_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

std::string containerSummary(const hwx::Container &container, const std::string &name)
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

/// A declared table below its title; nothing where it has no row.
template <class Row, class Rows>
std::string titledTable(std::string_view title, const report::TableOf<Row> &table, const Rows &rows)
{
    return rows.empty() ? std::string() : heading(title) + terminalText(textTable(table, rows));
}

std::string slotsText(const hwx::Container &container, std::span<const std::byte> bytes)
{
    const auto slots = hwx::relocationSlots(container, bytes);
    return titledTable("Relocation slots", report::slotTable(), report::slotRows(slots, {}));
}

} // namespace

std::string hwxText(const hwx::Container &container, std::span<const std::byte> bytes,
                    const std::string &name, bool registers)
{
    return containerSummary(container, name) +
           titledTable("Commands", report::commandTable(), report::commandFacts(container)) +
           titledTable("Segments and sections", report::containerSectionTable(),
                       report::containerSectionFacts(container)) +
           titledTable("Ports", report::portTable(), report::portFacts(container)) +
           titledTable("Symbols", report::symbolTable(), report::symbolFacts(container)) +
           slotsText(container, bytes) + hwxTasksText(container, bytes, registers);
}

} // namespace kernscope::cli
