// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/cover.h"

#include "core/container/hwx/kernels.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

constexpr std::uint64_t kLongestPadding = 1U << 20;
/// Of more tasks than these each is one run: their records are not listed.
constexpr std::size_t kRecordsUpTo = 20000;
constexpr std::uint64_t kRelocationBytes = 8, kSymbolBytes = 16;

bool allZero(std::span<const std::byte> bytes)
{
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte(0); });
}

class Cover
{
public:
    Cover(const Container &container, std::span<const std::byte> bytes)
        : m_container(container), m_bytes(bytes)
    {
    }

    std::vector<CoverSpan> make()
    {
        m_tiles = kernelTiles(m_container);
        addCommands();
        addSymbols();
        addNotes();
        for (const Segment &segment : m_container.segments) {
            for (const SegmentSection &section : segment.sections)
                addSection(section);
        }
        for (const Text &text : m_container.texts)
            coverTasks(m_container, text, m_bytes, m_spans);
        addDebug();
        addPadding(m_spans, m_bytes);
        return std::move(m_spans);
    }

private:
    /// Adds the part of a run that lies in the file.
    void add(std::uint64_t offset, std::uint64_t size, SpanKind kind, std::string name)
    {
        if (offset >= m_bytes.size() || size == 0)
            return;
        size = std::min<std::uint64_t>(size, m_bytes.size() - offset);
        m_spans.push_back({{FileOffset(offset), ByteCount(size)}, kind, std::move(name)});
    }

    void addCommands()
    {
        add(0, kHeaderBytes, SpanKind::Header, "header");
        for (const LoadCommand &command : m_container.commands) {
            std::string name =
                fmt::format("command {}: {}", command.index, commandKindName(command.kind));
            if (command.kind == CommandKind::Segment)
                name += " " + m_container.segments[command.item].name;
            if (command.kind == CommandKind::Thread &&
                !m_container.threads[command.item].name.empty())
                name += " " + m_container.threads[command.item].name;
            add(command.offset.value, command.size, SpanKind::Command, std::move(name));
        }
    }

    void addSymbols()
    {
        if (!m_container.symbolTable)
            return;
        const SymbolTable &table = *m_container.symbolTable;
        add(table.symbolOffset, kSymbolBytes * m_container.symbols.size(), SpanKind::Symbols,
            "symbols");
        add(table.stringOffset, table.stringBytes, SpanKind::Strings, "strings");
    }

    /// A note's range counts from its command, a signature's from the file.
    void addNotes()
    {
        for (const LoadCommand &command : m_container.commands) {
            if (command.kind == CommandKind::Signature) {
                const Note &note = m_container.notes[command.item];
                add(note.offset, note.size, SpanKind::Note, note.owner);
            }
        }
    }

    void addSection(const SegmentSection &section)
    {
        add(section.relocationOffset, kRelocationBytes * section.relocations.size(),
            SpanKind::Relocations, fmt::format("relocations of {}", section.name));
        if (!section.bytes)
            return;
        const std::string name = section.segment + "," + section.name;
        if (section.type() == SectionType::Kernel) {
            addKernels(section);
            return;
        }
        if (section.type() == SectionType::Debug)
            return; // addDebug() names its records
        if (section.type() != SectionType::Text)
            add(section.bytes->offset.value, section.bytes->bytes.value, SpanKind::Data, name);
        else if (!hasTasks(section.ordinal))
            add(section.bytes->offset.value, section.bytes->bytes.value, SpanKind::Text,
                name + ": words of no known form");
    }

    void addKernels(const SegmentSection &section)
    {
        std::uint64_t first = section.bytes->bytes.value;
        for (const KernelTile &tile : m_tiles) {
            if (tile.section != section.ordinal)
                continue;
            first = std::min(first, tile.sectionOffset);
            add(tile.fileOffset.value, tile.bytes.value, SpanKind::Kernel,
                m_container.symbols[tile.symbol].name);
        }
        if (first == 0)
            return;
        const auto head = m_bytes.subspan(static_cast<std::size_t>(section.bytes->offset.value),
                                          static_cast<std::size_t>(first));
        const bool zero = head.size() <= kLongestPadding && allZero(head);
        add(section.bytes->offset.value, first, zero ? SpanKind::Padding : SpanKind::Kernel,
            fmt::format("{},{}: {}", section.segment, section.name,
                        zero ? "zeros that no symbol names" : "bytes that no symbol names"));
    }

