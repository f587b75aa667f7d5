// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <vector>

namespace kernscope::ui {

/// One output-channel group of a weight section: a record of one core.
struct GroupRow {
    std::size_t unit = 0;
    std::uint64_t core = 0, record = 0;
    std::uint64_t firstChannel = 0, channels = 0;
    std::uint64_t codebook = 0;
    std::uint64_t recordOffset = 0;       ///< of the 56 bytes of the record in the file
    ByteRange bytes;                      ///< of its coefficients; empty where a mask mixes them
    std::vector<std::uint32_t> addresses; ///< words 2 to 11
};
/// The groups of one weight, by chunk and then core; empty where it has none.
std::vector<GroupRow> groupRows(const Bundle &bundle, std::size_t weight);

/// The records as a table: core, channels, bytes, codebook, the ten slots.
class GroupModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int {
        CoreColumn,
        RecordColumn,
        ChannelsColumn,
        LanesColumn,
        OffsetColumn,
        BytesColumn,
        CodebookColumn,
        FirstSlotColumn
    };

    explicit GroupModel(QObject *parent = nullptr) : QAbstractTableModel(parent) {}

    void setRows(std::vector<GroupRow> rows);
    const std::vector<GroupRow> &rows() const { return m_rows; }
    /// The row that makes an output channel; -1 where none does.
    int rowOfChannel(std::uint64_t channel) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QVariant number(const GroupRow &row, int column) const;
    QString text(const GroupRow &row, int column) const;

    std::vector<GroupRow> m_rows;
};

} // namespace kernscope::ui
