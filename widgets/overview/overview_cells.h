// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "core/assessment/weight_facts.h"
#include "widgets/models/form_token.h"
#include "widgets/overview/base_errors.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/overview/weight_names.h"

#include <memory>

namespace kernscope::ui {

/// By what the cells of the overview's treemap are coloured.
struct OverviewColors {
    OverviewDock::Colors colors = OverviewDock::Colors::Form;
    bool dark = false;
    std::shared_ptr<const DecisionTable> table; ///< Outcome; null: not judged yet
    std::size_t chip = kNoIndex;                ///< column of the table
    std::shared_ptr<const BaseErrors> errors;   ///< Error; null: not measured
    bool measuring = false;                     ///< Error: they will be there
};

/// One cell a weight, largest first. Many small ones are left as one cell with
/// the key of the largest of them.
std::vector<TreemapView::Cell> overviewCells(const Bundle &bundle, const BundleFigures &figures,
                                             const OverviewColors &colors);

/// What stands in such a cell, and its tool tip.
TreemapView::Words overviewWords(const TreemapView::Cell &cell, const Bundle &bundle,
                                 const WeightNames &names, const BundleFigures &figures,
                                 const OverviewColors &colors);

/// What the colours mean and how many bytes have each, as rich text.
QString overviewLegend(const Bundle &bundle, const BundleSums &sums, const BundleFigures &figures,
                       const OverviewColors &colors);

/// Why the legend's bytes are more than what the bundle stores: weights that share a blob, each
/// counted with it. Empty where none do.
QString sharedBytesText(const BundleSums &sums);

} // namespace kernscope::ui
