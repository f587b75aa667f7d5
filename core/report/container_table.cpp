// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/container_table.h"

#include "core/container/hwx/kernels.h"
#include "core/format/catalogue.h"
#include "core/report/json_table.h"
#include "core/report/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

using hwx::CommandKind;
using hwx::ThreadRole;

std::string threadSubject(const hwx::Thread &thread)
{
    switch (thread.role) {
    case ThreadRole::Program: return "program " + thread.procedure;
    case ThreadRole::Port: return "port " + thread.name;
    case ThreadRole::Unknown: break;
    }
    return fmt::format("flavor {}", thread.flavor);
}

/// The segment, port, program or owner that a command is about.
std::string subjectOf(const CommandFacts &row)
{
    const hwx::Container &container = *row.container;
    const std::size_t item = row.command->item;
    switch (row.command->kind) {
    case CommandKind::Segment: return container.segments[item].name;
    case CommandKind::Binding32:
    case CommandKind::Binding64: return container.bindings[item].name;
    case CommandKind::Thread: return threadSubject(container.threads[item]);
    case CommandKind::Note:
    case CommandKind::Signature: return container.notes[item].owner;
    case CommandKind::SymbolTable:
    case CommandKind::Ident:
    case CommandKind::Unknown: break;
    }
    return {};
}

Value threadMeaning(const hwx::Thread &thread)
{
    if (thread.role == ThreadRole::Program)
        return counted(thread.apertures.size(), "aperture");
    if (thread.role != ThreadRole::Port)
        return Nothing();
    const std::string dims = fmt::format("N C H W D {}", fmt::join(thread.dims, " "));
    if (thread.direction == 1 || thread.direction == 2)
        return Word{thread.direction == 1 ? "input" : "output", Mark::None, dims};
    return Word{"direction", Mark::None, fmt::format("{}, {}", thread.direction, dims)};
}

Value commandMeaning(const CommandFacts &row)
{
    const hwx::Container &container = *row.container;
    const std::size_t item = row.command->item;
    switch (row.command->kind) {
    case CommandKind::Segment:
        return container.segments[item].hasBytes()
                   ? Value(counted(container.segments[item].fileSize, "byte"))
                   : Value(Word{"virtual window: no bytes in the file"});
    case CommandKind::Binding32:
    case CommandKind::Binding64:
        return Word{"at", Mark::None, hexText(container.bindings[item].address)};
    case CommandKind::Thread: return threadMeaning(container.threads[item]);
    case CommandKind::Ident:
        if (container.ident)
            return fmt::format("{} \u2192 {}, {}", container.ident->compilerVersion,
                               container.ident->target,
                               counted(container.ident->flags.size(), "flag"));
        break;
    case CommandKind::SymbolTable:
        return container.symbolTable ? Value(counted(container.symbolTable->symbols, "symbol"))
                                     : Value(Nothing());
    case CommandKind::Note:
    case CommandKind::Signature:
        return fmt::format("{} from {}", counted(container.notes[item].size, "byte"),
                           hexText(container.notes[item].offset));
    case CommandKind::Unknown: break;
    }
    return Nothing();
}

/// "segment_64"; of a command that is not known its number.
std::string commandName(const CommandFacts &row)
{
    if (row.command->kind == CommandKind::Unknown)
        return "unknown " + hexText(row.command->cmd);
    return std::string(hwx::commandKindName(row.command->kind));
}

/// "segment_64 __TEXT", "port probs@output": the threads are told apart by their roles.
Value commandTitle(const CommandFacts &row)
{
    const std::string subject = subjectOf(row);
    if (row.command->kind == CommandKind::Thread || subject.empty())
        return subject.empty() ? commandName(row) : subject;
    return commandName(row) + " " + subject;
}

std::string kernelSays(const hwx::KernelName &kernel)
{
    return kernel.lane ? fmt::format("kernel, lane {}", *kernel.lane) : "kernel or table";
}

std::string frameSays(const hwx::TensorFrame &frame)
{
    std::string text;
    for (const hwx::FrameAxis &axis : frame.axes)
        text += fmt::format("{}{} {} (stride {})", text.empty() ? "" : ", ", axis.axis,
                            grouped(axis.count), grouped(axis.byteStride));
    return text + fmt::format(", type {}", frame.elementType);
}

} // namespace

std::vector<CommandFacts> commandFacts(const hwx::Container &container)
{
    std::vector<CommandFacts> rows;
    for (const hwx::LoadCommand &command : container.commands)
        rows.push_back({&container, &command});
    return rows;
}

