// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/cell_shape.h"

#include <QPainter>
#include <QPen>
#include <QPolygonF>

#include <algorithm>

namespace kernscope::ui {

QColor inkOn(QRgb ground)
{
    const int lightness = qAlpha(ground) < 128 ? 255 : qGray(ground);
    return lightness > 115 ? QColor(0x10, 0x14, 0x18) : QColor(Qt::white);
}

void paintCellShape(QPainter &painter, CellShape shape, QPointF centre, double reach,
                    const QColor &ink, const QColor &faint)
{
    const QPointF corner(reach, reach), otherCorner(reach, -reach);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    switch (shape) {
    case CellShape::Fill: break;
    case CellShape::Dot: {
        const double radius = std::clamp(reach / 2, 0.8, 2.5);
        painter.setBrush(faint);
        painter.drawEllipse(centre, radius, radius);
        break;
    }
    case CellShape::Square: painter.drawRect(QRectF(centre - corner, centre + corner)); break;
    case CellShape::Up:
        painter.drawPolygon(
            QPolygonF{centre - otherCorner, centre + corner, centre - QPointF(0, reach)});
        break;
    case CellShape::Down:
        painter.drawPolygon(
            QPolygonF{centre - corner, centre + otherCorner, centre + QPointF(0, reach)});
        break;
    case CellShape::Cross:
        painter.setPen(QPen(ink, std::max(1.0, reach / 2)));
        painter.drawLine(centre - corner, centre + corner);
        painter.drawLine(centre - otherCorner, centre + otherCorner);
        break;
    }
}

} // namespace kernscope::ui
