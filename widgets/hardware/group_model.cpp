// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/group_model.h"

#include "core/container/section/layout.h"
#include "widgets/common/table_text.h"

#include <QStringList>

#include <algorithm>

namespace kernscope::ui {

namespace {

/// The groups of the units that hold a weight, or the weight that biases lie beside.
std::vector<GroupRow> sectionRows(const Bundle &bundle, std::size_t weight)
{
    const std::vector<Weight> &weights = bundle.weights();
    const bool bias = weights[weight].role == WeightRole::Bias;
    const std::size_t coefficients = bias ? weights[weight].beside : weight;
    std::vector<GroupRow> rows;
    if (weights[weight].role == WeightRole::ActivationTable || coefficients >= weights.size())
        return rows;
    const section::Section &section = *bundle.section();
    for (const section::UnitGroup &group : section.groups) {
        if (group.fault || group.name != weights[coefficients].name)
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
            row.runs = {{place.firstChannel, place.channels}};
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

GroupRow rowOfPiece(const LanePiece &piece)
{
    GroupRow row;
    row.core = piece.lane;
    row.record = piece.plane;
    row.runs = piece.channels;
    row.firstChannel = piece.channels.empty() ? 0 : piece.channels.front().first;
    for (const ChannelRun &run : piece.channels)
        row.channels += run.count;
    row.bytes = piece.bytes;
    row.copy = piece.copy;
    return row;
}

} // namespace

std::vector<GroupRow> groupRows(const Bundle &bundle, std::size_t weight)
{
    if (weight >= bundle.weights().size())
        return {};
    if (bundle.section())
        return sectionRows(bundle, weight);
    std::vector<GroupRow> rows;
    for (const LanePiece &piece : bundle.weights()[weight].lanePieces)
        rows.push_back(rowOfPiece(piece));
    return rows;
}

void GroupModel::setRows(std::vector<GroupRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

bool GroupModel::hasCopies() const
{
    return !m_rows.empty() && m_rows.back().copy != 0;
}

std::size_t GroupModel::rowsWithoutCopies() const
{
    return static_cast<std::size_t>(
        std::find_if(m_rows.begin(), m_rows.end(), [](const GroupRow &row) { return row.copy; }) -
        m_rows.begin());
}

int GroupModel::rowOfChannel(std::uint64_t channel) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto &runs = m_rows[i].runs;
        if (std::any_of(runs.begin(), runs.end(), [channel](const ChannelRun &run) {
                return channel >= run.first && channel - run.first < run.count;
            }))
            return static_cast<int>(i);
    }
    return -1;
}

int GroupModel::rowOfByte(FileOffset offset) const
{
    const auto row = std::find_if(m_rows.begin(), m_rows.end(), [offset](const GroupRow &group) {
        return group.bytes.contains(offset);
    });
    return row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

QString GroupModel::channelsText(const GroupRow &row)
{
    if (row.runs.empty())
        return tr("not known");
    QStringList runs;
    for (const ChannelRun &run : row.runs) {
        if (run.count == 1)
            runs += groupedNumber(run.first);
        else if (run.count > 1)
            runs += tr("%1 to %2")
                        .arg(groupedNumber(run.first), groupedNumber(run.first + run.count - 1));
    }
    return runs.isEmpty() ? tr("none") : runs.join(QStringLiteral(", "));
}

int GroupModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GroupModel::columnCount(const QModelIndex &parent) const
{
    if (parent.isValid())
        return 0;
    if (ofSection())
        return FirstSlotColumn + static_cast<int>(section::recordSlots().size());
    return hasCopies() ? CopyColumn + 1 : CopyColumn;
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
    case CodebookColumn: return big(ofSection() ? row.codebook : row.copy);
    default: return big(row.addresses[static_cast<std::size_t>(column - FirstSlotColumn)]);
    }
}

QString GroupModel::text(const GroupRow &row, int column) const
{
    if (column == ChannelsColumn)
        return channelsText(row);
    if (column == LanesColumn && row.runs.empty())
        return tr("not known");
    if (column == OffsetColumn)
        return row.bytes.bytes.value == 0 ? tr("in the masked values")
                                          : hexNumber(row.bytes.offset.value);
    if (column == CopyColumn && !ofSection())
        return row.copy == 0 ? tr("–") : groupedNumber(row.copy);
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
            return headerTitle(fromUtf8(slot.name));
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
        {QT_TR_NOOP("Core"), QT_TR_NOOP("The engine core that makes these channels; in a hardware "
                                        "container the N of the symbol's \"_ne_N\".")},
        {QT_TR_NOOP("Group"),
         QT_TR_NOOP("Number of the group on its core: a record of a weight section, a plane of a "
                    "container's slice.")},
        {QT_TR_NOOP("Channels"), QT_TR_NOOP("Output channels, the lane counting fastest.")},
        {QT_TR_NOOP("Lanes"), QT_TR_NOOP("Channels of the group: they interleave in memory.")},
        {QT_TR_NOOP("Offset"), QT_TR_NOOP("Of the group's coefficients in the file.")},
        {QT_TR_NOOP("Bytes"), QT_TR_NOOP("Of the group's coefficients.")},
        {QT_TR_NOOP("Codebook"), QT_TR_NOOP("Of the core's palette that serves the group.")}};
    static constexpr Header kCopy{
        QT_TR_NOOP("Copy"),
        QT_TR_NOOP("Number of the copy that a further stream of tasks reads; – is the first.")};
    const Header &header = section == CopyColumn && !ofSection() ? kCopy : kHeaders[section];
    if (role == Qt::DisplayRole)
        return tr(header.title);
    return role == Qt::ToolTipRole ? QVariant(tr(header.tip)) : QVariant();
}

} // namespace kernscope::ui
