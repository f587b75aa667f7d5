// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/hardware_facts.h"

#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/cover.h"
#include "core/report/container_table.h"
#include "core/report/register_table.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

std::vector<Token> marksOf(format::Confidence confidence)
{
    if (confidence == format::Confidence::Contested)
        return {Token::MarkContested};
    if (confidence == format::Confidence::Assumed)
        return {Token::MarkAssumed};
    return {};
}

FactNode registerFieldNode(const report::RegisterFacts &facts)
{
    FactNode node = factNode(report::registerTable, facts);
    const descriptor::BitField &field = *facts.field;
    node.bytes = bytesOfField(facts.place, field);
    node.bits = bitsOfField(field);
    node.marks = marksOf(field.confidence);
    if (facts.changed())
        node.marks.insert(node.marks.begin(), Token::MarkChanged);
    return node;
}

FactNode registerNode(const report::RegisterFacts &facts)
{
    FactNode node = factNode(report::registerTable, facts);
    node.bytes = ByteRange{FileOffset(facts.place), ByteCount(4)};
    if (facts.changed())
        node.marks.push_back(Token::MarkChanged);
    if (facts.reg == nullptr) {
        node.cells[0] = Words::tr("register %1").arg(hexNumber(facts.address));
        return node;
    }
    for (const Token mark : marksOf(facts.reg->confidence))
        node.marks.push_back(mark);
    node.toolTip = Words::tr("Source: %1").arg(fromUtf8(facts.reg->source));
    if (const auto *map = descriptor::RegisterMap::of(facts.map)) {
        for (const descriptor::Register *other : map->alternatives(facts.address))
            node.toolTip += u'\n' + Words::tr("Another source: %1 (%2)")
                                        .arg(fromUtf8(other->name), fromUtf8(other->source));
    }
    for (const descriptor::BitField &field : facts.reg->fields)
        node.children.push_back(registerFieldNode(facts.of(field)));
    return node;
}

FactNode headerNode(const descriptor::TaskDetail &detail, const descriptor::Version &version,
                    std::uint64_t place)
{
    FactNode node;
    node.cells = {Words::tr("Header"), {}, {}, {}, {}, hexNumber(place), {}};
    node.bytes = ByteRange{FileOffset(place), ByteCount(4ULL * detail.header.size())};
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    for (std::size_t i = 0; i < detail.header.size(); ++i) {
        const auto word = static_cast<std::uint32_t>(i);
        const auto *reg = map == nullptr ? nullptr : map->header(word);
        node.children.push_back(
            registerNode({reg, nullptr, 4 * word, 4 * word, place + 4 * i, detail.header[i],
                          std::nullopt, version.registerMap}));
        if (reg == nullptr)
            node.children.back().cells[0] = Words::tr("word %1").arg(i);
    }
    return node;
}

QString commandValueText(std::span<const std::byte> bytes, const ByteRange &range)
{
    const std::uint64_t at = range.offset.value;
    if (!fitsInside(range, ByteCount(bytes.size())))
        return {};
    switch (range.bytes.value) {
    case 1: return hexNumber(loadLittle<std::uint8_t>(bytes, at));
    case 2: return hexNumber(loadLittle<std::uint16_t>(bytes, at));
    case 4: return hexNumber(loadLittle<std::uint32_t>(bytes, at));
    case 8: return hexNumber(loadLittle<std::uint64_t>(bytes, at));
    default: break;
    }
    constexpr std::uint64_t kMostText = 200;
    std::string text;
    for (std::uint64_t i = 0; i < std::min(range.bytes.value, kMostText); ++i) {
        const char c = std::to_integer<char>(bytes[at + i]);
        if (c == '\0')
            break;
        text.push_back(c == '\n' || c == '\t' ? ' ' : c);
    }
    return fromUtf8(text);
}

FactNode fieldNode(const format::PlacedField &field, std::span<const std::byte> bytes)
{
    FactNode node;
    QString name = fromUtf8(field.name);
    name.remove(0, name.indexOf(QStringLiteral(": ")) + 2);
    node.cells = {
        name, commandValueText(bytes, field.bytes), {}, hexNumber(field.bytes.offset.value)};
    node.bytes = field.bytes;
    return node;
}

} // namespace

ByteRange bytesOfField(std::uint64_t word, const descriptor::BitField &field)
{
    return {FileOffset(word + field.low / 8), ByteCount(field.high / 8 - field.low / 8 + 1)};
}

