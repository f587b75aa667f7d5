// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/hardware_facts.h"

#include "core/base/little_endian.h"
#include "core/container/hwx/field_at.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace kernscope::ui {

namespace {

struct HardwareWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::HardwareFacts)
};

std::vector<Token> marksOf(format::Confidence confidence)
{
    if (confidence == format::Confidence::Contested)
        return {Token::MarkContested};
    if (confidence == format::Confidence::Assumed)
        return {Token::MarkAssumed};
    return {};
}

QString bitsText(const descriptor::BitField &field)
{
    return field.low == field.high ? QString::number(field.low)
                                   : QStringLiteral("%1:%2").arg(field.high).arg(field.low);
}

/// The bytes of a word that hold a field's bits.
ByteRange bytesOfField(std::uint64_t word, const descriptor::BitField &field)
{
    return {FileOffset(word + field.low / 8), ByteCount(field.high / 8 - field.low / 8 + 1)};
}

FactNode fieldNode(const descriptor::Register &reg, const descriptor::BitField &field,
                   std::uint32_t value, std::optional<std::uint32_t> before, std::uint64_t place,
                   std::uint32_t version)
{
    FactNode node;
    const std::uint32_t number = field.of(value);
    const std::uint32_t previous = field.of(before.value_or(value));
    node.cells = {fromUtf8(field.name),
                  bitsText(field),
                  QString::number(number),
                  fromUtf8(descriptor::decodedField(reg, field, number, version)),
                  before ? QString::number(previous) : QString(),
                  hexNumber(place),
                  fromUtf8(field.evidence)};
    node.bytes = bytesOfField(place, field);
    node.bits = BitRun{field.low % 8, field.high - field.low + 1};
    node.marks = marksOf(field.confidence);
    if (previous != number)
        node.marks.insert(node.marks.begin(), Token::MarkChanged);
    return node;
}

FactNode registerNode(const descriptor::Register *reg, std::uint32_t address, std::uint32_t value,
                      std::optional<std::uint32_t> before, std::uint64_t place,
                      const descriptor::Version &version)
{
    FactNode node;
    node.cells = {reg == nullptr ? HardwareWords::tr("register %1").arg(hexNumber(address))
                                 : fromUtf8(reg->name),
                  hexNumber(address),
                  wordText(value),
                  {},
                  before ? wordText(*before) : QString(),
                  hexNumber(place),
                  reg == nullptr ? HardwareWords::tr("not named") : fromUtf8(reg->evidence)};
    node.bytes = ByteRange{FileOffset(place), ByteCount(4)};
    if (before && *before != value)
        node.marks.push_back(Token::MarkChanged);
    if (reg == nullptr)
        return node;
    for (const Token mark : marksOf(reg->confidence))
        node.marks.push_back(mark);
    node.toolTip = HardwareWords::tr("Source: %1").arg(fromUtf8(reg->source));
    if (const auto *map = descriptor::RegisterMap::of(version.registerMap)) {
        for (const descriptor::Register *other : map->alternatives(address))
            node.toolTip += u'\n' + HardwareWords::tr("Another source: %1 (%2)")
                                        .arg(fromUtf8(other->name), fromUtf8(other->source));
    }
    for (const descriptor::BitField &field : reg->fields)
        node.children.push_back(fieldNode(*reg, field, value, before, place, version.registerMap));
    return node;
}

FactNode headerNode(const descriptor::TaskDetail &detail, const descriptor::Version &version,
                    std::uint64_t place)
{
    FactNode node;
    node.cells = {HardwareWords::tr("Header"), {}, {}, {}, {}, hexNumber(place), {}};
    node.bytes = ByteRange{FileOffset(place), ByteCount(4ULL * detail.header.size())};
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    for (std::size_t i = 0; i < detail.header.size(); ++i) {
        const auto word = static_cast<std::uint32_t>(i);
        const auto *reg = map == nullptr ? nullptr : map->header(word);
        node.children.push_back(
            registerNode(reg, 4 * word, detail.header[i], std::nullopt, place + 4 * i, version));
        if (reg == nullptr)
            node.children.back().cells[0] = HardwareWords::tr("word %1").arg(i);
    }
    return node;
}

} // namespace

QString wordText(std::uint32_t value)
{
    return hexNumber(value, 8);
}

TaskSource taskSource(const Bundle &bundle, std::size_t text)
{
    TaskSource source;
    const auto &container = *bundle.hardware();
    if (text >= container.texts.size())
        return source;
    source.text = &container.texts[text];
    source.section = container.section(source.text->section);
    if (source.section == nullptr || !source.section->bytes ||
        source.text->tasks->version == nullptr)
        return source;
    const ByteRange range = *source.section->bytes;
    const auto bytes = bundle.files().front().file->bytes();
    source.reader.emplace(bytes.subspan(range.offset.value, range.bytes.value),
                          *source.text->tasks);
    return source;
}

std::vector<FactColumn> registerColumns()
{
    return {
        {HardwareWords::tr("name"), HardwareWords::tr("Block, register, field"), false},
        {HardwareWords::tr("at"), HardwareWords::tr("Address of a register, bits of a field"),
         true},
        {HardwareWords::tr("value"), HardwareWords::tr("As stored"), true},
        {HardwareWords::tr("meaning"),
         HardwareWords::tr("What the number stands for, where that is known"), false},
        {HardwareWords::tr("before"), HardwareWords::tr("What the tasks before left there"), true},
        {HardwareWords::tr("place"), HardwareWords::tr("Offset in the file"), true},
        {HardwareWords::tr("known by"), HardwareWords::tr("What this row rests on"), false}};
}

