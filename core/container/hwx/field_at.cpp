// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/field_at.h"

#include "core/descriptor/task_reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

struct FieldRow {
    std::uint16_t at, bytes;
    const char *name;
};

constexpr std::array<FieldRow, 8> kHeader{FieldRow{0, 4, "magic"},
                                          {4, 4, "cpu type"},
                                          {8, 4, "cpu subtype"},
                                          {12, 4, "file type"},
                                          {16, 4, "number of commands"},
                                          {20, 4, "bytes of commands"},
                                          {24, 4, "flags"},
                                          {28, 4, "reserved"}};
constexpr std::array<FieldRow, 2> kCommand{FieldRow{0, 4, "command"}, {4, 4, "command size"}};
constexpr std::array<FieldRow, 9> kSegment{
    FieldRow{8, 16, "segment name"}, {24, 8, "vm address"},         {32, 8, "vm size"},
    {40, 8, "file offset"},          {48, 8, "file size"},          {56, 4, "maximal protection"},
    {60, 4, "initial protection"},   {64, 4, "number of sections"}, {68, 4, "flags"}};
constexpr std::array<FieldRow, 12> kSection{FieldRow{0, 16, "section name"},
                                            {16, 16, "segment name"},
                                            {32, 8, "address"},
                                            {40, 8, "size"},
                                            {48, 4, "file offset"},
                                            {52, 4, "alignment (log2)"},
                                            {56, 4, "relocation offset"},
                                            {60, 4, "number of relocations"},
                                            {64, 4, "flags"},
                                            {68, 4, "reserved 1"},
                                            {72, 4, "reserved 2"},
                                            {76, 4, "reserved 3"}};
constexpr std::array<FieldRow, 4> kSymbolTable{FieldRow{8, 4, "symbol offset"},
                                               {12, 4, "number of symbols"},
                                               {16, 4, "string offset"},
                                               {20, 4, "bytes of strings"}};
constexpr std::array<FieldRow, 3> kBinding32{
    FieldRow{8, 4, "name offset"}, {12, 4, "minor version"}, {16, 4, "address"}};
constexpr std::array<FieldRow, 3> kBinding64{
    FieldRow{8, 4, "name offset"}, {12, 4, "minor version"}, {16, 8, "address"}};
constexpr std::array<FieldRow, 3> kNote{
    FieldRow{8, 16, "owner"}, {24, 8, "data offset"}, {32, 8, "data size"}};
constexpr std::array<FieldRow, 2> kSignature{FieldRow{8, 4, "data offset"}, {12, 4, "data size"}};
constexpr std::array<FieldRow, 2> kThread{FieldRow{8, 4, "flavor"}, {12, 4, "words of state"}};
constexpr std::array<FieldRow, 7> kProgram1{FieldRow{0x810, 8, "address of the first descriptor"},
                                            {0x818, 4, "words of the first descriptor, minus one"},
                                            {0x81c, 4, "number of descriptors"},
                                            {0x83c, 4, "offset of the procedure's name"},
                                            {0x848, 4, "unknown word"},
                                            {0x850, 4, "unknown counter"},
                                            {0x858, 4, "unknown counter"}};
constexpr std::array<FieldRow, 3> kProgram4{FieldRow{0x810, 8, "address of the first descriptor"},
                                            {0x824, 4, "words of text"},
                                            {0x848, 4, "offset of the procedure's name"}};
constexpr std::array<FieldRow, 18> kPort{FieldRow{0x10, 4, "kind"},
                                         {0x14, 4, "direction (1 input, 2 output)"},
                                         {0x18, 4, "offset of the procedure's name"},
                                         {0x20, 4, "offset of the port's name"},
                                         {0x24, 4, "element type"},
                                         {0x28, 4, "extent N"},
                                         {0x2c, 4, "extent C"},
                                         {0x30, 4, "extent H"},
                                         {0x34, 4, "extent W"},
                                         {0x38, 4, "extent D"},
                                         {0x50, 8, "stride N"},
                                         {0x58, 8, "stride C"},
                                         {0x60, 8, "stride H"},
                                         {0x68, 8, "stride W"},
                                         {0x70, 8, "stride D (the total)"},
                                         {0x78, 4, "interleave"},
                                         {0x7c, 4, "offset of the symbol's name"},
                                         {0x80, 8, "bytes"}};