const TableOf<CommandFacts> &commandTable()
{
    using Row = CommandFacts;
    static constexpr Column<Row> kColumns[] = {
        {kNumber | kDocument | kTerminal, "index", "#", "Number of the command, from 0",
         [](const Row &row) -> Value { return Code(row.command->index); }},
        {kNumber, "offset", "offset", "Where the command begins in the file",
         [](const Row &row) -> Value { return Hex(row.command->offset.value); },
         jsonOf([](const Row &row) { return Json(hexText(row.command->offset.value)); })},
        {kNumber | kDocument | kTerminal, "bytes", "bytes",
         "Up to the next command; in JSON only where that is not its cmdsize",
         [](const Row &row) -> Value { return Count(row.command->size); },
         jsonOf([](const Row &row) {
             return row.command->size != row.command->stated ? Json(hexText(row.command->size))
                                                             : noKey();
         })},
        {kDocument | kTerminal, "cmd_name", "command", "What kind of command it is",
         [](const Row &row) -> Value { return commandName(row); },
         jsonOf([](const Row &row) { return Json(hwx::commandKindName(row.command->kind)); })},
        {kName | kTerminal, "of", "of", "The segment, port, program or owner that it is about",
         [](const Row &row) -> Value { return subjectOf(row); }},
        {kWindow, "title", "name", "The command and what it is about; of a field its name",
         commandTitle},
        {kDocument | kWindow, "cmd", "value", "As stored: of a command its number",
         [](const Row &row) -> Value { return Hex(row.command->cmd); },
         jsonOf([](const Row &row) { return Json(hexText(row.command->cmd)); })},
        {kDocument, "cmdsize", "cmdsize", "Length as its second word says it", nullptr,
         jsonOf([](const Row &row) { return Json(hexText(row.command->stated)); })},
        {kTables, "meaning", "meaning", "What the command says, in short", commandMeaning},
    };
    static const TableOf<Row> kTable{"commands",
                                     kColumns,
                                     {"index", "offset", "cmd", "cmd_name", "cmdsize", "bytes"},
                                     {"title", "cmd", "meaning", "offset"}};
    return kTable;
}

std::vector<SymbolFacts> symbolFacts(const hwx::Container &container)
{
    std::vector<SymbolFacts> rows;
    rows.reserve(container.symbols.size());
    for (std::size_t i = 0; i < container.symbols.size(); ++i) {
        const auto kernel = hwx::parseKernelName(container.symbols[i].name);
        rows.push_back({&container.symbols[i], i, kernel ? kernelSays(*kernel) : std::string()});
    }
    for (const hwx::TensorFrame &frame : container.tensors)
        rows[frame.symbol].says = frameSays(frame);
    for (const hwx::TypeEntry &entry : container.types) {
        const auto *row = format::find(format::TypeNumber(entry.id));
        rows[entry.symbol].says = fmt::format("type {}", entry.id);
        if (row != nullptr && row->bits)
            rows[entry.symbol].says += fmt::format(", {} bits", *row->bits);
    }
    return rows;
}

std::optional<ByteRange> symbolEntry(const hwx::Container &container, std::size_t symbol)
{
    if (!container.symbolTable || symbol >= container.symbols.size())
        return std::nullopt;
    return ByteRange{FileOffset(container.symbolTable->symbolOffset + 16 * symbol), ByteCount(16)};
}

const TableOf<SymbolFacts> &symbolTable()
{
    using Row = SymbolFacts;
    static constexpr Column<Row> kColumns[] = {
        {kNumber | kDocument | kTerminal, "index", "#", "Number of the symbol, from 0",
         [](const Row &row) -> Value { return Code(row.index); }},
        {"kind", "kind", "What kind of symbol it is",
         [](const Row &row) -> Value { return View(hwx::symbolKindName(row.symbol->type)); }},
        {kNumber, "n_sect", "section", "Ordinal of its section",
         [](const Row &row) -> Value { return Code(row.symbol->section); }},
        {kNumber, "n_value", "value", "Virtual address",
         [](const Row &row) -> Value { return Hex(row.symbol->value); },
         jsonOf([](const Row &row) { return Json(hexText(row.symbol->value)); })},
        {"name", "name", "Name of the symbol",
         [](const Row &row) -> Value { return View(row.symbol->name); }},
        {kTables, "says", "says", "What its name says: shape, strides, lane",
         [](const Row &row) { return orNothing(row.says); }},
        {kDocument, "n_type", "type", "Its type as stored", nullptr,
         jsonOf([](const Row &row) { return Json(hexText(row.symbol->type)); })},
        {kDocument, "n_desc", "description", "Its description word as stored", nullptr,
         jsonOf([](const Row &row) { return Json(hexText(row.symbol->desc)); })},
    };
    static const TableOf<Row> kTable{
        "symbols",
        kColumns,
        {"index", "name", "n_type", "kind", "n_sect", "n_desc", "n_value"},
        {"name", "kind", "n_sect", "n_value", "says"}};
    return kTable;
}

} // namespace kernscope::report
