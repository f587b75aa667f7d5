// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/label_placer.h"

#include <QTransform>

#include <algorithm>
#include <array>
#include <limits>

namespace kernscope::ui {

QPolygonF LabelPlacer::outline(const Spot &spot, const QSizeF &words)
{
    QTransform turn;
    turn.translate(spot.centre.x(), spot.centre.y());
    turn.rotate(spot.degrees);
    return turn.map(
        QPolygonF(QRectF(-words.width() / 2, -words.height() / 2, words.width(), words.height())));
}

/// At most `most` is counted: another spot is better then.
std::size_t LabelPlacer::covered(const QPolygonF &outline, std::size_t most) const
{
    const QRectF box = outline.boundingRect();
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_taken.size() && count < most; ++i) {
        const QRectF &taken = m_boxes[i];
        const bool apart = taken.right() < box.left() || box.right() < taken.left() ||
                           taken.bottom() < box.top() || box.bottom() < taken.top();
        count += !apart && m_taken[i].intersects(outline) ? m_weights[i] : 0;
    }
    return count;
}

void LabelPlacer::occupy(QPolygonF shape, std::size_t weight)
{
    m_weights.push_back(weight);
    m_boxes.push_back(shape.boundingRect());
    m_taken.push_back(std::move(shape));
}

void LabelPlacer::avoid(const QLineF &line)
{
    // In pieces: the box around a slanting line is all of the drawing, and would be looked into for
    // every word.
    constexpr int kPieces = 24;
    const QLineF normal = line.normalVector();
    const QPointF half(normal.dx() / normal.length(), normal.dy() / normal.length());
    for (int i = 0; i < kPieces; ++i) {
        const QPointF from = line.pointAt(double(i) / kPieces);
        const QPointF to = line.pointAt(double(i + 1) / kPieces);
        occupy(QPolygonF({from - half, to - half, to + half, from + half}), 1);
    }
}

bool LabelPlacer::inside(const QPolygonF &outline) const
{
    return m_area.contains(outline.boundingRect());
}

std::optional<LabelPlacer::Spot> LabelPlacer::take(const std::vector<Spot> &spots,
                                                   const QSizeF &words, bool must)
{
    std::optional<Spot> best;
    std::size_t least = must ? std::numeric_limits<std::size_t>::max() : 1;
    for (const Spot &spot : spots) {
        const QPolygonF shape = outline(spot, words);
        const std::size_t covers = inside(shape) ? covered(shape, least) : least;
        if (covers < least) {
            least = covers;
            best = spot;
        }
        if (least == 0)
            break;
    }
    if (best)
        occupy(outline(*best, words), kWords);
    return best;
}

std::optional<LabelPlacer::Spot> LabelPlacer::along(const QLineF &whole, const QSizeF &words,
                                                    bool must)
{
    const auto line = clipped(whole, m_area);
    if (!line)
        return std::nullopt;
    // A line that is too short has the words end where it ends.
    const double half = words.width() / 2 / line->length();
    const bool shorter = line->length() < words.width();
    const int steps = shorter ? 0 : 48;
    const QLineF normal = line->normalVector();
    // Up on the screen, whichever way the line runs.
    QPointF up(normal.dx() / normal.length(), normal.dy() / normal.length());
    if (up.y() > 0)
        up = -up;
    const double degrees = -line->angle() > -90 ? -line->angle() : 360 - line->angle();
    std::vector<Spot> spots;
    for (const double side : {1.0, -1.0}) {
        for (int step = 0; step <= steps; ++step) {
            const double at = 1 - half - (shorter ? 0 : (1 - 2 * half) * step / steps);
            spots.push_back({line->pointAt(at) + side * up * (words.height() / 2 + 1), degrees});
        }
    }
    return take(spots, words, must);
}

std::optional<LabelPlacer::Spot> LabelPlacer::beside(const QPointF &point, double distance,
                                                     const QSizeF &words, bool must)
{
    const double across = distance + words.width() / 2, down = distance + words.height() / 2;
    const std::array<QPointF, 8> offsets{QPointF(across, 0),     QPointF(-across, 0),
                                         QPointF(0, -down),      QPointF(0, down),
                                         QPointF(across, down),  QPointF(-across, -down),
                                         QPointF(across, -down), QPointF(-across, down)};
    std::vector<Spot> spots;
    for (const QPointF &offset : offsets)
        spots.push_back({point + offset, 0});
    return take(spots, words, must);
}

std::optional<QLineF> clipped(const QLineF &line, const QRectF &area)
{
    // Liang and Barsky: the share of the line that is on the inner side of all four edges.
    double from = 0, to = 1;
    const std::array<std::pair<double, double>, 4> edges{
        std::pair{-line.dx(), line.x1() - area.left()},
        std::pair{line.dx(), area.right() - line.x1()},
        std::pair{-line.dy(), line.y1() - area.top()},
        std::pair{line.dy(), area.bottom() - line.y1()}};
    for (const auto &[slope, distance] : edges) {
        if (slope == 0) {
            if (distance < 0)
                return std::nullopt;
            continue;
        }
        const double at = distance / slope;
        if (slope < 0)
            from = std::max(from, at);
        else
            to = std::min(to, at);
    }
    if (from >= to)
        return std::nullopt;
    return QLineF(line.pointAt(from), line.pointAt(to));
}

} // namespace kernscope::ui