constexpr std::array<FieldRow, 5> kSymbol{FieldRow{0, 4, "name"},
                                          {4, 1, "type"},
                                          {5, 1, "section"},
                                          {6, 2, "description"},
                                          {8, 8, "value"}};
constexpr std::array<FieldRow, 2> kRelocation{FieldRow{0, 4, "address"}, {4, 4, "target and kind"}};

class FieldList
{
public:
    FieldList(std::uint64_t begin, std::uint64_t limit, std::string owner)
        : m_begin(begin), m_limit(limit), m_owner(std::move(owner))
    {
    }

    template <std::size_t N>
    void add(const std::array<FieldRow, N> &rows, std::uint64_t at = 0, const std::string &of = {})
    {
        for (const FieldRow &row : rows) {
            const std::uint64_t begin = at + row.at;
            if (begin + row.bytes > m_limit)
                continue;
            m_rows.push_back({m_owner + ": " + of + row.name,
                              {FileOffset(m_begin + begin), ByteCount(row.bytes)},
                              {},
                              {}});
        }
    }
    void add(std::uint64_t at, std::uint64_t bytes, const std::string &name)
    {
        if (at + bytes <= m_limit)
            m_rows.push_back(
                {m_owner + ": " + name, {FileOffset(m_begin + at), ByteCount(bytes)}, {}, {}});
    }
    std::vector<NamedField> take() { return std::move(m_rows); }

private:
    std::uint64_t m_begin, m_limit;
    std::string m_owner;
    std::vector<NamedField> m_rows;
};

void addThread(FieldList &fields, const Thread &thread)
{
    fields.add(kThread);
    if (thread.role == ThreadRole::Port)
        return fields.add(kPort);
    if (thread.role != ThreadRole::Program)
        return;
    const std::uint64_t step = thread.flavor == 1 ? 8 : 16;
    for (const auto &[index, address] : thread.apertures)
        fields.add(0x10 + index * step, 8, fmt::format("aperture {}", index));
    if (thread.flavor == 1)
        fields.add(kProgram1);
    else
        fields.add(kProgram4);
}

std::optional<NamedField> pick(std::vector<NamedField> fields, FileOffset offset)
{
    for (NamedField &field : fields) {
        if (field.range.contains(offset))
            return std::move(field);
    }
    return std::nullopt;
}

/// Field of the record with that number in a table of equal records.
template <std::size_t N>
std::optional<NamedField> recordField(const std::array<FieldRow, N> &rows, std::uint64_t begin,
                                      std::uint64_t step, std::uint64_t count,
                                      const std::string &what, FileOffset offset)
{
    if (offset.value < begin || (offset.value - begin) / step >= count)
        return std::nullopt;
    const std::uint64_t number = (offset.value - begin) / step;
    FieldList fields(begin + number * step, step, fmt::format("{} {}", what, number));
    fields.add(rows);
    return pick(fields.take(), offset);
}

/// The fields with bits in one byte of a register, "Kw 4:0, Kh 9:5" in parentheses after a blank;
/// empty where none are named or one is the whole register.
std::string fieldsInByte(const descriptor::Register &reg, std::uint64_t byte)
{
    constexpr unsigned kWholeRegister = 31;
    std::string text;
    for (const descriptor::BitField &field : reg.fields) {
        const bool here = field.low < 8 * byte + 8 && field.high >= 8 * byte;
        if (!here || field.high - field.low == kWholeRegister)
            continue;
        text += text.empty() ? " (" : ", ";
        text += field.low == field.high
                    ? fmt::format("{} {}", field.name, field.low)
                    : fmt::format("{} {}:{}", field.name, field.high, field.low);
    }
    return text.empty() ? text : text + ')';
}