std::vector<FactNode> registerRows(TaskSource &source, std::size_t task)
{
    std::vector<FactNode> rows;
    if (!source.reader || task >= source.text->tasks->tasks.size())
        return rows;
    const auto &state = source.reader->before(task);
    descriptor::TaskDetail detail;
    source.reader->read(task, detail);
    const auto &version = *source.text->tasks->version;
    const std::uint64_t place = source.section->bytes->offset.value + detail.task.offset;
    rows.push_back(headerNode(detail, version, place));
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    for (const auto &write : detail.stream.writes) {
        const auto *reg = map == nullptr ? nullptr : map->find(write.address);
        const QString block =
            reg == nullptr ? HardwareWords::tr("Not named") : fromUtf8(reg->block);
        auto group = std::find_if(rows.begin(), rows.end(), [&block](const FactNode &node) {
            return node.cells.first() == block;
        });
        if (group == rows.end()) {
            FactNode node;
            node.cells = {block, {}, {}, {}, {}, {}, {}};
            group = rows.insert(rows.end(), std::move(node));
        }
        group->children.push_back(registerNode(reg, write.address, write.value,
                                               state.get(write.address), place + write.offset,
                                               version));
    }
    for (FactNode &group : rows)
        group.cells[3] = HardwareWords::tr("%1 words").arg(group.children.size());
    return rows;
}

std::vector<FactColumn> wordColumns()
{
    return {
        {HardwareWords::tr("offset"), HardwareWords::tr("From the start of the task"), true},
        {HardwareWords::tr("word"), HardwareWords::tr("As stored, 32 bits, little-endian"), true},
        {HardwareWords::tr("what"), HardwareWords::tr("Header word, record or register"), false}};
}

std::vector<FactNode> wordRows(TaskSource &source, std::size_t task)
{
    std::vector<FactNode> rows;
    if (!source.reader || task >= source.text->tasks->tasks.size())
        return rows;
    descriptor::TaskDetail detail;
    source.reader->read(task, detail);
    const auto &version = *source.text->tasks->version;
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    const std::uint64_t place = source.section->bytes->offset.value + detail.task.offset;
    const auto add = [&](std::uint32_t offset, std::uint32_t word, const QString &what) {
        FactNode node;
        node.cells = {hexNumber(offset), wordText(word), what};
        node.bytes = ByteRange{FileOffset(place + offset), ByteCount(4)};
        rows.push_back(std::move(node));
    };
    for (std::size_t i = 0; i < detail.header.size(); ++i)
        add(static_cast<std::uint32_t>(4 * i), detail.header[i],
            HardwareWords::tr("header word %1").arg(i));
    for (const auto &packet : detail.stream.packets) {
        QString what = HardwareWords::tr("%1 record, %2 from %3")
                           .arg(fromUtf8(descriptor::packetKindName(packet.kind)))
                           .arg(countedWords(packet.count, HardwareWords::tr("1 value"),
                                             HardwareWords::tr("%1 values")))
                           .arg(hexNumber(packet.address));
        if (packet.kind == descriptor::PacketKind::Address)
            what += HardwareWords::tr(", BAR %1").arg(packet.bar);
        add(packet.offset, packet.word, what);
        for (std::uint32_t i = 0; i < packet.count; ++i) {
            const auto &write = detail.stream.writes[packet.firstWrite + i];
            const auto *reg = map == nullptr ? nullptr : map->find(write.address);
            add(write.offset, write.value,
                reg == nullptr ? hexNumber(write.address)
                               : fromUtf8(reg->block) + u' ' + fromUtf8(reg->name));
        }
    }
    return rows;
}

std::vector<FactColumn> differenceColumns()
{
    return {{HardwareWords::tr("name"), HardwareWords::tr("Register or field that differs"), false},
            {HardwareWords::tr("this task"), {}, true},
            {HardwareWords::tr("the other"), {}, true}};
}

std::vector<FactNode> differenceRows(const descriptor::TaskDifference &difference)
{
    const auto number = [](const std::optional<std::uint32_t> &value) {
        return value ? QString::number(*value) : QStringLiteral("\u2013");
    };
    const auto word = [](const std::optional<std::uint32_t> &value) {
        return value ? wordText(*value) : QStringLiteral("\u2013");
    };
    const auto fields = [&number](const std::vector<descriptor::FieldDifference> &list) {
        std::vector<FactNode> nodes;
        for (const auto &field : list) {
            FactNode node;
            node.cells = {fromUtf8(field.name), number(field.a), number(field.b)};
            nodes.push_back(std::move(node));
        }
        return nodes;
    };
    std::vector<FactNode> rows;
    if (!difference.header.empty()) {
        FactNode header;
        header.cells = {HardwareWords::tr("Header"), {}, {}};
        header.children = fields(difference.header);
        rows.push_back(std::move(header));
    }
    for (const auto &reg : difference.registers) {
        FactNode node;
        node.cells = {reg.reg == nullptr
                          ? hexNumber(reg.address)
                          : fromUtf8(reg.reg->block) + u' ' + fromUtf8(reg.reg->name),
                      word(reg.a), word(reg.b)};
        node.children = fields(reg.fields);
        rows.push_back(std::move(node));
    }
    return rows;
}

} // namespace kernscope::ui
