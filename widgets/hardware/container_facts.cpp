// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/container/hwx/field_at.h"
#include "core/container/hwx/kernels.h"
#include "core/format/catalogue.h"
#include "widgets/common/table_text.h"
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

std::vector<FactColumn> slotColumns()
{
    return {{ContainerWords::tr("place"), ContainerWords::tr("Offset in the file"), true},
            {ContainerWords::tr("task"), {}, true},
            {ContainerWords::tr("kind"),
             ContainerWords::tr("How the word comes to hold an address"), false},
            {ContainerWords::tr("register"), {}, false},
            {ContainerWords::tr("role"), {}, false},
            {ContainerWords::tr("target"), {}, false},
            {ContainerWords::tr("stored"),
             ContainerWords::tr("Offset in the target, as the file has it"), true},
            {ContainerWords::tr("loaded"), ContainerWords::tr("What the loader would write"), true},
            {ContainerWords::tr("device address"), ContainerWords::tr("What the engine will use"),
             true}};
}

std::vector<FactNode> slotRows(const std::vector<hwx::Slot> &places,
                               const std::vector<hwx::LoadedSlot> &loaded)
{
    std::vector<FactNode> rows;
    rows.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const hwx::Slot &slot = places[i];
        FactNode node;
        node.cells = {hexNumber(slot.place.value),
                      slot.task ? QString::number(*slot.task) : QString(),
                      fromUtf8(hwx::slotKindName(slot.kind)),
                      fromUtf8(slot.registerName),
                      fromUtf8(slot.role),
                      fromUtf8(slot.target.name),
                      hexNumber(slot.stored),
                      {},
                      {}};
        node.numbers = {{0, slot.place.value}, {6, slot.stored}};
        if (slot.task)
            node.numbers.emplace_back(1, *slot.task);
        node.bytes = slot.range();
        if (slot.confidence == format::Confidence::Contested)
            node.marks.push_back(Token::MarkContested);
        else if (slot.confidence == format::Confidence::Assumed)
            node.marks.push_back(Token::MarkAssumed);
        if (i < loaded.size()) {
            const hwx::LoadedSlot &words = loaded[i];
            if (words.fault) {
                node.cells[7] = ContainerWords::tr("refused");
                node.toolTip = fromUtf8(describe(*words.fault));
            } else {
                const std::uint64_t value = std::uint64_t(words.after[1]) << 32 | words.after[0];
                node.cells[7] = hexNumber(value);
                node.numbers.emplace_back(7, value);
                if (words.changes())
                    node.marks.insert(node.marks.begin(), Token::MarkChanged);
            }
            if (words.deviceAddress) {
                node.cells[8] = hexNumber(*words.deviceAddress);
                node.numbers.emplace_back(8, *words.deviceAddress);
            }
        }
        rows.push_back(std::move(node));
    }
    return rows;
}

} // namespace kernscope::ui