    void addDebug()
    {
        std::map<std::uint32_t, std::size_t> counts; // of records, by section
        for (const DebugRecord &record : debugRecords(m_container, m_bytes)) {
            const SegmentSection *section = m_container.section(record.section);
            const std::size_t number = counts[record.section]++;
            add(record.bytes.offset.value, record.bytes.bytes.value, SpanKind::Debug,
                fmt::format("{},{}: {} (layout not known)", section->segment, section->name,
                            record.symbols.empty() ? std::string("debug bytes that no symbol names")
                                                   : fmt::format("debug record {}", number)));
        }
    }

    bool hasTasks(std::uint32_t ordinal) const
    {
        return std::ranges::any_of(m_container.texts, [ordinal](const Text &text) {
            return text.section == ordinal && !text.tasks->tasks.empty();
        });
    }

    const Container &m_container;
    std::span<const std::byte> m_bytes;
    std::vector<KernelTile> m_tiles;
    std::vector<CoverSpan> m_spans;
};

std::string recordName(std::size_t task, const descriptor::Packet &packet,
                       const descriptor::RegisterMap *map)
{
    const descriptor::Register *reg = map == nullptr ? nullptr : map->find(packet.address);
    if (reg == nullptr)
        return fmt::format("task {}: record {:#x}", task, packet.address);
    return fmt::format("task {}: {} record {:#x}", task, reg->block, packet.address);
}

constexpr std::size_t kShortestText = 4;

std::vector<DebugText> textsIn(std::span<const std::byte> bytes, std::uint64_t offset)
{
    std::vector<DebugText> texts;
    std::string text;
    for (std::size_t i = 0; i <= bytes.size(); ++i) {
        const auto value = i < bytes.size() ? std::to_integer<unsigned char>(bytes[i]) : 0u;
        if (value >= 0x20 && value < 0x7f) {
            text += static_cast<char>(value);
            continue;
        }
        if (text.size() >= kShortestText)
            texts.push_back({FileOffset(offset + i - text.size()), std::move(text)});
        text.clear();
    }
    return texts;
}

/// Start of each record within the section, and the symbols that name it.
std::map<std::uint64_t, std::vector<std::size_t>> startsIn(const Container &container,
                                                           const SegmentSection &section)
{
    std::map<std::uint64_t, std::vector<std::size_t>> starts{{0, {}}};
    for (std::size_t i = 0; i < container.symbols.size(); ++i) {
        const Symbol &symbol = container.symbols[i];
        const bool inside = symbol.section == section.ordinal && symbol.value >= section.address &&
                            symbol.value - section.address < section.bytes->bytes.value;
        if (inside)
            starts[symbol.value - section.address].push_back(i);
    }
    return starts;
}

} // namespace

void coverTasks(const Container &container, const Text &text, std::span<const std::byte> bytes,
                std::vector<CoverSpan> &spans)
{
    const SegmentSection *section = container.section(text.section);
    if (section == nullptr || !section->bytes || text.tasks->tasks.empty())
        return;
    const std::uint64_t base = section->bytes->offset.value;
    const auto run = [&](std::uint64_t at, std::uint64_t size, SpanKind kind, std::string name) {
        spans.push_back({{FileOffset(base + at), ByteCount(size)}, kind, std::move(name)});
    };
    const descriptor::TaskList &list = *text.tasks;
    for (const descriptor::TaskStream &stream : list.streams) {
        if (list.version->prefixWords != 0 && stream.offset + 16 <= section->bytes->bytes.value)
            run(stream.offset, 16, SpanKind::Text,
                stream.name.empty() ? "stream header" : "stream header: " + stream.name);
    }
    const auto *map = descriptor::RegisterMap::of(list.version->registerMap);
    const descriptor::TaskReader reader(
        bytes.subspan(static_cast<std::size_t>(base),
                      static_cast<std::size_t>(section->bytes->bytes.value)),
        list);
    descriptor::TaskDetail detail;
    const bool records = list.tasks.size() <= kRecordsUpTo;
    for (std::size_t i = 0; i < list.tasks.size(); ++i) {
        const descriptor::Task &task = list.tasks[i];
        if (!records) {
            run(task.offset, task.bytes(), SpanKind::Task, fmt::format("task {}", i));
            continue;
        }
        run(task.offset, task.streamBegin(), SpanKind::TaskHeader,
            fmt::format("task {}: header", i));
        reader.read(i, detail);
        for (const descriptor::Packet &packet : detail.stream.packets)
            run(task.offset + packet.offset, packet.bytes(), SpanKind::Record,
                recordName(i, packet, map));
        if (detail.stream.end < task.bytes())
            run(task.offset + detail.stream.end, task.bytes() - detail.stream.end, SpanKind::Task,
                fmt::format("task {}: words that do not decode", i));
    }
}

