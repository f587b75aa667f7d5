// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/task_manager.h"
#include "widgets/models/weight_reader.h"

#include <QAbstractTableModel>
#include <QCache>

namespace kernscope::ui {

/// Stored code and decoded value of every cell of a slice, read off the GUI thread in blocks when
/// a view asks for them. Cells that have not come yet show "…". Of more cells than a table view
/// can lay out it shows a window, moved by setOrigin.
class WeightGridModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role : int {
        ElementRole = Qt::UserRole + 100, ///< qulonglong; invalid past the end
        ValueRole,                        ///< double
        CodeRole,                         ///< QString: "7", "0x34cd"; empty where left out
        LeftOutRole,                      ///< bool: a zero made by the mask
        ChangedRole,                      ///< bool: differs from the disk
        ReadyRole,                        ///< bool: the cell has come
    };
    static constexpr std::uint64_t kMaxRows = 1u << 20, kMaxCols = 1u << 14;

    explicit WeightGridModel(TaskManager &tasks, QObject *parent = nullptr);
    ~WeightGridModel() override;

    /// Shows another slice. With `sameCells` (new bytes only) nothing is reset and old values stay
    /// until the new ones come. Null: empty.
    void setReader(WeightReaderPtr reader, bool sameCells = false);
    const WeightReaderPtr &reader() const { return m_reader; }
    void setEditable(bool editable) { m_editable = editable; }

    /// The window's first row and column in the slice; multiples of half a window.
    std::uint64_t firstRow() const { return m_firstRow; }
    std::uint64_t firstCol() const { return m_firstCol; }
    bool windowed() const;
    /// Moves the window so that the cell lies in it.
    void reveal(std::uint64_t row, std::uint64_t col);
    /// Index of a cell of the slice; invalid outside the window.
    QModelIndex indexOf(std::uint64_t row, std::uint64_t col) const;
    std::optional<std::uint64_t> elementAt(const QModelIndex &index) const;

    bool loading() const;
    /// As wide as codes of the weight can be: for columns in which nothing overlaps.
    QString widestCode() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

Q_SIGNALS:
    /// A person typed a value; the model changes once the bytes have.
    void editRequested(quint64 element, double value);
    void codeRequested(quint64 element, qint64 code);
    void loaded(); ///< nothing is being read any more

private:
    static constexpr std::uint64_t kBlock = 32; ///< cells along each side of a block
    struct Cell {
        float value = 0;
        std::int64_t code = 0;
        bool inside = false, leftOut = false, changed = false;
    };
    struct Block {
        std::uint64_t generation = 0;
        std::vector<Cell> cells; ///< kBlock * kBlock
    };
    using Key = std::pair<std::uint64_t, std::uint64_t>; ///< row and column of a block
    using Blocks = std::vector<std::pair<Key, Block>>;

    static Blocks readBlocks(const WeightReader &reader, const std::vector<Key> &keys,
                             std::uint64_t generation, Progress &progress);
    const Cell *cell(const QModelIndex &index) const;
    void want(const Key &key) const;
    void startReading();
    void accept(Blocks blocks);
    QString codeText(std::int64_t code) const;
    QString toolTip(const QModelIndex &index, const Cell &cell) const;

    TaskManager &m_tasks;
    WeightReaderPtr m_reader;
    std::uint64_t m_firstRow = 0, m_firstCol = 0, m_generation = 0;
    int m_rows = 0, m_cols = 0;
    bool m_editable = false;
    unsigned m_codeDigits = 0; ///< hexadecimal digits of codes that are bits of a number
    mutable QCache<Key, Block> m_blocks;
    mutable std::vector<Key> m_wanted;
    mutable bool m_startScheduled = false;
    TaskPtr m_task;
};

} // namespace kernscope::ui
