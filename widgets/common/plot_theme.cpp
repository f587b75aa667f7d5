// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plot_theme.h"

#include "widgets/common/theme.h"

#include <qcustomplot.h>

namespace kernscope::ui {

void applyPlotTheme(QCustomPlot &plot, const QWidget &widget)
{
    const QPalette palette = widget.palette();
    const QColor text = palette.color(QPalette::Text);
    QColor grid = text, subGrid = text;
    grid.setAlpha(45);
    subGrid.setAlpha(20);
    plot.setBackground(palette.color(QPalette::Base));
    for (QCPAxisRect *rect : plot.axisRects()) {
        rect->setBackground(palette.color(QPalette::Base));
        for (QCPAxis *axis : rect->axes()) {
            axis->setBasePen(QPen(text, 0));
            axis->setTickPen(QPen(text, 0));
            axis->setSubTickPen(QPen(grid, 0));
            axis->setTickLabelColor(text);
            axis->setLabelColor(text);
            axis->setTickLabelFont(widget.font());
            axis->setLabelFont(widget.font());
            axis->grid()->setPen(QPen(grid, 0));
            axis->grid()->setSubGridPen(QPen(subGrid, 0));
            axis->grid()->setZeroLinePen(QPen(text, 0));
        }
    }
    plot.legend->setBrush(palette.color(QPalette::Base));
    plot.legend->setBorderPen(QPen(grid, 0));
    plot.legend->setTextColor(text);
    plot.legend->setFont(widget.font());
}

} // namespace kernscope::ui
