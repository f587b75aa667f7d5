// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/edit_table.h"
#include "widgets/common/row_table_model.h"
#include "widgets/compare/comparison_outcome.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/compare/pair_words.h"

#include <QStringList>
#include <QTableView>
#include <QTableWidget>
#include <QWidget>

#include <array>
#include <vector>

class QLabel;

namespace kernscope::ui {

/// What the inspector of a pair begins with: the verdict in a word and in a sentence, and why the
/// two are a pair.
class PairVerdict final : public QWidget
{
    Q_OBJECT

public:
    explicit PairVerdict(QWidget *parent);

    void showRow(const report::PairRow &row);
    void clear();
    QString text() const;

private:
    QLabel *m_word = nullptr, *m_sentence = nullptr, *m_reason = nullptr;
};

/// The figures of a pair in two columns; those that are not known are dashes.
class PairFactsPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit PairFactsPanel(QWidget *parent);

    /// Null: none are known.
    void showValues(const ValueDifference *values);
    /// What stands beside the n-th name, in reading order of the left column, then of the right.
    QString valueAt(std::size_t n) const;

    static constexpr std::size_t kFigures = 10;

private:
    std::array<QLabel *, kFigures> m_values{};
};

/// The picked element as both builds store it: value, code, codebook entry, bytes and their place,
/// and how far the two are apart.
class PairElementTable final : public QTableView
{
    Q_OBJECT

public:
    explicit PairElementTable(QWidget *parent = nullptr);

    void showElement(const PairSubject &subject, const ElementReadings &readings);
    void clearElement();

private:
    void fitColumns();

    RowTable<report::PickedFact> *m_facts = nullptr;
};

/// What every chip does with the weight of A and with that of B, and the bytes that cross: a row
/// for all chips that do the same, so that nothing is cut in a narrow panel. Copying lists every
/// chip.
class PairChipsTable final : public QTableWidget
{
    Q_OBJECT

public:
    explicit PairChipsTable(QWidget *parent = nullptr);

    /// Null: not known yet. A weight that a side lacks is kNoIndex.
    void showPair(const ComparisonOutcomePtr &outcome, std::size_t weightA, std::size_t weightB);
    /// The chips of the selected rows (of all where none is), a line each, as tab-separated text.
    QString copied() const;

    QSize sizeHint() const override;

private:
    struct Line {
        QString wordA, wordB, movedA, movedB;
        bool operator==(const Line &) const = default;
    };
    struct Group {
        Line line;
        QStringList chips, whyA, whyB; ///< a reason a chip
    };
    static Line lineOf(const ComparisonOutcome &outcome, std::size_t weightA, std::size_t weightB,
                       std::size_t chip);
    void showGroup(int row);

    std::vector<Group> m_groups;
};

} // namespace kernscope::ui
