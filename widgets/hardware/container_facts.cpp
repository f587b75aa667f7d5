// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/container/hwx/field_at.h"
#include "core/container/hwx/kernels.h"
#include "core/format/catalogue.h"
#include "core/report/slot_table.h"
#include "widgets/common/table_text.h"
#include "widgets/common/window_columns.h"
#include "widgets/hardware/hardware_facts.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

struct ContainerWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::HardwareFacts)
};

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

QString commandTitle(const hwx::Container &container, const hwx::LoadCommand &command)
{
    if (command.kind == hwx::CommandKind::Unknown)
        return ContainerWords::tr("unknown command %1").arg(hexNumber(command.cmd));
    QString title = fromUtf8(hwx::commandKindName(command.kind));
    if (command.kind == hwx::CommandKind::Segment)
        return title + u' ' + fromUtf8(container.segments[command.item].name);
    if (command.kind != hwx::CommandKind::Thread)
        return title;
    const hwx::Thread &thread = container.threads[command.item];
    if (thread.role == hwx::ThreadRole::Program)
        return ContainerWords::tr("program %1").arg(fromUtf8(thread.procedure));
    return thread.role == hwx::ThreadRole::Port
               ? ContainerWords::tr("port %1").arg(fromUtf8(thread.name))
               : title;
}

QString commandMeaning(const hwx::Container &container, const hwx::LoadCommand &command)
{
    if (command.kind == hwx::CommandKind::Segment) {
        const hwx::Segment &segment = container.segments[command.item];
        return segment.hasBytes()
                   ? ContainerWords::tr("%1 bytes").arg(groupedNumber(segment.fileSize))
                   : ContainerWords::tr("virtual window: no bytes in the file");
    }
    if (command.kind == hwx::CommandKind::Ident && container.ident)
        return ContainerWords::tr("compiler %1, target %2, %3 flags")
            .arg(fromUtf8(container.ident->compilerVersion), fromUtf8(container.ident->target))
            .arg(container.ident->flags.size());
    if (command.kind == hwx::CommandKind::Binding32 || command.kind == hwx::CommandKind::Binding64)
        return fromUtf8(container.bindings[command.item].name);
    if (command.kind != hwx::CommandKind::Thread)
        return {};
    const hwx::Thread &thread = container.threads[command.item];
    if (thread.role != hwx::ThreadRole::Port)
        return {};
    QStringList dims;
    for (const std::uint32_t dim : thread.dims)
        dims << QString::number(dim);
    return ContainerWords::tr("%1, N C H W D: %2")
        .arg(thread.direction == 1   ? ContainerWords::tr("input")
             : thread.direction == 2 ? ContainerWords::tr("output")
                                     : ContainerWords::tr("direction %1").arg(thread.direction),
             dims.join(u' '));
}

FactNode fieldNode(const hwx::NamedField &field, std::span<const std::byte> bytes)
{
    FactNode node;
    QString name = fromUtf8(field.name);
    name.remove(0, name.indexOf(QStringLiteral(": ")) + 2);
    node.cells = {
        name, commandValueText(bytes, field.range), {}, hexNumber(field.range.offset.value)};
    node.bytes = field.range;
    return node;
}

} // namespace

std::vector<FactColumn> commandColumns()
{
    return {{ContainerWords::tr("name"), {}, false},
            {ContainerWords::tr("value"), ContainerWords::tr("As stored"), false},
            {ContainerWords::tr("meaning"), {}, false},
            {ContainerWords::tr("place"), ContainerWords::tr("Offset in the file"), true}};
}

std::vector<FactNode> commandRows(const Bundle &bundle)
{
    const hwx::Container &container = *bundle.hardware();
    const auto bytes = bundle.files().front().file->bytes();
    std::vector<FactNode> rows;
    FactNode header;
    QString meaning;
    if (const auto *version = container.version) {
        meaning = ContainerWords::tr("descriptor version %1").arg(version->number);
        if (!version->generation.empty())
            meaning = fromUtf8(version->generation) + QStringLiteral(", ") + meaning;
        header.toolTip = fromUtf8(version->note);
        if (version->confidence == format::Confidence::Contested)
            header.marks.push_back(Token::MarkContested);
    }
    header.cells = {ContainerWords::tr("header"), {}, meaning, hexNumber(0)};
    if (container.fileBytes >= hwx::kHeaderBytes && !container.commands.empty()) {
        header.bytes = ByteRange{FileOffset(0), ByteCount(hwx::kHeaderBytes)};
        for (std::uint64_t at = 0; at < hwx::kHeaderBytes; at += 4) {
            if (const auto field = hwx::fieldAt(container, bytes, FileOffset(at)))
                header.children.push_back(fieldNode(*field, bytes));
        }
    }
    rows.push_back(std::move(header));
    for (const hwx::LoadCommand &command : container.commands) {
        FactNode node;
        node.cells = {commandTitle(container, command), hexNumber(command.cmd),
                      commandMeaning(container, command), hexNumber(command.offset.value)};
        node.bytes = ByteRange{command.offset, ByteCount(command.size)};
        for (const hwx::NamedField &field : hwx::fieldsOfCommand(container, command))
            node.children.push_back(fieldNode(field, bytes));
        rows.push_back(std::move(node));
    }
    return rows;
}

