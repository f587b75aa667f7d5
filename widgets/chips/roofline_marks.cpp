// SPDX-License-Identifier: GPL-3.0-or-later
// Where the points of the roofline and their flags are, so that no words cover them.
#include "widgets/chips/roofline_plot.h"
#include "widgets/common/theme.h"

#include <QFontMetricsF>
#include <qcustomplot.h>

#include <algorithm>
#include <set>

namespace kernscope::ui {

/// Boxes of the points and of their flags; the ring around the chosen point is one of them. Flags
/// stand up and right of their points; of those that would cover each other the first is shown.
void RooflinePlot::findMarks()
{
    m_markBoxes.clear();
    const double reach = theme::em(this, 0.5), ring = kRing / 2;
    std::set<std::pair<int, int>> pixels;
    const auto add = [this](const QPointF &at, double half) {
        m_markBoxes.emplace_back(at.x() - half, at.y() - half, 2 * half, 2 * half);
    };
    for (const Spot &spot : m_spots) {
        const QPoint at = positionOf(spot.points.front());
        if (pixels.emplace(at.x(), at.y()).second)
            add(at, reach);
    }
    if (currentPoint() >= 0)
        add(positionOf(currentPoint()), ring);
    std::vector<QRectF> flags;
    for (const Flag &flag : m_flags) {
        const QPoint at = positionOf(flag.point);
        const bool chosen =
            currentPoint() >= 0 &&
            (at - positionOf(currentPoint())).manhattanLength() < static_cast<int>(ring);
        const double off = chosen ? ring * 0.8 : reach * 0.8;
        const QFontMetricsF metrics(flag.text->font());
        const double side = flag.text->padding().left();
        const QRectF box(at.x() + off, at.y() - off - metrics.height(),
                         metrics.horizontalAdvance(flag.text->text()) + 2 * side, metrics.height());
        const bool free = std::none_of(flags.begin(), flags.end(),
                                       [&box](const QRectF &one) { return one.intersects(box); });
        flag.text->setVisible(free);
        if (!free)
            continue;
        flag.text->position->setType(QCPItemPosition::ptAbsolute);
        flag.text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        flag.text->position->setCoords(box.topLeft());
        flags.push_back(box);
    }
    m_markBoxes.insert(m_markBoxes.end(), flags.begin(), flags.end());
}

} // namespace kernscope::ui
