// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/field_at.h"
#include "core/report/container_table.h"
#include "core/report/task_table.h"
#include "widgets/common/table_text.h"
#include "widgets/hardware/declared_facts.h"
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

const WindowColumns<report::CommandFacts> &declaredCommandColumns()
{
    static const WindowColumns<report::CommandFacts> kColumns{report::commandTable()};
    return kColumns;
}

const WindowColumns<report::SymbolFacts> &declaredSymbolColumns()
{
    static const WindowColumns<report::SymbolFacts> kColumns{report::symbolTable()};
    return kColumns;
}

const WindowColumns<report::SlotFacts> &declaredSlotColumns()
{
    static const WindowColumns<report::SlotFacts> kColumns{report::slotTable()};
    return kColumns;
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
    return factColumns(declaredCommandColumns());
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
    for (const report::CommandFacts &facts : report::commandFacts(container)) {
        const hwx::LoadCommand &command = *facts.command;
        FactNode node = factNode(declaredCommandColumns(), facts);
        node.bytes = ByteRange{command.offset, ByteCount(command.size)};
        for (const hwx::NamedField &field : hwx::fieldsOfCommand(container, command))
            node.children.push_back(fieldNode(field, bytes));
        rows.push_back(std::move(node));
    }
    return rows;
}

std::vector<FactColumn> symbolColumns()
{
    return factColumns(declaredSymbolColumns());
}

std::vector<FactNode> symbolRows(const Bundle &bundle)
{
    const hwx::Container &container = *bundle.hardware();
    std::vector<FactNode> rows;
    rows.reserve(container.symbols.size());
    for (const report::SymbolFacts &facts : report::symbolFacts(container)) {
        FactNode node = factNode(declaredSymbolColumns(), facts);
        node.bytes = report::symbolEntry(container, facts.index);
        rows.push_back(std::move(node));
    }
    return rows;
}

std::vector<FactColumn> slotColumns()
{
    return factColumns(declaredSlotColumns());
}

std::vector<FactNode> slotRows(const std::vector<hwx::Slot> &places,
                               const std::vector<hwx::LoadedSlot> &loaded)
{
    std::vector<FactNode> rows;
    rows.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const hwx::Slot &slot = places[i];
        const hwx::LoadedSlot *load = i < loaded.size() ? &loaded[i] : nullptr;
        FactNode node = factNode(declaredSlotColumns(), {&slot, load});
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
