// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/field_at.h"

#include "core/descriptor/task_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

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
