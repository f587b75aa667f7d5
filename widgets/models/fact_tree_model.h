// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "widgets/models/session.h"
#include "widgets/models/theme.h"

#include <QAbstractItemModel>
#include <QStringList>

namespace kernscope::ui {

/// One row of facts: a cell a column, the bytes that it was read from, and its marks.
struct FactNode {
    QStringList cells;
    std::optional<ByteRange> bytes; ///< of the file; nothing where it has no place
    std::optional<BitRun> bits;     ///< of `bytes`, where not all of them
    QString toolTip;                ///< source, confidence, what is disputed
    std::vector<Token> marks;       ///< MarkChanged, MarkContested, MarkAssumed
    bool unsaved = false;           ///< `bytes` are not on the disk yet
    std::vector<FactNode> children;
    std::vector<std::pair<int, std::uint64_t>> numbers; ///< column -> value by which it sorts
};

struct FactColumn {
    QString title, toolTip;
    bool number = false; ///< right-aligned
};

/// A read-only tree of facts that stand still: registers by block, commands with their fields,
/// slots. Marks are shown as glyphs in the first column and in its tooltip, never by colour alone.
class FactTreeModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    explicit FactTreeModel(std::vector<FactColumn> columns, QObject *parent = nullptr);

    void setRows(std::vector<FactNode> rows);
    bool isEmpty() const { return m_roots.empty(); }

    /// The smallest row that holds all of these bytes, else the smallest that holds the first of
    /// them; of equals the outer one, or the one of these bits. Invalid where none does, or the
    /// filter hides it.
    QModelIndex indexOfBytes(const ByteRange &range, const std::optional<BitRun> &bits = {}) const;
    /// Bytes of a row, and which of their bits; nothing where it has none.
    std::optional<ByteRange> bytesOf(const QModelIndex &index) const;
    std::optional<BitRun> bitsOf(const QModelIndex &index) const;
    /// Rows whose cells hold every word stay; the ancestors of a hit and the descendants of a hit
    /// stay with it.
    void setFilter(const QString &words);

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    struct Row {
        FactNode facts; ///< children moved out
        std::int32_t parent = -1;
        std::int32_t place = 0; ///< row number among the shown ones of its parent
        std::vector<std::int32_t> all, shown;
    };
    bool sameShape(const std::vector<FactNode> &nodes, const std::vector<std::int32_t> &rows) const;
    void replace(std::vector<FactNode> nodes, const std::vector<std::int32_t> &rows,
                 const QModelIndex &parent);
    void flatten(std::vector<FactNode> nodes, std::int32_t parent);
    void choose();
    bool keep(std::int32_t row, const QStringList &words, bool whole);
    void number(std::vector<std::int32_t> &list);
    const Row &at(const QModelIndex &index) const
    {
        return m_rows[static_cast<std::size_t>(index.internalId())];
    }
    std::vector<std::int32_t> &childrenOf(std::int32_t row);
    bool before(std::int32_t a, std::int32_t b) const;
    QString markText(const FactNode &facts) const;

    std::vector<FactColumn> m_columns;
    std::vector<Row> m_rows;
    std::vector<std::int32_t> m_roots, m_shown; ///< all, and those that the filter keeps
    QString m_filter;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace kernscope::ui