BitRun bitsOfField(const descriptor::BitField &field)
{
    return {field.low % 8, field.high - field.low + 1};
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
    for (const report::RegisterFacts &facts :
         report::registerFacts(detail, state, version, place)) {
        const QString block =
            facts.reg == nullptr ? Words::tr("Not named") : fromUtf8(facts.reg->block);
        auto group = std::ranges::find_if(
            rows, [&block](const FactNode &node) { return node.cells.first() == block; });
        if (group == rows.end()) {
            FactNode node;
            node.cells = {block, {}, {}, {}, {}, {}, {}};
            group = rows.insert(rows.end(), std::move(node));
        }
        group->children.push_back(registerNode(facts));
    }
    for (FactNode &group : rows)
        group.cells[3] = Words::tr("%1 words").arg(group.children.size());
    return rows;
}

std::vector<FactColumn> wordColumns()
{
    return {{Words::tr("offset"), Words::tr("From the start of the task"), true},
            {Words::tr("word"), Words::tr("As stored, 32 bits, little-endian"), true},
            {Words::tr("what"), Words::tr("Header word, record or register"), false}};
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
        node.cells = {hexNumber(offset), hexNumber(word, 8), what};
        node.bytes = ByteRange{FileOffset(place + offset), ByteCount(4)};
        rows.push_back(std::move(node));
    };
    for (std::size_t i = 0; i < detail.header.size(); ++i)
        add(static_cast<std::uint32_t>(4 * i), detail.header[i],
            Words::tr("header word %1").arg(i));
    for (const auto &packet : detail.stream.packets) {
        QString what =
            Words::tr("%1 record, %2 from %3")
                .arg(fromUtf8(descriptor::packetKindName(packet.kind)))
                .arg(countedWords(packet.count, Words::tr("1 value"), Words::tr("%1 values")))
                .arg(hexNumber(packet.address));
        if (packet.kind == descriptor::PacketKind::Address)
            what += Words::tr(", BAR %1").arg(packet.bar);
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
    std::vector<FactColumn> columns = factColumns(report::registerChangeTable);
    columns[1].title = Words::tr("this task");
    columns[2].title = Words::tr("the other");
    return columns;
}

std::vector<FactNode> differenceRows(const descriptor::TaskDifference &difference)
{
    const auto fieldOf = [](const report::RegisterChange &change) {
        FactNode node = factNode(report::registerChangeTable, change);
        node.cells[0] = fromUtf8(change.field);
        return node;
    };
    std::vector<FactNode> rows;
    if (!difference.header.empty()) {
        FactNode header;
        header.cells = {Words::tr("Header"), {}, {}};
        for (const auto &field : difference.header)
            header.children.push_back(
                fieldOf({{}, {}, field.name, field.a, field.b, false, false}));
        rows.push_back(std::move(header));
    }
    for (const auto &reg : difference.registers) {
        const std::vector<report::RegisterChange> changes = report::registerChanges(reg);
        rows.push_back(factNode(report::registerChangeTable, changes.front()));
        for (std::size_t i = 1; i < changes.size(); ++i)
            rows.back().children.push_back(fieldOf(changes[i]));
    }
    return rows;
}

std::vector<FactNode> commandRows(const Bundle &bundle)
{
    const hwx::Container &container = *bundle.hardware();
    const auto bytes = bundle.files().front().file->bytes();
    std::vector<FactNode> rows;
    FactNode header;
    QString meaning;
    if (const auto *version = container.version) {
        meaning = Words::tr("descriptor version %1").arg(version->number);
        if (!version->generation.empty())
            meaning = fromUtf8(version->generation) + QStringLiteral(", ") + meaning;
        header.toolTip = fromUtf8(version->note);
        if (version->confidence == format::Confidence::Contested)
            header.marks.push_back(Token::MarkContested);
    }
    header.cells = {Words::tr("header"), {}, meaning, hexNumber(0)};
    if (container.fileBytes >= hwx::kHeaderBytes && !container.commands.empty()) {
        header.bytes = ByteRange{FileOffset(0), ByteCount(hwx::kHeaderBytes)};
        for (std::uint64_t at = 0; at < hwx::kHeaderBytes; at += 4) {
            if (const auto field = hwx::fieldAt(container, bytes, FileOffset(at)))
                header.children.push_back(fieldNode(*field, bytes));
        }
    }
    rows.push_back(std::move(header));
    for (const report::CommandFacts &facts : report::commandFacts(container)) {
        const hwx::LoadCommand &command = *facts.command;
        FactNode node = factNode(report::commandTable, facts);
        node.bytes = ByteRange{command.offset, ByteCount(command.size)};
        for (const format::PlacedField &field : hwx::fieldsOfCommand(container, command))
            node.children.push_back(fieldNode(field, bytes));
        rows.push_back(std::move(node));
    }
    return rows;
}

