// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/reader.h"

#include "core/base/error_builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

/// More rows than a person reads: a hostile file must not fill memory with them.
constexpr std::size_t kMaxRows = 1000;

constexpr std::uint64_t kSegmentHead = 72;
constexpr std::uint64_t kSectionRecord = 80;
constexpr std::uint64_t kRelocationRecord = 8;
constexpr std::uint64_t kNameBytes = 16; // of segments, sections and notes
constexpr std::uint64_t kMaxTags = 256;
constexpr std::uint64_t kMaxText = 4096;
constexpr std::uint64_t kMaxRelocations = 1U << 20;

/// A type whose sections always have bytes in the file.
bool wantsBytes(const SegmentSection &section)
{
    const SectionType type = section.type();
    return type == SectionType::Kernel || type == SectionType::Text || type == SectionType::Debug;
}

std::string bytesAt(std::uint64_t bytes, std::uint64_t at)
{
    return fmt::format("{:#x} at {:#x}", bytes, at);
}

constexpr std::uint64_t kSymbolRecord = 16;
/// A real file has some hundreds; a hostile one may not fill memory.
constexpr std::uint64_t kMaxSymbols = 1U << 20;

class TableReader
{
public:
    TableReader(std::span<const std::byte> bytes, const std::string &file)
        : m_bytes(bytes), m_file(file)
    {
    }

