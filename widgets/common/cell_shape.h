// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/tile_source.h"

#include <QColor>
#include <QPointF>

class QPainter;

namespace kernscope::ui {

/// Dark or white, whichever is read better on `ground`; dark where that is transparent.
QColor inkOn(QRgb ground);

/// Draws a shape about `centre`, with `reach` pixels to each side. `faint` is the colour of the
/// dot, which says that the element is left out. Pen and brush of the painter change.
void paintCellShape(QPainter &painter, CellShape shape, QPointF centre, double reach,
                    const QColor &ink, const QColor &faint);

} // namespace kernscope::ui
