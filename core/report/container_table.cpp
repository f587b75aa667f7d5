// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/container_table.h"

#include "core/base/find.h"
#include "core/container/hwx/kernels.h"
#include "core/report/json_table.h"

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

/// "segment_64 __TEXT", "port probs@output": the threads differ by their roles.
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

/// What a column says of a segment without sections, and of a section.
template <class OfSegment, class OfSection>
Value ofEither(const ContainerSectionFacts &row, OfSegment segment, OfSection section)
{
    return row.section == nullptr ? Value(segment(*row.segment)) : Value(section(*row.section));
}

using Port = const hwx::Thread *;

} // namespace

std::vector<CommandFacts> commandFacts(const hwx::Container &container)
{
    return mapped(container.commands, [&](const hwx::LoadCommand &each) -> CommandFacts {
        return {&container, &each};
    });
}

const TableOf<CommandFacts> commandTable(
    "commands",
    {{kNumber | kDocument | kTerminal, "index", "#", "Number of the command, from 0",
      CELL(Code(row.command->index))},
     {kNumber, "offset", "Where the command begins in the file",
      CELL(Hex(row.command->offset.value)), jsonOf(CELL(Json(hexText(row.command->offset.value))))},
     {kNumber | kDocument | kTerminal, "bytes",
      "Up to the next command; in JSON only where that is not its cmdsize",
      CELL(Count(row.command->size)),
      jsonOf(CELL(row.command->size != row.command->stated ? Json(hexText(row.command->size))
                                                           : noKey()))},
     {kDocument | kTerminal, "cmd_name", "command", "What kind of command it is",
      CELL(commandName(row)), jsonOf(CELL(Json(hwx::commandKindName(row.command->kind))))},
     {kName | kTerminal, "of", "The segment, port, program or owner that it is about",
      CELL(subjectOf(row))},
     {kWindow, "title", "name", "The command and what it is about; of a field its name",
      commandTitle},
     {kDocument | kWindow, "cmd", "value", "As stored: of a command its number",
      CELL(Hex(row.command->cmd)), jsonOf(CELL(Json(hexText(row.command->cmd))))},
     {kDocument, "cmdsize", "Length as its second word says it",
      CELL(Json(hexText(row.command->stated)))},
     {kTables, "meaning", "What the command says, in short", commandMeaning}},
    {"index", "offset", "cmd", "cmd_name", "cmdsize", "bytes"},
    {"title", "cmd", "meaning", "offset"});

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

const TableOf<SymbolFacts> symbolTable(
    "symbols",
    {{kNumber | kDocument | kTerminal, "index", "#", "Number of the symbol, from 0",
      member<&SymbolFacts::index, Code>},
     {"kind", "What kind of symbol it is", CELL(View(hwx::symbolKindName(row.symbol->type)))},
     {kNumber, "n_sect", "section", "Ordinal of its section", CELL(Code(row.symbol->section))},
     {kNumber, "n_value", "value", "Virtual address", CELL(Hex(row.symbol->value)),
      jsonOf(CELL(Json(hexText(row.symbol->value))))},
     {"name", "Name of the symbol", CELL(View(row.symbol->name))},
     {kTables, "says", "What its name says: shape, strides, lane", CELL(orNothing(row.says))},
     {kDocument, "n_type", "Its type as stored", CELL(Json(hexText(row.symbol->type)))},
     {kDocument, "n_desc", "Its description word as stored",
      CELL(Json(hexText(row.symbol->desc)))}},
    {"index", "name", "n_type", "kind", "n_sect", "n_desc", "n_value"},
    {"name", "kind", "n_sect", "n_value", "says"});

std::vector<ContainerSectionFacts> containerSectionFacts(const hwx::Container &container)
{
    std::vector<ContainerSectionFacts> rows;
    for (const hwx::Segment &segment : container.segments) {
        if (segment.sections.empty())
            rows.push_back({&segment, nullptr});
        for (const hwx::SegmentSection &section : segment.sections)
            rows.push_back({&segment, &section});
    }
    return rows;
}

