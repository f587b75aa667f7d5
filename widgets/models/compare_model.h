// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/build_verdict.h"
#include "core/report/pair_table.h"
#include "core/report/places_table.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// The result of a comparison, once every value was compared.
struct ComparisonOutcome {
    ComparisonOutcome(BundlePtr ofA, BundlePtr ofB, Difference found)
        : a(std::move(ofA)), b(std::move(ofB)), difference(std::move(found)),
          before(*a, allTargets()), after(*b, allTargets()),
          verdict(buildVerdict(*a, *b, difference, before, after))
    {
    }

    BundlePtr a, b;
    Difference difference;       ///< with values
    DecisionTable before, after; ///< every weight of A, and of B, on every chip
    BuildVerdict verdict;
    /// Where one side is a checkpoint: what the audit of the other one says (core/audit), in its
    /// words, and whether its weights are sound. Empty: neither or both are.
    std::string audit;
    bool sound = false;
};
using ComparisonOutcomePtr = std::shared_ptr<const ComparisonOutcome>;

/// The columns of the table of pairs.
const WindowColumns<report::PairRow> &pairColumns();
/// A cell as people read it; a dash where nothing is known.
QString pairCellText(const report::PairRow &row, int column);

/// True where the two sides are known to differ, or are not known to be the same.
bool differs(const report::PairRow &row);
/// Whether the weights are of more functions than one.
bool severalFunctions(const std::vector<report::PairRow> &rows);
/// Sets what the row says of its limits; and of its verdict, where the core has none yet.
void setPairWords(report::PairRow &row, const ValueLimits &limits);

/// A sign of what became of the weight, for those who do not read every word.
QString verdictGlyph(const report::PairRow &row);
/// A sentence with the figures of this row: why the verdict is what it is.
QString verdictSentence(const report::PairRow &row);

/// Three significant digits or more: "0.0100", "1.25e-05".
QString shortNumber(double number);

using WorstPlacesPtr = std::shared_ptr<const WorstPlaces>;

/// Output channels that differ, the largest difference first.
class ChannelModel final : public RowTable<ChannelDifference>
{
public:
    explicit ChannelModel(QObject *parent = nullptr) : RowTable(report::channelTable, parent) {}

    /// Null: no rows.
    void setPlaces(const WorstPlacesPtr &places);
    /// The element that a shown row leads to.
    std::optional<std::uint64_t> elementAt(int row) const;
    /// Shown row of a channel; -1 where it is not among them.
    int rowOfChannel(std::uint64_t channel) const;
};

/// Single elements, the largest difference first.
class ElementModel final : public RowTable<report::ElementFacts>
{
public:
    explicit ElementModel(QObject *parent = nullptr) : RowTable(report::elementTable, parent) {}

    /// `shape` and `type` are those of A. Null: no rows.
    void setPlaces(const WorstPlacesPtr &places, const Shape &shape, ElementType type);
    /// The element of a shown row.
    std::optional<std::uint64_t> elementAt(int row) const;
    /// Shown row of an element; -1 where it is not among them.
    int rowOfElement(std::uint64_t element) const;
};

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
    bool ordersBySeverity() const { return m_worstFirst && sortColumn() < 0; }
    /// Puts the rows that are shown where they belong by what is known now, without a reset. Does
    /// nothing where a person chose a column or the order of A: those stay until updateOrder().
    void arrange();
    /// What every pair is held against.
    void setLimits(const ValueLimits &limits);
    const ValueLimits &limits() const { return m_limits; }
    /// What a chip does with the weights of either side; null: not known yet.
    void setOutcomes(const ComparisonOutcome *outcome, const target::Target &chip);

    /// Stable number of the row shown at `shown`, and the way back (-1 where it is filtered out).
    std::size_t rowAt(int shown) const;
    int shownRow(std::size_t row) const { return rowOf(row); }
    /// Stable number of the row of two names as the files have them; of a weight on one side the
    /// other is empty.
    std::size_t rowOfNames(const std::string &nameA, const std::string &nameB) const;

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
    std::optional<std::size_t> draggedRow(const QMimeData *data) const;
    bool samePairs(const std::vector<report::PairRow> &rows) const;
    void cellsChanged(int first, int last);

    ShortNameCache m_shortNames; ///< beside their functions
    ValueLimits m_limits;
    bool m_differencesOnly = false, m_worstFirst = true;
};

} // namespace kernscope::ui