void addPadding(std::vector<CoverSpan> &spans, std::span<const std::byte> bytes)
{
    std::vector<ByteRange> taken;
    for (const CoverSpan &span : spans)
        taken.push_back(span.range);
    taken.push_back({FileOffset(bytes.size()), ByteCount(0)});
    std::ranges::sort(taken);
    std::uint64_t at = 0;
    for (const ByteRange &range : taken) {
        if (range.offset.value > at && range.offset.value - at <= kLongestPadding &&
            allZero(bytes.subspan(static_cast<std::size_t>(at),
                                  static_cast<std::size_t>(range.offset.value - at))))
            spans.push_back({{FileOffset(at), ByteCount(range.offset.value - at)},
                             SpanKind::Padding,
                             "padding"});
        at = std::max(at, range.end());
    }
}

std::vector<CoverSpan> coverContainer(const Container &container, std::span<const std::byte> bytes)
{
    return Cover(container, bytes).make();
}

std::vector<DebugRecord> debugRecords(const Container &container, std::span<const std::byte> bytes)
{
    std::vector<DebugRecord> records;
    for (const Segment &segment : container.segments) {
        for (const SegmentSection &section : segment.sections) {
            if (section.type() != SectionType::Debug || !section.bytes ||
                section.bytes->bytes.value == 0 ||
                !fitsInside(*section.bytes, ByteCount(bytes.size())))
                continue;
            const auto starts = startsIn(container, section);
            for (auto at = starts.begin(); at != starts.end(); ++at) {
                const auto next = std::next(at);
                const std::uint64_t end =
                    next == starts.end() ? section.bytes->bytes.value : next->first;
                const std::uint64_t offset = section.bytes->offset.value + at->first;
                DebugRecord record{section.ordinal,
                                   {FileOffset(offset), ByteCount(end - at->first)},
                                   section.address + at->first,
                                   at->second,
                                   {}};
                record.texts = textsIn(bytes.subspan(static_cast<std::size_t>(offset),
                                                     static_cast<std::size_t>(end - at->first)),
                                       offset);
                records.push_back(std::move(record));
            }
        }
    }
    return records;
}

namespace {

using format::PlacedField;

class FieldList
{
public:
    FieldList(std::uint64_t begin, std::uint64_t limit, std::string owner)
        : m_begin(begin), m_limit(limit), m_owner(std::move(owner))
    {
    }

