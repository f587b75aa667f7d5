// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "widgets/common/panels.h"
#include "widgets/models/words.h"
#include "widgets/overview/navigator_rows.h"
#include "widgets/overview/treemap_view.h"

namespace kernscope::ui {

/// How far the weights of a bundle are from those of the build that it was made of.
struct BaseErrors {
    BundlePtr of, base;
    /// By weight of `of`: the root of the summed squares of the differences over that of the base's
    /// values (0: the same values). Empty: no partner of that shape, or it cannot be read.
    std::vector<std::optional<double>> relative;
    double least = 0, most = 0; ///< of the errors above 0; both 0 where there is none
};

/// Pairs the weights and compares their decoded values. Takes the files' locks itself: the caller
/// must not hold them. Null where it was cancelled.
std::shared_ptr<const BaseErrors> errorsAgainst(const BundlePtr &of, const BundlePtr &base,
                                                Progress &progress);

/// 0 to 1 for a map of colours: 0 for the same values, well away from it the least error of the
/// bundle, 1 for the largest, between them by their logarithms.
double errorShade(const BaseErrors &errors, double relative);

class ChipState;

/// A card of the overview: the time that the engine is predicted to take for all layers of the
/// bundle on the chip that the docks judge by, and what binds.
class TimeCard final : public CardFrame
{
    Q_OBJECT

public:
    explicit TimeCard(QWidget *parent);

    /// Works the time out where the bundle or the chip are others than before.
    void showTime(const BundlePtr &bundle, const ChipState &chips);

private:
    std::weak_ptr<const Bundle> m_bundle; ///< the one whose time is shown
    const target::Target *m_target = nullptr;
};

/// By what the cells of the overview's treemap are coloured.
enum class OverviewColoring : std::uint8_t { Form, Outcome, Zeros, Error };

/// The same, with what that colouring needs.
struct OverviewColors {
    OverviewColoring colors = OverviewColoring::Form;
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
