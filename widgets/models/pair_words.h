// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/limits.h"
#include "core/report/pair_table.h"
#include "widgets/models/window_columns.h"

#include <QString>

#include <vector>

namespace kernscope::ui {

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

} // namespace kernscope::ui