    void add(std::string_view record, std::uint64_t at = 0, const std::string &of = {})
    {
        for (const format::RecordField &row : format::recordFields("hwx_fields", record)) {
            const std::uint64_t begin = at + row.offset;
            if (begin + row.bytes > m_limit)
                continue;
            PlacedField field;
            field.name = m_owner + ": " + of + row.text();
            field.bytes = {FileOffset(m_begin + begin), ByteCount(row.bytes)};
            field.confidence = row.confidence;
            field.source = row.source;
            m_rows.push_back(std::move(field));
        }
    }
    void add(std::uint64_t at, std::uint64_t bytes, const std::string &name)
    {
        if (at + bytes > m_limit)
            return;
        PlacedField field;
        field.name = m_owner + ": " + name;
        field.bytes = {FileOffset(m_begin + at), ByteCount(bytes)};
        m_rows.push_back(std::move(field));
    }
    std::vector<PlacedField> take() { return std::move(m_rows); }

private:
    std::uint64_t m_begin, m_limit;
    std::string m_owner;
    std::vector<PlacedField> m_rows;
};

void addThread(FieldList &fields, const Thread &thread)
{
    fields.add("thread");
    if (thread.role == ThreadRole::Port)
        return fields.add("port");
    if (thread.role != ThreadRole::Program)
        return;
    const std::uint64_t step = thread.flavor == 1 ? 8 : 16;
    for (const auto &[index, address] : thread.apertures)
        fields.add(0x10 + index * step, 8, fmt::format("aperture {}", index));
    fields.add(thread.flavor == 1 ? "program 1" : "program 4");
}

std::optional<PlacedField> pick(std::vector<PlacedField> fields, FileOffset offset)
{
    for (PlacedField &field : fields) {
        if (field.bytes.contains(offset))
            return std::move(field);
    }
    return std::nullopt;
}

/// Field of the record with that number in a table of equal records.
std::optional<PlacedField> recordField(const std::string &what, std::uint64_t begin,
                                       std::uint64_t step, std::uint64_t count, FileOffset offset)
{
    if (offset.value < begin || (offset.value - begin) / step >= count)
        return std::nullopt;
    const std::uint64_t number = (offset.value - begin) / step;
    FieldList fields(begin + number * step, step, fmt::format("{} {}", what, number));
    fields.add(what);
    return pick(fields.take(), offset);
}

/// The fields with bits in one byte of a register, or all, "Kw 4:0, Kh 9:5" in parentheses after a
/// blank; empty where none are named or one is the whole register.
std::string fieldsInByte(const descriptor::Register &reg, std::optional<std::uint64_t> byte)
{
    constexpr unsigned kWholeRegister = 31;
    std::string text;
    for (const descriptor::BitField &field : reg.fields) {
        const bool here = !byte || (field.low < 8 * *byte + 8 && field.high >= 8 * *byte);
        if (!here || field.high - field.low == kWholeRegister)
            continue;
        text += text.empty() ? " (" : ", ";
        text += field.low == field.high
                    ? fmt::format("{} {}", field.name, field.low)
                    : fmt::format("{} {}:{}", field.name, field.high, field.low);
    }
    return text.empty() ? text : text + ')';
}

void setSource(PlacedField &field, const descriptor::Register &reg)
{
    field.confidence = reg.confidence;
    field.source = reg.source;
}

void nameHeaderWord(PlacedField &field, const descriptor::Version &version, std::uint32_t word)
{
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    const descriptor::Register *reg = map == nullptr ? nullptr : map->header(word);
    field.name = fmt::format("header word {}{}", word,
                             reg == nullptr ? std::string() : fieldsInByte(*reg, std::nullopt));
    if (reg != nullptr)
        setSource(field, *reg);
}

std::string packetName(const descriptor::Packet &packet)
{
    return fmt::format("{} record of {} from {:#x}{}", descriptor::packetKindName(packet.kind),
                       packet.count, packet.address,
                       packet.kind == descriptor::PacketKind::Address
                           ? fmt::format(", BAR {}", packet.bar)
                           : std::string());
}

/// The base address register that a value is an offset to, in words; empty where none is.
std::string barOf(const descriptor::Stream &stream, std::size_t write)
{
    for (const auto &packet : stream.packets) {
        if (packet.kind == descriptor::PacketKind::Address && write >= packet.firstWrite &&
            write - packet.firstWrite < packet.count)
            return fmt::format(", offset in BAR {}", packet.bar);
    }
    return {};
}

/// Names a word of a task's register stream: a record's head or the register that it writes.
void nameStreamWord(PlacedField &field, const descriptor::Version &version,
                    const descriptor::TaskDetail &detail, std::uint64_t offset, std::uint64_t byte)
{
    for (const auto &packet : detail.stream.packets) {
        if (packet.offset != offset)
            continue;
        field.name = packetName(packet);
        return;
    }
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    for (std::size_t i = 0; i < detail.stream.writes.size(); ++i) {
        const auto &write = detail.stream.writes[i];
        if (write.offset != offset)
            continue;
        const auto *reg = map == nullptr ? nullptr : map->find(write.address);
        field.name = reg == nullptr ? fmt::format("register {:#x}", write.address)
                                    : reg->block + " " + reg->name + fieldsInByte(*reg, byte);
        field.name += barOf(detail.stream, i);
        if (reg != nullptr)
            setSource(field, *reg);
        return;
    }
    field.name = "a word that does not decode";
}

std::optional<PlacedField> taskField(const Container &container, const Text &text,
                                     std::span<const std::byte> bytes, FileOffset offset)
{
    const SegmentSection *section = container.section(text.section);
    if (section == nullptr || !section->bytes || !section->bytes->contains(offset) ||
        text.tasks->tasks.empty())
        return std::nullopt;
    const std::uint64_t base = section->bytes->offset.value, into = offset.value - base;
    const auto &tasks = text.tasks->tasks;
    const auto behind = std::upper_bound(
        tasks.begin(), tasks.end(), into,
        [](std::uint64_t at, const descriptor::Task &task) { return at < task.offset; });
    if (behind == tasks.begin())
        return std::nullopt;
    const auto index = static_cast<std::size_t>(std::prev(behind) - tasks.begin());
    const descriptor::Task &task = tasks[index];
    const std::uint64_t at = into - task.offset;
    if (at >= task.bytes())
        return std::nullopt;
    const std::uint64_t word = at / 4;
    PlacedField field;
    field.bytes = {FileOffset(base + task.offset + 4 * word), ByteCount(4)};
    const std::string owner = fmt::format("task {}: ", index);
    if (word < task.headerWords) {
        nameHeaderWord(field, *text.tasks->version, static_cast<std::uint32_t>(word));
        field.name = owner + field.name;
        return field;
    }
    const descriptor::TaskReader reader(
        bytes.subspan(static_cast<std::size_t>(base),
                      static_cast<std::size_t>(section->bytes->bytes.value)),
        *text.tasks);
    descriptor::TaskDetail detail;
    reader.read(index, detail);
    nameStreamWord(field, *text.tasks->version, detail, 4 * word, at % 4);
    field.name = owner + field.name;
    return field;
}

} // namespace

