// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/row_table_model.h"
#include "widgets/compare/comparison_outcome.h"
#include "widgets/compare/pair_words.h"

#include <functional>
#include <string>
#include <vector>

namespace kernscope::ui {

/// Table of pairs: what two bundles have in common and what each has alone. The rows are there at
/// once; the figures of a pair are handed in as they are found.
class CompareModel final : public RowTable<report::PairRow>
{
    Q_OBJECT

public:
    explicit CompareModel(QObject *parent = nullptr);

    /// Replaces everything; the filter and the order stay. Rows of the same pairs are only updated.
    void setRows(std::vector<report::PairRow> rows);
    /// What is known of a pair by now; the order shown stays until arrange() or updateOrder().
    void setPair(std::size_t row, report::PairRow found);
    /// Marks the rows that still wait as not compared, or as waiting again.
    void setStopped(bool stopped);
    /// Sorts and filters again by what is known now: after the last row was filled.
    void updateOrder() { chooseAgain(); }

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
    int shownRow(std::size_t row) const { return rowOf(row); }
    /// Stable number of the row that holds weight `index` of that side; kNoIndex where none does.
    std::size_t rowOfA(std::size_t index) const;
    std::size_t rowOfB(std::size_t index) const;
    /// The row of two names as the files have them; of a weight on one side the other is empty.
    std::size_t rowOfNames(const std::string &nameA, const std::string &nameB) const;

    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    /// A row can be dragged onto another one, which makes them a pair.
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    QStringList mimeTypes() const override;
    QMimeData *mimeData(const QModelIndexList &indexes) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::LinkAction; }
    bool canDropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                         const QModelIndex &parent) const override;
    /// Takes no row in: the window makes a pair of the two (rowDropped).
    bool dropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                      const QModelIndex &parent) override;

Q_SIGNALS:
    /// By their stable numbers.
    void rowDropped(std::size_t dragged, std::size_t onto);

protected:
    QVariant lookOf(std::size_t row, int column, int role) const override;
    bool admits(std::size_t row) const override;
    bool searches(const report::ColumnFacts &column) const override
    {
        return !column.number() && column.key != "changes" && column.key != "limits";
    }
    std::string alsoSearched(std::size_t row) const override;
    void orderShown(std::vector<std::uint32_t> &shown) const override;

private:
    std::size_t rowWhere(const std::function<bool(const report::PairRow &)> &holds) const;
    std::optional<std::size_t> draggedRow(const QMimeData *data) const;
    bool samePairs(const std::vector<report::PairRow> &rows) const;
    void cellsChanged(int first, int last);

    ShortNameCache m_shortNames; ///< beside their functions
    ValueLimits m_limits;
    bool m_differencesOnly = false, m_worstFirst = true;
};

} // namespace kernscope::ui