std::vector<FactColumn> symbolColumns()
{
    return {{ContainerWords::tr("name"), {}, false},
            {ContainerWords::tr("kind"), {}, false},
            {ContainerWords::tr("section"), ContainerWords::tr("Ordinal of its section"), true},
            {ContainerWords::tr("value"), ContainerWords::tr("Virtual address"), true},
            {ContainerWords::tr("says"),
             ContainerWords::tr("What its name says: shape, strides, lane"), false}};
}

std::vector<FactNode> symbolRows(const Bundle &bundle)
{
    const hwx::Container &container = *bundle.hardware();
    std::vector<FactNode> rows;
    rows.reserve(container.symbols.size());
    for (std::size_t i = 0; i < container.symbols.size(); ++i) {
        const hwx::Symbol &symbol = container.symbols[i];
        FactNode node;
        QString says;
        if (const auto kernel = hwx::parseKernelName(symbol.name))
            says = kernel->lane ? ContainerWords::tr("kernel, lane %1").arg(*kernel->lane)
                                : ContainerWords::tr("kernel or table");
        node.cells = {fromUtf8(symbol.name), fromUtf8(hwx::symbolKindName(symbol.type)),
                      QString::number(symbol.section), hexNumber(symbol.value), says};
        node.numbers = {{2, symbol.section}, {3, symbol.value}};
        if (container.symbolTable)
            node.bytes =
                ByteRange{FileOffset(container.symbolTable->symbolOffset + 16 * i), ByteCount(16)};
        rows.push_back(std::move(node));
    }
    for (const hwx::TensorFrame &frame : container.tensors) {
        QStringList axes;
        for (const hwx::FrameAxis &axis : frame.axes)
            axes << ContainerWords::tr("%1 %2 (stride %3)")
                        .arg(fromUtf8(axis.axis), groupedNumber(axis.count),
                             groupedNumber(axis.byteStride));
        rows[frame.symbol].cells[4] = axes.join(QStringLiteral(", ")) +
                                      ContainerWords::tr(", type %1").arg(frame.elementType);
    }
    for (const hwx::TypeEntry &entry : container.types) {
        const auto *row = format::find(format::TypeNumber(entry.id));
        rows[entry.symbol].cells[4] = ContainerWords::tr("type %1").arg(entry.id);
        if (row != nullptr && row->bits)
            rows[entry.symbol].cells[4] += ContainerWords::tr(", %1 bits").arg(*row->bits);
    }
    return rows;
}

namespace {

const WindowColumns<report::SlotFacts> &declaredSlotColumns()
{
    static const WindowColumns<report::SlotFacts> kColumns{report::slotTable()};
    return kColumns;
}

} // namespace

std::vector<FactColumn> slotColumns()
{
    const auto &declared = declaredSlotColumns();
    std::vector<FactColumn> columns;
    for (int i = 0; i < declared.count(); ++i)
        columns.push_back({declared.header(i, Qt::DisplayRole).toString(),
                           declared.header(i, Qt::ToolTipRole).toString(),
                           declared.facts(i).number()});
    return columns;
}

std::vector<FactNode> slotRows(const std::vector<hwx::Slot> &places,
                               const std::vector<hwx::LoadedSlot> &loaded)
{
    const auto &declared = declaredSlotColumns();
    std::vector<FactNode> rows;
    rows.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const hwx::Slot &slot = places[i];
        const hwx::LoadedSlot *load = i < loaded.size() ? &loaded[i] : nullptr;
        const report::SlotFacts facts{&slot, load};
        FactNode node;
        for (int column = 0; column < declared.count(); ++column) {
            node.cells += declared.cell(column, facts, Qt::DisplayRole).toString();
            const report::SortValue sort = declared.order(column, facts);
            if (const auto *number = std::get_if<std::uint64_t>(&sort))
                node.numbers.emplace_back(column, *number);
        }
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

} // namespace kernscope::ui
