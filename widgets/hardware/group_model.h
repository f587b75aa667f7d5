// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <vector>

namespace kernscope::ui {

/// One output-channel group: a record of one core of a weight section, or what one engine core of
/// a hardware container loads (a plane of its slice, or the whole slice).
struct GroupRow {
    std::size_t unit = 0;
    std::uint64_t core = 0, record = 0;
    std::uint64_t firstChannel = 0, channels = 0; ///< channels: all in `runs`
    std::vector<ChannelRun> runs;                 ///< empty where the channels are not known
    std::uint64_t codebook = 0;
    std::uint64_t copy = 0;               ///< of the slices, for a further stream; 0: none
    std::uint64_t recordOffset = 0;       ///< of the 56 bytes of the record in the file
    ByteRange bytes;                      ///< of its coefficients; empty where a mask mixes them
    std::vector<std::uint32_t> addresses; ///< words 2 to 11; empty for a hardware container
};
/// The groups of one weight: of a section by chunk and then core, of a container by lane and then
/// plane, then the copies for further streams in the same order; empty where it has none.
std::vector<GroupRow> groupRows(const Bundle &bundle, std::size_t weight);

/// The groups as a table: core, channels, bytes; of a weight section also codebook and slots.
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
        CopyColumn = CodebookColumn, ///< of a container whose slices were copied
        FirstSlotColumn = CodebookColumn + 1
    };

    explicit GroupModel(QObject *parent = nullptr) : QAbstractTableModel(parent) {}

    void setRows(std::vector<GroupRow> rows);
    const std::vector<GroupRow> &rows() const { return m_rows; }
    /// The row that makes an output channel; -1 where none does.
    int rowOfChannel(std::uint64_t channel) const;
    /// The row whose coefficients hold a byte of the file; -1 where none does.
    int rowOfByte(FileOffset offset) const;
    /// How many rows come before those of the copies.
    std::size_t rowsWithoutCopies() const;
    /// "0 to 3, 64 to 67"; "not known" and "none" where that is so.
    static QString channelsText(const GroupRow &row);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QVariant number(const GroupRow &row, int column) const;
    QString text(const GroupRow &row, int column) const;

    bool hasCopies() const;
    bool ofSection() const { return !m_rows.empty() && !m_rows.front().addresses.empty(); }

    std::vector<GroupRow> m_rows;
};

} // namespace kernscope::ui
