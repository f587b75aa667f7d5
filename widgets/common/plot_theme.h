// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCustomPlot;
class QWidget;

namespace kernscope::ui {

/// Colours and fonts of `widget` for a plot: QCustomPlot does not look at palettes itself. Call
/// again when the palette or the font changes, then replot.
void applyPlotTheme(QCustomPlot &plot, const QWidget &widget);

} // namespace kernscope::ui