const TableOf<ContainerSectionFacts> containerSectionTable(
    "container_sections",
    {{"segname", "segment", "Segment that the section lies in", CELL(View(row.segment->name)),
      jsonOf(CELL(Json(row.section->segment)))},
     {kName, "sectname", "section", "Name of the section",
      CELL(row.section != nullptr ? Value(View(row.section->name)) : Value(Nothing()))},
     {"type", "What the section is for",
      CELL(row.section != nullptr ? Value(View(hwx::sectionTypeName(row.section->type())))
                                  : Value(Nothing()))},
     {kNumber, "addr", "address", "Its first virtual address",
      [](auto &row) {
          return ofEither(
              row, [](const auto &segment) { return Hex(segment.vmAddress); },
              [](const auto &section) { return Hex(section.address); });
      },
      jsonOf(CELL(Json(hexText(row.section->address))))},
     {kNumber, "size", "bytes", "Bytes of virtual addresses",
      [](auto &row) {
          return ofEither(
              row, [](const auto &segment) { return Count(segment.vmSize); },
              [](const auto &section) { return Count(section.size); });
      },
      jsonOf(CELL(Json(hexText(row.section->size))))},
     {kNumber, "offset", "file", "Where its bytes begin in the file; a window has none",
      CELL(row.section != nullptr && row.section->bytes
               ? Value(Hex(row.section->bytes->offset.value))
               : Value(Word("window"))),
      jsonOf(CELL(Json(hexText(row.section->offset))))},
     {kNumber, "nreloc", "relocations", "Relocation records of the section",
      CELL(row.section == nullptr || row.section->relocations.empty()
               ? Value(Nothing())
               : Value(Count(row.section->relocations.size()))),
      jsonOf(CELL(Json(row.section->relocationCount)))},
     {kDocument, "ordinal", "Number of the section, from 1 over the whole file",
      CELL(Json(row.section->ordinal))},
     {kDocument, "align_log2", "Binary logarithm of its alignment",
      CELL(Json(row.section->alignLog2))},
     {kDocument, "reloff", "Where its relocation records begin in the file",
      CELL(Json(hexText(row.section->relocationOffset)))},
     {kDocument, "flags", "Its flags as stored", CELL(Json(hexText(row.section->flags)))},
     {kDocument, "attributes", "Names of the flags above the type",
      CELL(Json(hwx::sectionAttributeNames(row.section->flags)))}},
    {"ordinal", "sectname", "segname", "addr", "size", "offset", "align_log2", "reloff", "nreloc",
     "flags", "type", "attributes"});

std::vector<const hwx::Thread *> portFacts(const hwx::Container &container)
{
    std::vector<const hwx::Thread *> rows;
    for (const hwx::Thread &thread : container.threads) {
        if (thread.role == hwx::ThreadRole::Port)
            rows.push_back(&thread);
    }
    return rows;
}

const TableOf<const hwx::Thread *> portTable(
    "ports",
    {{"name", "port", "Name of the port", CELL(View(row->name))},
     {"direction", "Whether the program reads or writes it",
      CELL(row->direction == 1   ? Value(Word{"input"})
           : row->direction == 2 ? Value(Word{"output"})
                                 : Value(Code{row->direction}))},
     {"dims_n_c_h_w_d", "N C H W D", "Extents of the tensor by axis",
      CELL(fmt::format("{}", fmt::join(row->dims, " "))), jsonOf(CELL(Json(row->dims)))},
     {"strides_n_c_h_w_d", "strides", "Bytes from one index to the next, by axis",
      CELL(fmt::format("{}", fmt::join(row->strides, " "))),
      jsonOf(CELL(numbersJson(row->strides)))},
     {kNumber, "element_type", "type", "Number of the element type", CELL(Code(row->elementType))},
     {kNumber, "byte_size", "bytes", "Bytes of the whole tensor", CELL(Count(row->byteSize))},
     {kDocument, "kind", "Kind of the port, as stored", CELL(Code(row->kind))},
     {kDocument, "procedure", "Program that the port belongs to", CELL(View(row->procedure))},
     {kDocument, "symbol", "Its symbol", CELL(View(row->symbol))},
     {kDocument, "interleave", "Channels that lie side by side", CELL(Code(row->interleave))}},
    {"kind", "direction", "procedure", "name", "symbol", "element_type", "dims_n_c_h_w_d",
     "strides_n_c_h_w_d", "interleave", "byte_size"});

} // namespace kernscope::report
