// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/group_model.h"

#include "core/container/section/layout.h"
#include "widgets/models/table_text.h"

namespace kernscope::ui {

std::vector<GroupRow> groupRows(const Bundle &bundle, std::size_t weight)
{
    std::vector<GroupRow> rows;
    if (!bundle.section() || weight >= bundle.weights().size())
        return rows;
    const section::Section &section = *bundle.section();
    for (const section::UnitGroup &group : section.groups) {
        if (group.fault || group.name != bundle.weights()[weight].name)
            continue;
        for (const section::RecordPlace &place : section::recordPlaces(section, group)) {
            const section::Unit &unit = section.units[place.unit];
            const auto &words = unit.records[place.record].words;
            GroupRow row;
            row.unit = place.unit;
            row.core = unit.core;
            row.record = place.record;
            row.firstChannel = place.firstChannel;
            row.channels = place.channels;
            row.codebook = place.codebook;
            row.recordOffset =
                unit.range(section::Kind::Ocgs).offset.value + place.record * section::kRecordBytes;
            row.bytes = place.range;
            row.addresses.assign(words.begin() + 2, words.begin() + 12);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

void GroupModel::setRows(std::vector<GroupRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int GroupModel::rowOfChannel(std::uint64_t channel) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (channel >= m_rows[i].firstChannel &&
            channel - m_rows[i].firstChannel < m_rows[i].channels)
            return static_cast<int>(i);
    }
    return -1;
}

int GroupModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GroupModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : FirstSlotColumn + static_cast<int>(section::recordSlots().size());
}

QVariant GroupModel::number(const GroupRow &row, int column) const
{
    const auto big = [](std::uint64_t value) { return QVariant(static_cast<qulonglong>(value)); };
    switch (column) {
    case CoreColumn: return big(row.core);
    case RecordColumn: return big(row.record);
    case ChannelsColumn: return big(row.firstChannel);
    case LanesColumn: return big(row.channels);
    case OffsetColumn: return big(row.bytes.offset.value);
    case BytesColumn: return big(row.bytes.bytes.value);
    case CodebookColumn: return big(row.codebook);
    default: return big(row.addresses[static_cast<std::size_t>(column - FirstSlotColumn)]);
    }
}

QString GroupModel::text(const GroupRow &row, int column) const
{
    if (column == ChannelsColumn)
        return row.channels == 0   ? tr("none")
               : row.channels == 1 ? groupedNumber(row.firstChannel)
                                   : tr("%1 to %2")
                                         .arg(groupedNumber(row.firstChannel),
                                              groupedNumber(row.firstChannel + row.channels - 1));
    if (column == OffsetColumn)
        return row.bytes.bytes.value == 0 ? tr("in the masked values")
                                          : hexNumber(row.bytes.offset.value);
    if (column < FirstSlotColumn)
        return groupedNumber(number(row, column).toULongLong());
    const std::uint32_t slot = row.addresses[static_cast<std::size_t>(column - FirstSlotColumn)];
    return slot == section::kUnresolved ? tr("unresolved") : hexNumber(slot);
}

QVariant GroupModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const GroupRow &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case SortRole: return number(row, index.column());
    case CopyRole: return number(row, index.column()).toString();
    case Qt::TextAlignmentRole:
        return index.column() == ChannelsColumn
                   ? QVariant()
                   : QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    default: return {};
    }
}

QVariant GroupModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (section >= FirstSlotColumn) {
        const section::Slot &slot =
            section::recordSlots()[static_cast<std::size_t>(section - FirstSlotColumn)];
        if (role == Qt::DisplayRole)
            return fromUtf8(slot.name);
        if (role == Qt::ToolTipRole)
            return slot.base == 0
                       ? tr("Word %1 of the record: an address that the loader fills in.")
                             .arg(slot.word)
                       : tr("Word %1 of the record. Stream registers: enable %2, base %3, "
                            "relocation %4.")
                             .arg(slot.word)
                             .arg(hexNumber(slot.enable), hexNumber(slot.base),
                                  hexNumber(slot.relocation));
        return {};
    }
    struct Header {
        const char *title, *tip;
    };
    static constexpr Header kHeaders[] = {
        {QT_TR_NOOP("Core"), QT_TR_NOOP("The core that makes these channels.")},
        {QT_TR_NOOP("Record"), QT_TR_NOOP("Number of the group on its core.")},
        {QT_TR_NOOP("Channels"), QT_TR_NOOP("Output channels, the lane counting fastest.")},
        {QT_TR_NOOP("Lanes"), QT_TR_NOOP("Channels of the group: they interleave in memory.")},
        {QT_TR_NOOP("Offset"), QT_TR_NOOP("Of the group's coefficients in the file.")},
        {QT_TR_NOOP("Bytes"), QT_TR_NOOP("Of the group's coefficients.")},
        {QT_TR_NOOP("Codebook"), QT_TR_NOOP("Of the core's palette that serves the group.")}};
    if (role == Qt::DisplayRole)
        return tr(kHeaders[section].title);
    return role == Qt::ToolTipRole ? QVariant(tr(kHeaders[section].tip)) : QVariant();
}

} // namespace kernscope::ui
