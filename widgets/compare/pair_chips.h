// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/comparison_outcome.h"

#include <QStringList>
#include <QTableWidget>

#include <vector>

namespace kernscope::ui {

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