std::vector<FactNode> symbolRows(const Bundle &bundle)
{
    const hwx::Container &container = *bundle.hardware();
    std::vector<FactNode> rows;
    rows.reserve(container.symbols.size());
    for (const report::SymbolFacts &facts : report::symbolFacts(container)) {
        FactNode node = factNode(report::symbolTable, facts);
        node.bytes = report::symbolEntry(container, facts.index);
        rows.push_back(std::move(node));
    }
    return rows;
}

std::vector<FactNode> slotRows(const std::vector<hwx::Slot> &places,
                               const std::vector<hwx::LoadedSlot> &loaded)
{
    std::vector<FactNode> rows;
    rows.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const hwx::Slot &slot = places[i];
        const hwx::LoadedSlot *load = i < loaded.size() ? &loaded[i] : nullptr;
        FactNode node = factNode(report::slotTable, {&slot, load});
        node.bytes = slot.range();
        if (slot.confidence == format::Confidence::Contested)
            node.marks.push_back(Token::MarkContested);
        else if (slot.confidence == format::Confidence::Assumed)
            node.marks.push_back(Token::MarkAssumed);
        if (load != nullptr && load->fault)
            node.toolTip = fromUtf8(describe(*load->fault));
        else if (load != nullptr && load->changes())
            node.marks.insert(node.marks.begin(), Token::MarkChanged);
        rows.push_back(std::move(node));
    }
    return rows;
}

std::size_t GroupModel::rowsWithoutCopies() const
{
    return static_cast<std::size_t>(std::ranges::find_if(rows(), &GroupRow::copy) - rows().begin());
}

int GroupModel::rowOfChannel(std::uint64_t channel) const
{
    for (std::size_t i = 0; i < rows().size(); ++i) {
        const auto &runs = rows()[i].runs;
        if (std::ranges::any_of(runs, [channel](const ChannelRun &run) {
                return channel >= run.first && channel - run.first < run.count;
            }))
            return static_cast<int>(i);
    }
    return -1;
}

int GroupModel::rowOfByte(FileOffset offset) const
{
    const auto row = std::ranges::find_if(
        rows(), [offset](const GroupRow &group) { return group.bytes.contains(offset); });
    return row == rows().end() ? -1 : static_cast<int>(row - rows().begin());
}

TaskListModel::TaskListModel(QObject *parent) : RowTable(report::taskTable, parent) {}

/// Marks a task whose records do not end where it ends.
QVariant TaskListModel::lookOf(std::size_t row, int column, int role) const
{
    if (rows()[row].exact)
        return {};
    if (role == Qt::ToolTipRole)
        return tr("Its records do not end where the task ends.");
    return role == Qt::DisplayRole && keyOf(column) == "index"
               ? QString::number(rows()[row].index) + u' ' + theme::glyph(Token::MarkContested)
               : QVariant();
}

const TaskRow *TaskListModel::taskAt(int row) const
{
    return row < 0 || row >= rowCount() ? nullptr : &rowAt(row);
}

std::size_t TaskListModel::numberAt(int row) const
{
    return row < 0 || row >= rowCount() ? kNoIndex : sourceRow(row);
}

std::size_t TaskListModel::taskOfByte(FileOffset offset) const
{
    const auto behind = std::upper_bound(
        rows().begin(), rows().end(), offset.value,
        [](std::uint64_t at, const TaskRow &task) { return at < task.fileOffset; });
    if (behind == rows().begin())
        return kNoIndex;
    const TaskRow &task = *std::prev(behind);
    return offset.value - task.fileOffset < task.bytes
               ? static_cast<std::size_t>(std::prev(behind) - rows().begin())
               : kNoIndex;
}

} // namespace kernscope::ui

#include "moc_hardware_facts.cpp"
