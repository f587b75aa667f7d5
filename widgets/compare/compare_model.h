// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/short_names.h"
#include "widgets/common/text_filter.h"
#include "widgets/compare/compare_row.h"
#include "widgets/compare/comparison_outcome.h"

#include <QAbstractTableModel>

#include <vector>

namespace kernscope::ui {

/// Table of pairs: what two bundles have in common and what each has alone. The rows are there at
/// once; the figures of a pair are handed in as they are found. Filtering and sorting move indices,
/// never rows.
class CompareModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit CompareModel(QObject *parent = nullptr);

    /// Replaces everything (makeCompareRows); the filter and the order stay. Rows of the same
    /// pairs are only updated.
    void setRows(std::vector<CompareRow> rows);
    /// Rows by their stable number.
    const std::vector<CompareRow> &rows() const { return m_rows; }
    /// What is known of a pair by now; the order shown stays until arrange() or updateOrder().
    void setPair(std::size_t row, const WeightPair &pair, CompareState state, const QString &word,
                 const QString &changes = {});
    /// Marks the rows that still wait as not compared, or as waiting again.
    void setStopped(bool stopped);
    /// Sorts and filters again by what is known now: after the last row was filled.
    void updateOrder();

    /// Shows only rows whose names, forms, pairing or verdict contain every word of `text`.
    void setFilterText(const QString &text);
    void setDifferencesOnly(bool only);
    /// Without a column to sort by: the worst rows first, as long as they are not all compared by
    /// what is known; else the order of A.
    void setWorstFirst(bool worstFirst);
    bool worstFirst() const { return m_worstFirst; }
    /// Without a column to sort by, and with the worst first.
    bool ordersBySeverity() const;
    /// Puts the rows that are shown where they belong by what is known now, without a reset. Does
    /// nothing where a person chose a column or the order of A: those stay until updateOrder().
    void arrange();
    /// What every pair is held against.
    void setLimits(const ValueLimits &limits);
    const ValueLimits &limits() const { return m_limits; }
    /// What a chip does with the weights of either side; null: not known yet.
    void setOutcomes(const ComparisonOutcome *outcome, const target::Target &chip);
    bool differencesOnly() const { return m_differencesOnly; }

    /// Stable number of the row shown at `shown`, and the way back (-1 where it is filtered out).
    std::size_t rowAt(int shown) const;
    int shownRow(std::size_t row) const;
    /// Stable number of the row that holds weight `index` of that side; kNoIndex where none does.
    std::size_t rowOfA(std::size_t index) const;
    std::size_t rowOfB(std::size_t index) const;
    /// The row of two names (CompareRow::name and nameB; of one side only: the other is empty).
    std::size_t rowOfNames(const QString &nameA, const QString &nameB) const;

    int rowCount(const QModelIndex &parent = {}) const final;
    int columnCount(const QModelIndex &parent = {}) const final;
    QVariant data(const QModelIndex &index, int role) const final;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const final;
    void sort(int column, Qt::SortOrder order) final;
    /// A row can be dragged onto another one, which makes them a pair.
    Qt::ItemFlags flags(const QModelIndex &index) const final;
    QStringList mimeTypes() const final;
    QMimeData *mimeData(const QModelIndexList &indexes) const final;
    Qt::DropActions supportedDropActions() const final { return Qt::LinkAction; }
    Qt::DropActions supportedDragActions() const final { return Qt::LinkAction; }
    bool canDropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                         const QModelIndex &parent) const final;
    /// Changes nothing itself: rowDropped().
    bool dropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                      const QModelIndex &parent) final;

Q_SIGNALS:
    /// By their stable numbers.
    void rowDropped(std::size_t dragged, std::size_t onto);

private:
    std::vector<std::size_t> wantedOrder() const;
    std::optional<std::size_t> draggedRow(const QMimeData *data) const;
    bool samePairs(const std::vector<CompareRow> &rows) const;
    bool accepts(const CompareRow &row) const;
    void applyFilter();
    void putWorstFirst(std::vector<std::size_t> &order) const;
    void reorder(std::vector<std::size_t> order);

    ShortNameCache m_shortNames;
    std::vector<CompareRow> m_rows;
    std::vector<std::size_t> m_order; ///< shown row -> row
    std::vector<int> m_shown;         ///< row -> shown row, -1 where filtered out
    TextFilter m_filter;
    QString m_chipTitle; ///< of the column of outcomes; empty: none is chosen yet
    ValueLimits m_limits;
    bool m_differencesOnly = false, m_worstFirst = true;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace kernscope::ui