std::string headerWordName(const descriptor::Version &version, std::uint32_t word,
                           std::uint64_t byte)
{
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    const descriptor::Register *reg = map == nullptr ? nullptr : map->header(word);
    return fmt::format("header word {}{}", word,
                       reg == nullptr ? std::string() : fieldsInByte(*reg, byte));
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

std::optional<NamedField> taskField(const Container &container, const Text &text,
                                    std::span<const std::byte> bytes, FileOffset offset)
{
    const Section *section = container.section(text.section);
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
    NamedField field;
    field.task = index;
    field.range = {FileOffset(base + task.offset + 4 * word), ByteCount(4)};
    const std::string owner = fmt::format("task {}: ", index);
    if (word < task.headerWords) {
        field.name =
            owner + headerWordName(*text.tasks->version, static_cast<std::uint32_t>(word), at % 4);
        return field;
    }
    const descriptor::TaskReader reader(
        bytes.subspan(static_cast<std::size_t>(base),
                      static_cast<std::size_t>(section->bytes->bytes.value)),
        *text.tasks);
    descriptor::TaskDetail detail;
    reader.read(index, detail);
    for (const auto &packet : detail.stream.packets) {
        if (packet.offset == 4 * word) {
            field.name = owner + packetName(packet);
            return field;
        }
    }
    const auto *map = descriptor::RegisterMap::of(text.tasks->version->registerMap);
    for (std::size_t i = 0; i < detail.stream.writes.size(); ++i) {
        const auto &write = detail.stream.writes[i];
        if (write.offset != 4 * word)
            continue;
        const auto *reg = map == nullptr ? nullptr : map->find(write.address);
        field.registerAddress = write.address;
        field.name =
            owner + (reg == nullptr ? fmt::format("register {:#x}", write.address)
                                    : reg->block + " " + reg->name + fieldsInByte(*reg, at % 4));
        field.name += barOf(detail.stream, i);
        return field;
    }
    field.name = owner + "a word that does not decode";
    return field;
}

} // namespace

std::vector<NamedField> fieldsOfCommand(const Container &container, const LoadCommand &command)
{
    FieldList fields(command.offset.value, command.size, fmt::format("command {}", command.index));
    fields.add(kCommand);
    switch (command.kind) {
    case CommandKind::Segment: {
        fields.add(kSegment);
        const Segment &segment = container.segments[command.item];
        for (const Section &section : segment.sections)
            fields.add(kSection, section.place.value - command.offset.value,
                       fmt::format("section {} ", section.name));
        break;
    }
    case CommandKind::SymbolTable: fields.add(kSymbolTable); break;
    case CommandKind::Thread: addThread(fields, container.threads[command.item]); break;
    case CommandKind::Binding32:
    case CommandKind::Binding64: {
        const Binding &binding = container.bindings[command.item];
        if (binding.addressBits == 64)
            fields.add(kBinding64);
        else
            fields.add(kBinding32);
        fields.add(binding.nameOffset, binding.name.size(), "name");
        break;
    }
    case CommandKind::Ident: fields.add(8, command.size - 8, "banner"); break;
    case CommandKind::Note: fields.add(kNote); break;
    case CommandKind::Signature: fields.add(kSignature); break;
    case CommandKind::Unknown: break;
    }
    return fields.take();
}

std::optional<NamedField> fieldAt(const Container &container, std::span<const std::byte> bytes,
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
        fields.add(kHeader);
        return pick(fields.take(), offset);
    }
    for (const LoadCommand &command : container.commands) {
        if (ByteRange{command.offset, ByteCount(command.size)}.contains(offset))
            return pick(fieldsOfCommand(container, command), offset);
    }
    if (container.symbolTable) {
        if (auto field = recordField(kSymbol, container.symbolTable->symbolOffset, 16,
                                     container.symbols.size(), "symbol", offset))
            return field;
    }
    for (const Segment &segment : container.segments) {
        for (const Section &section : segment.sections) {
            if (auto field = recordField(kRelocation, section.relocationOffset, 8,
                                         section.relocations.size(), "relocation", offset))
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
