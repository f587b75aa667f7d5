// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"
#include "widgets/common/qt_fwd.h"

#include <QLineF>
#include <QPolygonF>
#include <QRectF>
#include <QSizeF>
#include <QStringList>

namespace kernscope::ui {

class RooflineMarks;
class RooflinePoints;

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
    /// up to two lines of words further away, and the spot that covers least.
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
    bool inside(const QPolygonF &outline) const { return m_area.contains(outline.boundingRect()); }

    QRectF m_area;
    std::vector<QPolygonF> m_taken;
    std::vector<QRectF> m_boxes;        ///< around each of them
    std::vector<std::size_t> m_weights; ///< what it costs to cover each of them
};

/// The part of a line that lies in a rectangle; nothing where none does.
std::optional<QLineF> clipped(const QLineF &line, const QRectF &area);

/// The ceilings of a roofline, the ridge and the line of the whole program, and the words beside
/// them and beside the points: every ceiling in view is named where there is room, whatever the
/// zoom, and under the pointer; points that coincide share a label that counts them.
class RooflineLabels
{
public:
    /// `look` has the font and the colours.
    RooflineLabels(QCustomPlot &plot, const QWidget &look);

    /// The roofs that the points are held against or pass; `all`: every other of the chip as well.
    void draw(const RooflinePoints &points, bool all);
    void applyColors(bool dark);
    /// Before each drawing, when the axes have moved or the plot has another size. What must be
    /// read comes first: the pair that times are worked out with, the line of the program, points.
    void place(const RooflinePoints &points, const RooflineMarks &marks, int current);

    QString ridgeText() const; ///< empty: no ridge is known
    int roofCount() const { return static_cast<int>(m_roofs.size()); }
    QStringList shown() const; ///< of ceilings, the line of the program and points
    /// Where those words stand, in pixels of the plot; as of the last place().
    const std::vector<QPolygonF> &outlines() const { return m_outlines; }
    /// The ceiling whose line passes within a few pixels, in words; empty where none does.
    QString roofTextAt(const QPoint &position) const;

private:
    struct Roof {
        roofline::Ceiling ceiling;
        bool chosen = false; ///< one of the pair that times are worked out with
        QCPGraph *graph = nullptr;
        QCPItemText *label = nullptr;
    };
    struct PointLabel {
        int point = 0; ///< the first of those that lie there
        QCPItemText *text = nullptr;
    };
    void clear();
    void addRoof(const roofline::Ceiling &ceiling, bool chosen);
    void drawRidge();
    void drawFloor();
    QString floorWords(bool whole) const;
    QLineF lineOf(const Roof &roof) const; ///< in pixels
    QLineF floorLine() const;              ///< in pixels, across the plot
    void avoidChosenLines(LabelPlacer &placer) const;
    void placeFloor(LabelPlacer &placer);
    void nameOtherRoofs(LabelPlacer &placer);

    QCustomPlot &m_plot;
    const QWidget &m_look;
    roofline::Roofs m_given;
    std::vector<Roof> m_roofs;
    std::vector<PointLabel> m_points;
    std::vector<QPolygonF> m_outlines;
    QCPItemLine *m_ridgeLine = nullptr;
    QCPItemText *m_ridgeText = nullptr;
    std::optional<double> m_floorRate;
    QCPItemStraightLine *m_floorLine = nullptr;
    QCPItemText *m_floorText = nullptr;
};

} // namespace kernscope::ui
