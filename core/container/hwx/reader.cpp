// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/reader.h"

#include "core/base/error_builder.h"
#include "core/container/hwx/command_chain.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

/// More rows than a person reads: a hostile file must not fill memory with them.
constexpr std::size_t kMaxRows = 1000;

} // namespace

Fields::Fields(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t bytes)
{
    if (begin > file.size())
        begin = file.size();
    bytes = std::min<std::uint64_t>(bytes, file.size() - begin);
    m_bytes = file.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(bytes));
}

std::string Fields::text(std::uint64_t at, std::uint64_t limit) const
{
    std::string result;
    if (at >= m_bytes.size()) {
        m_complete = false;
        return result;
    }
    const std::uint64_t end = at + std::min<std::uint64_t>(limit, m_bytes.size() - at);
    for (; at < end && m_bytes[static_cast<std::size_t>(at)] != std::byte(0); ++at)
        result.push_back(std::to_integer<char>(m_bytes[static_cast<std::size_t>(at)]));
    return result;
}

void TableReader::report(Severity severity, std::string code, std::uint64_t at,
                         std::string expected, std::string found, std::string message)
{
    if (m_result.diagnostics.size() >= kMaxRows)
        return;
    m_result.diagnostics.push_back({severity, ErrorBuilder(std::move(code))
                                                  .file(m_file)
                                                  .at(FileOffset(at))
                                                  .expected(std::move(expected))
                                                  .found(std::move(found))
                                                  .message(std::move(message))});
}

Result<Container> TableReader::read()
{
    if (!isContainer(m_bytes))
        return ErrorBuilder("hwx.magic")
            .file(m_file)
            .at(FileOffset(0))
            .expected("0xbeefface")
            .message("not a hardware container")
            .unexpected();
    if (m_bytes.size() < kHeaderBytes)
        return ErrorBuilder("hwx.header")
            .file(m_file)
            .at(FileOffset(0))
            .expected("32 bytes")
            .found(fmt::format("{} bytes", m_bytes.size()))
            .message("the container's header is cut short")
            .unexpected();
    const Fields fields(m_bytes, 0, kHeaderBytes);
    Header &header = m_result.header;
    header = {fields.u32(0),  fields.u32(4),  fields.u32(8),  fields.u32(12),
              fields.u32(16), fields.u32(20), fields.u32(24), fields.u32(28)};
    m_result.fileBytes = m_bytes.size();
    m_result.version = descriptor::versionOfSubtype(header.cpusubtype);
    if (m_result.version == nullptr)
        report(Severity::Warning, "hwx.subtype", 8, "a cpusubtype of the table",
               fmt::format("{:#x}", header.cpusubtype), "this cpusubtype is not known");
    readCommands();
    readSymbols();
    readFrames();
    checkOverlaps();
    checkRelocations();
    walkTexts();
    return std::move(m_result);
}

/// Where the commands end: by the header, or, where it says something else than they do, by them.
std::uint64_t TableReader::endOfTable()
{
    const Header &header = m_result.header;
    const std::uint64_t stated = kHeaderBytes + header.sizeofcmds;
    const std::uint64_t end = std::min<std::uint64_t>(stated, m_bytes.size());
    const auto followed = endOfCommands(m_bytes, header.ncmds);
    const bool numberHolds =
        followed && (*followed > end || !CommandChain(m_bytes, end).soundFrom(*followed));
    if (numberHolds && header.ncmds != 0) {
        report(Severity::Error, "hwx.commands", 0x14,
               fmt::format("{:#x} bytes", *followed - kHeaderBytes),
               fmt::format("{:#x}", header.sizeofcmds),
               fmt::format("the header's {} commands have another size together", header.ncmds));
        return *followed;
    }
    if (stated > m_bytes.size())
        report(Severity::Error, "hwx.commands", 0x14, "commands within the file",
               fmt::format("{:#x} bytes", header.sizeofcmds), "the commands run past the file");
    return end;
}

void TableReader::readCommands()
{
    const Header &header = m_result.header;
    std::uint64_t end = kHeaderBytes + header.sizeofcmds;
    std::optional<CommandChain> chain; // where the header or a size is wrong
    if (end > m_bytes.size() || !statedSizesHold(m_bytes, header.ncmds, end)) {
        end = endOfTable();
        chain.emplace(m_bytes, end);
    }
    m_commandsEnd = end;
    std::uint64_t at = kHeaderBytes;
    std::uint32_t count = 0;
    for (; count < header.ncmds || (chain && at < end && chain->soundFrom(at)); ++count) {
        if (end - at < kCommandHead) {
            report(Severity::Error, "hwx.command", at, fmt::format("{} commands", header.ncmds),
                   fmt::format("{}", count), "the commands end before their number is reached");
            return;
        }
        const auto command = commandAt(at, end, count, chain);
        if (!command)
            return;
        at += command->size;
        m_result.commands.push_back(*command);
        readCommand(m_result.commands.back());
    }
    if (count != header.ncmds)
        report(Severity::Error, "hwx.commands", 0x10, fmt::format("{} commands", count),
               fmt::format("{}", header.ncmds), "more commands follow than the header names");
    if (at != end)
        report(Severity::Warning, "hwx.commands", at, fmt::format("commands up to {:#x}", end),
               fmt::format("{:#x}", at), "bytes are left after the last command");
}

