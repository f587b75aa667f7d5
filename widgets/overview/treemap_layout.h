// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <span>
#include <vector>

namespace kernscope::ui {

/// Fills `area` with one rectangle for each weight of `sizes`, of an area in proportion to it and
/// as near to a square as the order allows (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000).
/// `sizes` must be sorted, largest first; zeros and negative ones get an empty rectangle.
std::vector<QRectF> squarify(std::span<const double> sizes, const QRectF &area);

} // namespace kernscope::ui
