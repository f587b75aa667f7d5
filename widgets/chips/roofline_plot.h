// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/placement_table.h"
#include "widgets/chips/chip_network.h"
#include "widgets/common/plot_widget.h"
#include "widgets/common/window_columns.h"

#include <QLineF>
#include <QPoint>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

class QCPGraph;
class QCPItemLine;
class QCPItemStraightLine;
class QCPItemText;

namespace kernscope::ui {

class LabelPlacer;
struct RooflinePage;

/// The layers of a bundle under the ceilings of a chip, both axes by powers of ten. A point a
/// layer: its shape says the stored form, its size the time; hollow where the figures are
/// estimated; an arrow leads from where it would lie dense. What passes a measured roof is flagged.
/// Every ceiling in view is named, at whatever zoom; a line across says what the whole program
/// reaches while one dispatch takes the time that it takes at least.
///
/// Points that coincide share a label that counts them; a click there goes from one to the next.
/// Of a network with thousands of places, those that take longest have names, arrows and flags.
/// Beside the keys of every plot: plus and minus zoom, 0 shows everything, Shift with an arrow
/// pans.
class RooflinePlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit RooflinePlot(QWidget *parent = nullptr);

    /// The layers of `bundle`, which it keeps for their names; null where there are none.
    void setContent(BundlePtr bundle, roofline::Roofs roofs, std::vector<ChipLayer> layers,
                    const roofline::ProgramTime &program);
    const BundlePtr &bundle() const { return m_bundle; }
    const ChipLayer &layerOf(int point) const;
    const roofline::Placement &placementOf(int point) const { return *layerOf(point).figures; }
    int pointOfWeight(std::size_t weight) const; ///< -1: it has none
    void fit();
    void zoom(double factor);

    int pointCount() const override { return static_cast<int>(m_order.size()); }
    /// With the arithmetic written in full.
    QString pointText(int point) const override;
    int columnCount() const override { return m_columns.count(); }
    QVariant header(int column, int role) const override { return m_columns.header(column, role); }
    QVariant cellData(int point, int column, int role) const override;
    /// SVG as well.
    QString exportPicture(const QString &path) override;
    QString svg(const QSize &size) const;

    /// What is drawn, for tests: roofs, and where a point lies on the screen.
    int roofCount() const { return static_cast<int>(m_roofs.size()); }
    QPoint positionOf(int point) const;
    QString ridgeLabel() const;
    QStringList labelsShown() const; ///< of ceilings, the dispatch floor and points
    /// Where those words stand, in pixels of the plot; as of the last drawing.
    const std::vector<QPolygonF> &labelOutlines() const { return m_labelOutlines; }
    /// Boxes of the points and of their flags, as of the last drawing.
    const std::vector<QRectF> &markBoxes() const { return m_markBoxes; }
    QString roofTextAt(const QPoint &position) const;
    QStringList roofsInView() const; ///< names of the ceilings that cross a third of the plot
    std::vector<int> coinciding(int point) const;

protected:
    QString pictureKinds() const override;
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Roof {
        roofline::Ceiling ceiling;
        bool chosen = false; ///< one of the pair that times are worked out with
        QCPGraph *graph = nullptr;
        QCPItemText *label = nullptr;
    };
    struct Marks { ///< points of one form, size and certainty
        int shape = 0;
        int size = 0;
        bool hollow = false;
        QCPGraph *graph = nullptr;
    };
    struct PointLabel {
        int point = 0;          ///< the first of those that lie there
        std::size_t layers = 1; ///< how many lie there
        QCPItemText *text = nullptr;
    };
    /// The sign beside a point that passes a measured roof.
    struct Flag {
        int point = 0;
        QCPItemText *text = nullptr;
    };
    static constexpr double kRing = 24; ///< pixels across the ring around the chosen point
    /// Points whose figures are equal: drawn once.
    struct Spot {
        std::vector<int> points; ///< rising
        double key = 0, level = 0;
        double logKey = 0, logLevel = 0;
        double longestS = 0; ///< of its layers
    };
    using GridCell = std::pair<std::int64_t, std::int64_t>;
    static QString roofText(const roofline::Ceiling &ceiling);
    QString svgRoofs(const RooflinePage &page) const;
    QString svgPoints(const RooflinePage &page) const;
    QString svgNames(const RooflinePage &page) const;
    QLineF lineOf(const Roof &roof) const; ///< in pixels
    void placeLabels();
    void nameRoof(const QMouseEvent *event);
    void findSpots();
    static GridCell cellOf(const Spot &spot);
    std::vector<std::size_t> spotsAround(std::size_t spot) const;
    std::vector<std::size_t> longestSpots(std::vector<std::size_t> spots, std::size_t most) const;
    void drawMarks();
    void drawArrows();
    void drawFlags();
    void findMarks();
    void avoidChosenLines(LabelPlacer &placer) const;
    void nameOtherRoofs(LabelPlacer &placer);
    void placeFloor(LabelPlacer &placer);
    QString floorWords(bool whole) const;
    void makePointLabels();
    void drawFloor();
    int nextAt(const QPoint &position) const;
    QString runText(const roofline::Placement &placed, const roofline::LayerRun &run) const;
    QString timeText(const roofline::Placement &placed) const;
    /// The other layers that lie where the point does; empty where it lies alone.
    QString neighboursText(int point) const;
    QString labelOf(int point) const;
    /// What the compiler itself says of the layer; empty where nothing.
    void colorNames(bool dark);
    void clearDrawing();
    void drawRoofs();
    void drawPoints();
    void addRoof(const roofline::Ceiling &ceiling, bool chosen);
    QCPGraph *marksFor(int shape, int size, bool hollow);
    int nearest(const QPoint &position) const;
    bool zoomKey(int key, Qt::KeyboardModifiers modifiers);
    int sizeClass(double timeS) const;
    double levelOf(int point) const;

    WindowColumns<report::PlacedLayer> m_columns{report::placementTable()};
    BundlePtr m_bundle; ///< whose layers are shown
    roofline::Roofs m_given;
    std::vector<ChipLayer> m_layers;
    std::vector<std::size_t> m_order;                    ///< point -> placement, by intensity
    std::vector<Spot> m_spots;                           ///< in the order of their first points
    std::vector<std::size_t> m_spotOf;                   ///< point -> spot
    std::map<GridCell, std::vector<std::size_t>> m_grid; ///< spots, rising
    std::vector<Roof> m_roofs;
    std::vector<Marks> m_marks;
    std::vector<QCPItemLine *> m_arrows;
    std::vector<Flag> m_flags;
    std::vector<QRectF> m_markBoxes; ///< of points and flags, in pixels
    QCPGraph *m_chosenPoint = nullptr;
    QCPItemLine *m_ridgeLine = nullptr;
    QCPItemText *m_ridgeText = nullptr;
    std::vector<PointLabel> m_pointLabels;
    std::vector<QPolygonF> m_labelOutlines;
    roofline::ProgramTime m_program;
    std::optional<double> m_floorRate; ///< FLOP/s of the program at the dispatch floor
    QCPItemStraightLine *m_floorLine = nullptr;
    QCPItemText *m_floorText = nullptr;
    double m_longest = 0;
    QPoint m_pressed;
};

/// 0 to 4: dense, palette, sparse, scaled integers, others. The shapes of the points.
int shapeOfForm(const std::string &key);
QString shapeWord(int shape);

} // namespace kernscope::ui
