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

} // namespace kernscope::hwx
