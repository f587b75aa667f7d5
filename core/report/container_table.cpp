// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/container_table.h"

#include "core/container/hwx/kernels.h"
#include "core/format/catalogue.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

using hwx::CommandKind;
using hwx::ThreadRole;

constexpr auto kContainerNumber = TextTable::Align::Right;

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

std::vector<Column<CommandFacts>> commandColumns()
{
    using Row = CommandFacts;
    return {
        {.key = "index",
         .title = "#",
         .explanation = "Number of the command, from 0",
         .align = kContainerNumber,
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value { return Code{row.command->index}; }},
        {.key = "offset",
         .title = "offset",
         .explanation = "Where the command begins in the file",
         .align = kContainerNumber,
         .value = [](const Row &row) -> Value { return Hex{row.command->offset.value}; },
         .document = [](const Row &row) { return Json(hexText(row.command->offset.value)); }},
        {.key = "bytes",
         .title = "bytes",
         .explanation = "Up to the next command; in JSON only where that is not its cmdsize",
         .align = kContainerNumber,
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value { return Count{row.command->size}; },
         .document =
             [](const Row &row) {
                 return row.command->size != row.command->stated ? Json(hexText(row.command->size))
                                                                 : noKey();
             }},
        {.key = "cmd_name",
         .title = "command",
         .explanation = "What kind of command it is",
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value { return commandName(row); },
         .document = [](const Row &row) { return Json(hwx::commandKindName(row.command->kind)); }}};
}

std::vector<Column<CommandFacts>> commandDetails()
{
    using Row = CommandFacts;
    return {{.key = "of",
             .title = "of",
             .explanation = "The segment, port, program or owner that it is about",
             .align = TextTable::Align::Name,
             .shown = kTerminal,
             .value = [](const Row &row) -> Value { return subjectOf(row); }},
            {.key = "title",
             .title = "name",
             .explanation = "The command and what it is about; of a field its name",
             .shown = kWindow,
             .value = commandTitle},
            {.key = "cmd",
             .title = "value",
             .explanation = "As stored: of a command its number",
             .shown = kDocument | kWindow,
             .value = [](const Row &row) -> Value { return Hex{row.command->cmd}; },
             .document = [](const Row &row) { return Json(hexText(row.command->cmd)); }},
            {.key = "cmdsize",
             .title = "cmdsize",
             .explanation = "Length as its second word says it",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(hexText(row.command->stated)); }},
            {.key = "meaning",
             .title = "meaning",
             .explanation = "What the command says, in short",
             .shown = kTables,
             .value = commandMeaning}};
}

std::vector<Column<SymbolFacts>> symbolColumns()
{
    using Row = SymbolFacts;
    return {{.key = "index",
             .title = "#",
             .explanation = "Number of the symbol, from 0",
             .align = kContainerNumber,
             .shown = kDocument | kTerminal,
             .value = [](const Row &row) -> Value { return Code{row.index}; }},
            {.key = "kind",
             .title = "kind",
             .explanation = "What kind of symbol it is",
             .value = [](const Row &row) -> Value {
                 return View(hwx::symbolKindName(row.symbol->type));
             }},
            {.key = "n_sect",
             .title = "section",
             .explanation = "Ordinal of its section",
             .align = kContainerNumber,
             .value = [](const Row &row) -> Value { return Code{row.symbol->section}; }},
            {.key = "n_value",
             .title = "value",
             .explanation = "Virtual address",
             .align = kContainerNumber,
             .value = [](const Row &row) -> Value { return Hex{row.symbol->value}; },
             .document = [](const Row &row) { return Json(hexText(row.symbol->value)); }},
            {.key = "name",
             .title = "name",
             .explanation = "Name of the symbol",
             .value = [](const Row &row) -> Value { return View(row.symbol->name); }},
            {.key = "says",
             .title = "says",
             .explanation = "What its name says: shape, strides, lane",
             .shown = kTables,
             .value = [](const Row &row) { return orNothing(row.says); }},
            {.key = "n_type",
             .title = "type",
             .explanation = "Its type as stored",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(hexText(row.symbol->type)); }},
            {.key = "n_desc",
             .title = "description",
             .explanation = "Its description word as stored",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(hexText(row.symbol->desc)); }}};
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
    static const TableOf<CommandFacts> kTable{
        "commands",
        joinedColumns(commandColumns(), commandDetails()),
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
    static const TableOf<SymbolFacts> kTable{
        "symbols",
        symbolColumns(),
        {"index", "name", "n_type", "kind", "n_sect", "n_desc", "n_value"},
        {"name", "kind", "n_sect", "n_value", "says"}};
    return kTable;
}

} // namespace kernscope::report
