// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/comparison_outcome.h"

#include <QTableWidget>

namespace kernscope::ui {

/// What every chip does with the weight of A and with that of B, and the bytes that cross.
class PairChipsTable final : public QTableWidget
{
    Q_OBJECT

public:
    explicit PairChipsTable(QWidget *parent = nullptr);

    /// Null: not known yet. A weight that a side lacks is kNoIndex.
    void showPair(const ComparisonOutcomePtr &outcome, std::size_t weightA, std::size_t weightB);
};

} // namespace kernscope::ui