/// The head of a command, with the size that it has; nothing where none can be told.
std::optional<LoadCommand> TableReader::commandAt(std::uint64_t at, std::uint64_t end,
                                                  std::uint32_t index,
                                                  const std::optional<CommandChain> &chain)
{
    LoadCommand command;
    command.index = index;
    command.offset = FileOffset(at);
    command.cmd = loadLittle<std::uint32_t>(m_bytes, at);
    command.size = command.stated = loadLittle<std::uint32_t>(m_bytes, at + 4);
    command.kind = commandKindOf(command.cmd);
    if (!chain)
        return command;
    const auto size = chain->sizeAt(at);
    if (!size) {
        report(Severity::Error, "hwx.command", at, fmt::format("8 to {:#x} bytes", end - at),
               fmt::format("{:#x}", command.stated),
               "the size of this command does not fit the header's");
        return std::nullopt;
    }
    command.size = *size;
    if (command.size != command.stated)
        report(Severity::Error, "hwx.command", at, fmt::format("{:#x} bytes", command.size),
               fmt::format("{:#x}", command.stated),
               at + command.size == end
                   ? "the size of this command is wrong: it is read up to the end of the commands"
                   : "the size of this command is wrong: it is read up to the next one that is "
                     "found");
    return command;
}

void TableReader::readCommand(LoadCommand &command)
{
    switch (command.kind) {
    case CommandKind::Segment:
        command.item = m_result.segments.size();
        readSegment(command);
        break;
    case CommandKind::SymbolTable: readSymbolTable(command); break;
    case CommandKind::Thread:
        command.item = m_result.threads.size();
        readThread(command);
        break;
    case CommandKind::Binding32:
    case CommandKind::Binding64:
        command.item = m_result.bindings.size();
        readBinding(command);
        break;
    case CommandKind::Ident: readIdent(command); break;
    case CommandKind::Signature:
    case CommandKind::Note:
        command.item = m_result.notes.size();
        readNote(command);
        break;
    case CommandKind::Unknown:
        report(Severity::Note, "hwx.unknown", command.offset.value, {},
               fmt::format("{:#x}", command.cmd), "an unknown command: kept, and shown raw");
        break;
    }
}

/// Segments that share bytes of the file.
void TableReader::checkOverlaps()
{
    std::vector<const Segment *> withBytes;
    for (const Segment &segment : m_result.segments) {
        if (segment.hasBytes())
            withBytes.push_back(&segment);
    }
    std::sort(withBytes.begin(), withBytes.end(),
              [](const Segment *a, const Segment *b) { return a->fileOffset < b->fileOffset; });
    for (std::size_t i = 1; i < withBytes.size(); ++i) {
        const Segment &before = *withBytes[i - 1];
        const Segment &segment = *withBytes[i];
        if (segment.fileOffset - before.fileOffset < before.fileSize)
            report(Severity::Error, "hwx.overlap", segment.fileOffset,
                   fmt::format("an offset past segment {}", before.name),
                   fmt::format("{:#x}", segment.fileOffset),
                   "two segments share bytes of the file");
    }
}

void TableReader::checkRelocations()
{
    for (const Segment &segment : m_result.segments) {
        for (const SegmentSection &section : segment.sections) {
            for (const Relocation &relocation : section.relocations) {
                const std::uint64_t bytes = 1ULL << relocation.length();
                if (relocation.address > section.size || section.size - relocation.address < bytes)
                    report(Severity::Error, "hwx.relocation", relocation.place.value,
                           fmt::format("an address below {:#x}", section.size),
                           fmt::format("{:#x}", relocation.address),
                           "the relocation lies outside its section");
                const bool known = relocation.external()
                                       ? relocation.symbolNumber() < m_result.symbols.size()
                                       : m_result.section(relocation.symbolNumber()) != nullptr;
                if (!known)
                    report(Severity::Error, "hwx.relocation", relocation.place.value,
                           relocation.external() ? "a symbol's index" : "a section's ordinal",
                           fmt::format("{}", relocation.symbolNumber()),
                           "the relocation names no target");
            }
        }
    }
}

descriptor::WalkHints TableReader::hintsOf(const SegmentSection &section) const
{
    descriptor::WalkHints hints;
    hints.file = m_file;
    hints.fileOffset = section.bytes->offset.value;
    if (const Thread *program = m_result.program()) {
        if (program->tdBase >= section.address && program->tdBase - section.address < section.size)
            hints.firstOffset = program->tdBase - section.address;
        hints.firstTaskWords = program->firstTaskWords;
        if (program->taskCount)
            hints.taskCount = *program->taskCount;
    }
    for (const Symbol &symbol : m_result.symbols) {
        if (symbol.name.find("text_section_start_for_") != std::string::npos &&
            symbol.value >= section.address && symbol.value - section.address < section.size)
            hints.streamStarts.emplace_back(symbol.value - section.address, symbol.name);
    }
    std::sort(hints.streamStarts.begin(), hints.streamStarts.end());
    return hints;
}

void TableReader::walkTexts()
{
    for (const Segment &segment : m_result.segments) {
        for (const SegmentSection &section : segment.sections) {
            if (section.type() != SectionType::Text || !section.bytes)
                continue;
            const auto bytes =
                m_bytes.subspan(static_cast<std::size_t>(section.bytes->offset.value),
                                static_cast<std::size_t>(section.bytes->bytes.value));
            auto list = descriptor::walkTasks(bytes, m_result.version, hintsOf(section));
            for (Diagnostic &row : list.diagnostics) {
                if (m_result.diagnostics.size() < kMaxRows)
                    m_result.diagnostics.push_back(row);
            }
            m_result.texts.push_back(
                {section.ordinal, std::make_shared<const descriptor::TaskList>(std::move(list))});
        }
    }
}

Result<Container> readContainer(std::span<const std::byte> bytes, const std::string &file)
{
    return TableReader(bytes, file).read();
}

} // namespace kernscope::hwx