    Result<Container> read()
    {
        if (!isContainer(m_bytes))
            return refused({m_file, FileOffset(0)}, "hwx.magic", {}, "0xbeefface", {},
                           "not a hardware container");
        if (m_bytes.size() < kHeaderBytes)
            return refused({m_file, FileOffset(0)}, "hwx.header", {}, "32 bytes",
                           fmt::format("{} bytes", m_bytes.size()),
                           "the container's header is cut short");
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

private:
    void report(Severity severity, std::string code, std::uint64_t at, std::string expected,
                std::string found, std::string message)
    {
        if (m_result.diagnostics.size() >= kMaxRows)
            return;
        // What a table states may lie behind the end.
        const FileOffset place(std::min<std::uint64_t>(at, m_bytes.size()));
        m_result.diagnostics.push_back(
            {severity, valueError({m_file, place}, code, {}, expected, found, message)});
    }

    void readCommands()
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

    /// Where the commands end: by the header, or, where it says something else than they do, by
    /// them.
    std::uint64_t endOfTable()
    {
        const Header &header = m_result.header;
        const std::uint64_t stated = kHeaderBytes + header.sizeofcmds;
        const std::uint64_t end = std::min<std::uint64_t>(stated, m_bytes.size());
        const auto followed = endOfCommands(m_bytes, header.ncmds);
        const bool numberHolds =
            followed && (*followed > end || !CommandChain(m_bytes, end).soundFrom(*followed));
        if (numberHolds && header.ncmds != 0) {
            report(
                Severity::Error, "hwx.commands", 0x14,
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

    /// The head of a command, with the size that it has; nothing where none can be told.
    std::optional<LoadCommand> commandAt(std::uint64_t at, std::uint64_t end, std::uint32_t index,
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
            report(
                Severity::Error, "hwx.command", at, fmt::format("{:#x} bytes", command.size),
                fmt::format("{:#x}", command.stated),
                at + command.size == end
                    ? "the size of this command is wrong: it is read up to the end of the commands"
                    : "the size of this command is wrong: it is read up to the next one that is "
                      "found");
        return command;
    }

    void readCommand(LoadCommand &command)
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

    void readSegment(const LoadCommand &command)
    {
        const Fields fields(m_bytes, command.offset.value, command.size);
        Segment segment;
        segment.name = fields.text(8, kNameBytes);
        segment.vmAddress = fields.u64(24);
        segment.vmSize = fields.u64(32);
        segment.fileOffset = fields.u64(40);
        segment.fileSize = fields.u64(48);
        segment.maxProtection = fields.u32(56);
        segment.initProtection = fields.u32(60);
        segment.sectionCount = fields.u32(64);
        segment.flags = fields.u32(68);
        if (!fields.complete())
            report(Severity::Error, "hwx.segment", command.offset.value, "72 bytes",
                   fmt::format("{}", command.size), "the segment command is cut short");
        if (!fitsInside({FileOffset(segment.fileOffset), ByteCount(segment.fileSize)},
                        ByteCount(m_bytes.size())))
            report(Severity::Error, "hwx.segment", command.offset.value,
                   fmt::format("bytes within {:#x}", m_bytes.size()),
                   fmt::format("{:#x} at {:#x}", segment.fileSize, segment.fileOffset),
                   fmt::format("segment {} runs past the file", segment.name));
        readSections(fields, command, segment);
        m_result.segments.push_back(std::move(segment));
    }

    void readSections(const Fields &fields, const LoadCommand &command, Segment &segment)
    {
        std::uint64_t count = segment.sectionCount;
        const std::uint64_t room =
            command.size < kSegmentHead ? 0 : (command.size - kSegmentHead) / kSectionRecord;
        if (count != room) {
            report(Severity::Error, "hwx.section", command.offset.value,
                   fmt::format("{} sections", room), fmt::format("{}", count),
                   count > room ? "the segment names more sections than its command holds"
                                : "the segment names fewer sections than its command holds");
            count = room;
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t at = kSegmentHead + i * kSectionRecord;
            SegmentSection section;
            section.ordinal = ++m_ordinal;
            section.name = fields.text(at, kNameBytes);
            section.segment = fields.text(at + 16, kNameBytes);
            section.address = fields.u64(at + 32);
            section.size = fields.u64(at + 40);
            section.offset = fields.u32(at + 48);
            section.alignLog2 = fields.u32(at + 52);
            section.relocationOffset = fields.u32(at + 56);
            section.relocationCount = fields.u32(at + 60);
            section.flags = fields.u32(at + 64);
            for (std::uint64_t r = 0; r < 3; ++r)
                section.reserved[static_cast<std::size_t>(r)] = fields.u32(at + 68 + 4 * r);
            section.place = FileOffset(command.offset.value + at);
            checkAddress(section, segment);
            placeSection(section, segment);
            readRelocations(section);
            segment.sections.push_back(std::move(section));
        }
    }

    /// A section lies in its segment's addresses, and as far from their start as its bytes lie from
    /// the start of the segment's bytes.
    void checkAddress(const SegmentSection &section, const Segment &segment)
    {
        if (!section.within(segment)) {
            report(Severity::Error, "hwx.section", section.place.value + 32,
                   fmt::format("addresses within {}", bytesAt(segment.vmSize, segment.vmAddress)),
                   bytesAt(section.size, section.address),
                   fmt::format("section {} leaves the addresses of its segment {}", section.name,
                               segment.name));
            return;
        }
        if (!segment.hasBytes() || section.size == 0 ||
            (section.offset == 0 && !wantsBytes(section)))
            return;
        const auto offset = checkedAdd(segment.fileOffset, section.address - segment.vmAddress)
                                .value_or(UINT64_MAX);
        if (section.offset != offset)
            report(
                Severity::Error, "hwx.section", section.place.value + 48,
                fmt::format("offset {:#x}, by its address", offset),
                fmt::format("{:#x}", section.offset),
                fmt::format("offset and address of section {} name different places in segment {}",
                            section.name, segment.name));
    }

    /// A section has bytes where its segment has, and its offset lies within the segment's bytes.
    void placeSection(SegmentSection &section, const Segment &segment)
    {
        if (section.size == 0 || section.offset == 0 ||
            (!segment.hasBytes() && !wantsBytes(section)))
            return;
        const ByteRange range{FileOffset(section.offset), ByteCount(section.size)};
        const bool inside =
            section.offset >= segment.fileOffset &&
            fitsInside({FileOffset(section.offset - segment.fileOffset), range.bytes},
                       ByteCount(segment.fileSize));
        if (!inside || !fitsInside(range, ByteCount(m_bytes.size()))) {
            report(Severity::Error, "hwx.section", section.place.value,
                   fmt::format("bytes within segment {}: {}", segment.name,
                               bytesAt(segment.fileSize, segment.fileOffset)),
                   bytesAt(section.size, section.offset),
                   fmt::format("section {} leaves its segment or the file", section.name));
            if (section.offset >= m_bytes.size())
                return;
        }
        const std::uint64_t room = m_bytes.size() - section.offset;
        section.bytes = ByteRange{range.offset, ByteCount(std::min(section.size, room))};
    }

    /// Records lie behind the header and the commands. Where the number cannot be right, they are
    /// read as far as they name places of the section.
    void readRelocations(SegmentSection &section)
    {
        std::uint64_t count = section.relocationCount;
        if (count == 0)
            return;
        const std::uint64_t begin = section.relocationOffset;
        const bool placed = begin >= m_commandsEnd && begin <= m_bytes.size();
        const std::uint64_t room =
            placed ? std::min((m_bytes.size() - begin) / kRelocationRecord, kMaxRelocations) : 0;
        const bool fits = count <= room;
        if (!fits) {
            report(Severity::Error, "hwx.relocation", section.place.value + (placed ? 60 : 56),
                   placed ? fmt::format("up to {} records", room)
                          : std::string("records behind the commands"),
                   placed ? fmt::format("{}", count) : fmt::format("offset {:#x}", begin),
                   fmt::format("section {} names relocations that the file does not hold",
                               section.name));
            count = room;
        }
        if (fits)
            section.relocations.reserve(static_cast<std::size_t>(count));
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t at = begin + i * kRelocationRecord;
            const Relocation relocation{loadLittle<std::uint32_t>(m_bytes, at),
                                        loadLittle<std::uint32_t>(m_bytes, at + 4), FileOffset(at)};
            const bool plausible =
                relocation.address < section.size && relocation.symbolNumber() != 0;
            if (!fits && !plausible)
                return;
            section.relocations.push_back(relocation);
        }
    }

    void readThread(const LoadCommand &command)
    {
        const Fields fields(m_bytes, command.offset.value, command.size);
        Thread thread;
        thread.flavor = fields.u32(8);
        thread.count = fields.u32(12);
        thread.stateEnd = 16 + 4ULL * thread.count;
        if (thread.stateEnd > command.size)
            report(Severity::Error, "hwx.thread", command.offset.value,
                   fmt::format("a state within {:#x} bytes", command.size),
                   fmt::format("{:#x}", thread.stateEnd),
                   "the thread's state runs past its command");
        if (thread.flavor == 1 || thread.flavor == 4) {
            thread.role = ThreadRole::Program;
            readProgram(fields, thread);
        } else if (thread.flavor == 3) {
            thread.role = ThreadRole::Port;
            readPort(fields, thread);
        } else {
            report(Severity::Note, "hwx.thread", command.offset.value, "flavor 1, 3 or 4",
                   fmt::format("{}", thread.flavor), "a thread of an unknown flavor, shown raw");
        }
        if (thread.role != ThreadRole::Unknown && !fields.complete())
            report(Severity::Error, "hwx.thread", command.offset.value, {},
                   fmt::format("{:#x} bytes", command.size), "the thread's command is cut short");
        m_result.threads.push_back(std::move(thread));
    }

    void readProgram(const Fields &fields, Thread &thread)
    {
        constexpr std::uint64_t kApertures = 0x10, kBase = 0x810;
        const std::uint64_t step = thread.flavor == 1 ? 8 : 16;
        for (std::uint64_t at = kApertures; at < kBase && at + 8 <= fields.size(); at += step) {
            if (const std::uint64_t address = fields.u64(at))
                thread.apertures[static_cast<std::uint32_t>((at - kApertures) / step)] = address;
        }
        thread.tdBase = fields.u64(kBase);
        if (thread.flavor == 1) {
            thread.firstTaskWords = fields.u32(0x818);
            if (*thread.firstTaskWords < UINT32_MAX)
                ++*thread.firstTaskWords;
            thread.taskCount = fields.u32(0x81c);
            thread.procedure = fields.text(fields.u32(0x83c), kMaxText);
            thread.word850 = fields.u32(0x850);
            thread.word858 = fields.u32(0x858);
            readTags(fields, 0x860, thread);
        } else {
            thread.textWords = fields.u32(0x824);
            thread.procedure = fields.text(fields.u32(0x848), kMaxText);
            readTags(fields, 0x870, thread);
        }
    }

    /// A count and {tag, size, value}, where the state is long enough to have them.
    void readTags(const Fields &fields, std::uint64_t at, Thread &thread)
    {
        const std::uint64_t end = std::min(thread.stateEnd, fields.size());
        if (at + 8 > end)
            return;
        const std::uint64_t count = std::min(fields.u64(at), kMaxTags);
        at += 8;
        for (std::uint64_t i = 0; i < count && at + 8 <= end; ++i) {
            ProgramTag tag;
            tag.tag = fields.u32(at);
            tag.bytes = fields.u32(at + 4);
            at += 8;
            if (tag.bytes > end - at)
                return;
            tag.value = tag.bytes >= 8 ? fields.u64(at) : tag.bytes >= 4 ? fields.u32(at) : 0;
            constexpr std::uint32_t kMaxRaw = 4096;
            for (std::uint32_t byte = 0; byte < std::min(tag.bytes, kMaxRaw); ++byte)
                tag.raw.push_back(static_cast<std::byte>(fields.u8(at + byte)));
            at += tag.bytes;
            thread.tags.push_back(std::move(tag));
        }
    }

    void readPort(const Fields &fields, Thread &thread)
    {
        thread.kind = fields.u32(0x10);
        thread.direction = fields.u32(0x14);
        thread.procedure = fields.text(fields.u32(0x18), kMaxText);
        thread.name = fields.text(fields.u32(0x20), kMaxText);
        thread.elementType = fields.u32(0x24);
        for (std::size_t i = 0; i < thread.dims.size(); ++i)
            thread.dims[i] = fields.u32(0x28 + 4 * i);
        for (std::size_t i = 0; i < thread.strides.size(); ++i)
            thread.strides[i] = fields.u64(0x50 + 8 * i);
        thread.interleave = fields.u32(0x78);
        thread.symbol = fields.text(fields.u32(0x7c), kMaxText);
        thread.byteSize = fields.u64(0x80);
    }

    void readBinding(const LoadCommand &command)
    {
        const Fields fields(m_bytes, command.offset.value, command.size);
        Binding binding;
        binding.nameOffset = fields.u32(8);
        binding.minorVersion = fields.u32(12);
        binding.addressBits = command.kind == CommandKind::Binding64 ? 64 : 32;
        binding.address = binding.addressBits == 64 ? fields.u64(16) : fields.u32(16);
        binding.name = fields.text(binding.nameOffset, kMaxText);
        if (!fields.complete())
            report(Severity::Error, "hwx.binding", command.offset.value,
                   "a name within the command", fmt::format("offset {:#x}", binding.nameOffset),
                   "the port binding is cut short");
        m_result.bindings.push_back(std::move(binding));
    }

    void readIdent(const LoadCommand &command)
    {
        const Fields fields(m_bytes, command.offset.value, command.size);
        const std::string all = fields.text(8, command.size);
        Ident ident;
        std::string_view rest = all;
        constexpr std::string_view kCompiler = "zin_ane_compiler v";
        for (bool first = true; !rest.empty(); first = false) {
            const auto end = std::min(rest.find('\n'), rest.size());
            const std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (first)
                ident.firstLine = line;
            else if (line.starts_with(kCompiler))
                ident.compilerVersion = line.substr(kCompiler.size());
            else if (line.starts_with("\t-"))
                ident.flags.emplace_back(line.substr(1));
            else if (const auto text = line.substr(line.starts_with('\t') ? 1 : 0); !text.empty())
                ident.modules.emplace_back(text);
            if (line.starts_with("\t-t "))
                ident.target = line.substr(4);
        }
        m_result.ident = std::move(ident);
    }

    void readNote(const LoadCommand &command)
    {
        const Fields fields(m_bytes, command.offset.value, command.size);
        Note note;
        if (command.kind == CommandKind::Note) {
            note.owner = fields.text(8, kNameBytes);
            note.offset = fields.u64(24);
            note.size = fields.u64(32);
        } else {
            note.owner = "signature";
            note.offset = fields.u32(8);
            note.size = fields.u32(12);
        }
        if (!fields.complete())
            report(Severity::Error, "hwx.note", command.offset.value, {}, {},
                   "the note is cut short");
        m_result.notes.push_back(std::move(note));
    }

    void readSymbolTable(const LoadCommand &command)
    {
        const Fields fields(m_bytes, command.offset.value, command.size);
        SymbolTable table{fields.u32(8), fields.u32(12), fields.u32(16), fields.u32(20)};
        if (!fields.complete())
            report(Severity::Error, "hwx.symbols", command.offset.value, "24 bytes",
                   fmt::format("{}", command.size), "the symbol table command is cut short");
        if (m_result.symbolTable)
            report(Severity::Error, "hwx.symbols", command.offset.value, "one symbol table", "two",
                   "a second symbol table is not read");
        else
            m_result.symbolTable = table;
    }

    /// Symbols and strings lie behind the commands, and not over one another.
    void checkTables(const SymbolTable &table)
    {
        const std::uint64_t symbolBytes = kSymbolRecord * std::uint64_t{table.symbols};
        const auto before = [&](std::uint64_t offset, std::uint64_t bytes, const char *what) {
            if (bytes != 0 && offset < m_commandsEnd)
                report(Severity::Error, "hwx.symbols", offset,
                       fmt::format("an offset from {:#x} on", m_commandsEnd),
                       fmt::format("{:#x}", offset),
                       fmt::format("the {} lie in the header and the commands", what));
        };
        before(table.symbolOffset, symbolBytes, "symbols");
        before(table.stringOffset, table.stringBytes, "strings");
        const std::uint64_t symbolEnd = table.symbolOffset + symbolBytes;
        const std::uint64_t stringEnd = std::uint64_t{table.stringOffset} + table.stringBytes;
        if (symbolBytes != 0 && table.stringBytes != 0 && table.symbolOffset < stringEnd &&
            table.stringOffset < symbolEnd)
            report(Severity::Error, "hwx.symbols", table.symbolOffset,
                   "symbols and strings in places of their own",
                   fmt::format("symbols up to {:#x}, strings from {:#x} to {:#x}", symbolEnd,
                               table.stringOffset, stringEnd),
                   "symbols and strings share bytes");
        if (table.symbols == 0 && table.stringBytes > 1)
            report(Severity::Warning, "hwx.symbols", table.symbolOffset, "symbols for the strings",
                   fmt::format("no symbols, {} bytes of strings", table.stringBytes),
                   "no symbol uses the strings of the symbol table");
    }

    void readSymbols()
    {
        if (!m_result.symbolTable)
            return;
        const SymbolTable &table = *m_result.symbolTable;
        const ByteRange strings{FileOffset(table.stringOffset), ByteCount(table.stringBytes)};
        if (!fitsInside(strings, ByteCount(m_bytes.size())))
            report(Severity::Error, "hwx.strings", table.stringOffset, "strings within the file",
                   fmt::format("{:#x} bytes", table.stringBytes),
                   "the string table runs past the file");
        checkTables(table);
        const std::uint64_t room = table.symbolOffset > m_bytes.size()
                                       ? 0
                                       : (m_bytes.size() - table.symbolOffset) / kSymbolRecord;
        std::uint64_t count = table.symbols;
        if (count > std::min(room, kMaxSymbols)) {
            report(Severity::Error, "hwx.symbols", table.symbolOffset,
                   fmt::format("up to {} symbols", std::min(room, kMaxSymbols)),
                   fmt::format("{}", count), "the file does not hold that many symbols");
            count = std::min(room, kMaxSymbols);
        }
        const Fields names(m_bytes, table.stringOffset, table.stringBytes);
        m_result.symbols.reserve(static_cast<std::size_t>(count));
        std::uint64_t nameBytes = 0; // names may share bytes: their sum is bounded, too
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t at = table.symbolOffset + i * kSymbolRecord;
            Symbol symbol;
            symbol.nameOffset = loadLittle<std::uint32_t>(m_bytes, at);
            symbol.type = loadLittle<std::uint8_t>(m_bytes, at + 4);
            symbol.section = loadLittle<std::uint8_t>(m_bytes, at + 5);
            symbol.desc = loadLittle<std::uint16_t>(m_bytes, at + 6);
            symbol.value = loadLittle<std::uint64_t>(m_bytes, at + 8);
            if (symbol.nameOffset >= names.size() && symbol.nameOffset != 0)
                report(Severity::Error, "hwx.strings", at, "a name within the string table",
                       fmt::format("{:#x}", symbol.nameOffset), "a symbol's name is out of bounds");
            constexpr std::uint64_t kMaxName = 4096, kMaxNameBytes = 64U << 20;
            if (nameBytes < kMaxNameBytes)
                symbol.name = names.text(symbol.nameOffset, kMaxName);
            nameBytes += symbol.name.size();
            if (!symbol.name.empty() && symbol.nameOffset + symbol.name.size() >= names.size())
                report(Severity::Error, "hwx.strings", at, "a name that ends in the string table",
                       fmt::format("{:#x} and no end", symbol.nameOffset),
                       "a symbol's name is cut at the end of the strings");
            m_result.symbols.push_back(std::move(symbol));
        }
    }

    void readFrames()
    {
        for (std::size_t i = 0; i < m_result.symbols.size(); ++i) {
            const Symbol &symbol = m_result.symbols[i];
            if (symbol.type != 0x80 && symbol.type != 0x20)
                continue;
            TensorFrame frame;
            TypeEntry entry;
            if (readTensorFrame(symbol.name, frame)) {
                frame.scope = symbol.type;
                frame.value = symbol.value;
                frame.symbol = i;
                m_result.tensors.push_back(std::move(frame));
            } else if (symbol.type == 0x80 && readTypeEntry(symbol.name, entry)) {
                entry.symbol = i;
                m_result.types.push_back(std::move(entry));
            }
        }
    }

    /// Segments that share bytes of the file.
    void checkOverlaps()
    {
        std::vector<const Segment *> withBytes;
        for (const Segment &segment : m_result.segments) {
            if (segment.hasBytes())
                withBytes.push_back(&segment);
        }
        std::ranges::sort(withBytes, {}, &Segment::fileOffset);
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

    void checkRelocations()
    {
        for (const Segment &segment : m_result.segments) {
            for (const SegmentSection &section : segment.sections) {
                for (const Relocation &relocation : section.relocations) {
                    const std::uint64_t bytes = 1ULL << relocation.length();
                    if (relocation.address > section.size ||
                        section.size - relocation.address < bytes)
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

    void walkTexts()
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
                    {section.ordinal,
                     std::make_shared<const descriptor::TaskList>(std::move(list))});
            }
        }
    }

    descriptor::WalkHints hintsOf(const SegmentSection &section) const
    {
        descriptor::WalkHints hints;
        hints.file = m_file;
        hints.fileOffset = section.bytes->offset.value;
        if (const Thread *program = m_result.program()) {
            if (program->tdBase >= section.address &&
                program->tdBase - section.address < section.size)
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
        std::ranges::sort(hints.streamStarts);
        return hints;
    }

    std::span<const std::byte> m_bytes;
    const std::string &m_file;
    Container m_result;
    std::uint32_t m_ordinal = 0;
    std::uint64_t m_commandsEnd = 0; ///< within the file
};

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

Result<Container> readContainer(std::span<const std::byte> bytes, const std::string &file)
{
    return TableReader(bytes, file).read();
}

} // namespace kernscope::hwx