std::vector<PlacedField> fieldsOfCommand(const Container &container, const LoadCommand &command)
{
    FieldList fields(command.offset.value, command.size, fmt::format("command {}", command.index));
    fields.add("command");
    switch (command.kind) {
    case CommandKind::Segment: {
        fields.add("segment");
        const Segment &segment = container.segments[command.item];
        for (const SegmentSection &section : segment.sections)
            fields.add("section", section.place.value - command.offset.value,
                       fmt::format("section {} ", section.name));
        break;
    }
    case CommandKind::SymbolTable: fields.add("symbol table"); break;
    case CommandKind::Thread: addThread(fields, container.threads[command.item]); break;
    case CommandKind::Binding32:
    case CommandKind::Binding64: {
        const Binding &binding = container.bindings[command.item];
        fields.add(binding.addressBits == 64 ? "binding 64" : "binding 32");
        fields.add(binding.nameOffset, binding.name.size(), "name");
        break;
    }
    case CommandKind::Ident: fields.add(8, command.size - 8, "banner"); break;
    case CommandKind::Note: fields.add("note"); break;
    case CommandKind::Signature: fields.add("signature"); break;
    case CommandKind::Unknown: break;
    }
    return fields.take();
}

std::optional<PlacedField> fieldAt(const Container &container, std::span<const std::byte> bytes,
                                   FileOffset offset)
{
    if (container.commands.empty() && container.symbols.empty()) { // an .anec has neither
        for (const Text &text : container.texts) {
            if (auto field = taskField(container, text, bytes, offset))
                return field;
        }
        return std::nullopt;
    }
    if (offset.value < kHeaderBytes) {
        FieldList fields(0, kHeaderBytes, "header");
        fields.add("header");
        return pick(fields.take(), offset);
    }
    for (const LoadCommand &command : container.commands) {
        if (ByteRange{command.offset, ByteCount(command.size)}.contains(offset))
            return pick(fieldsOfCommand(container, command), offset);
    }
    if (container.symbolTable) {
        if (auto field = recordField("symbol", container.symbolTable->symbolOffset, 16,
                                     container.symbols.size(), offset))
            return field;
    }
    for (const Segment &segment : container.segments) {
        for (const SegmentSection &section : segment.sections) {
            if (auto field = recordField("relocation", section.relocationOffset, 8,
                                         section.relocations.size(), offset))
                return field;
        }
    }
    for (const Text &text : container.texts) {
        if (auto field = taskField(container, text, bytes, offset))
            return field;
    }
    return std::nullopt;
}

} // namespace kernscope::hwx
