// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QPolygonF>
#include <QRectF>
#include <QSizeF>

#include <optional>
#include <vector>

namespace kernscope::ui {

/// Finds room for words in a drawing, so that none covers another. Lengths are pixels; y runs
/// downwards.
class LabelPlacer
{
public:
    explicit LabelPlacer(const QRectF &area) : m_area(area) {}

    /// Something that words should not cover.
    void avoid(const QRectF &box) { occupy(QPolygonF(box), 1); }
    /// A line that words should not cross.
    void avoid(const QLineF &line);

    struct Spot {
        QPointF centre;     ///< of the words
        double degrees = 0; ///< clockwise
    };
    /// Words along a line, above it (or below, where only there is room), turned as the line is.
    /// The spot nearest to the line's end that covers nothing; it counts as taken from then on.
    /// Nothing where the words would not be inside the area, or would cover something; with `must`
    /// the spot that covers least.
    std::optional<Spot> along(const QLineF &line, const QSizeF &words, bool must);
    /// Words beside a point, at `distance` from it: right, left, above or below. Nothing where each
    /// of these would cover something, unless `must`.
    std::optional<Spot> beside(const QPointF &point, double distance, const QSizeF &words,
                               bool must);

    /// Where words of that size stand.
    static QPolygonF outline(const Spot &spot, const QSizeF &words);

private:
    /// The first of the spots that cover least, now taken; see along().
    std::optional<Spot> take(const std::vector<Spot> &spots, const QSizeF &words, bool must);
    std::size_t covered(const QPolygonF &outline, std::size_t most) const;
    void occupy(QPolygonF shape, std::size_t weight);
    /// Words over words cannot be read, which is worse than words over many points.
    static constexpr std::size_t kWords = 1000;
    bool inside(const QPolygonF &outline) const;

    QRectF m_area;
    std::vector<QPolygonF> m_taken;
    std::vector<QRectF> m_boxes;        ///< around each of them
    std::vector<std::size_t> m_weights; ///< what it costs to cover each of them
};

/// The part of a line that lies in a rectangle; nothing where none does.
std::optional<QLineF> clipped(const QLineF &line, const QRectF &area);

} // namespace kernscope::ui
