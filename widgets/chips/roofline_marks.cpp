// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_marks.h"

#include "widgets/chips/roofline_plot.h"
#include "widgets/common/design.h"
#include "widgets/common/theme.h"

#include <QFontMetricsF>

#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr std::array kShapes{QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare,
                             QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangle,
                             QCPScatterStyle::ssTriangleInverted};
constexpr std::array kShapeTokens{Token::OutDense, Token::OutStreams, Token::KindValues,
                                  Token::OutFolds, Token::KindCodebook};
constexpr std::array kSizes{6.0, 9.0, 13.0, 18.0};
constexpr std::size_t kMostMarks = 400; ///< arrows or flags: more are not told apart

} // namespace

int shapeOfForm(const std::string &key)
{
    if (key == "dense")
        return 0;
    if (key.starts_with("palette"))
        return 1;
    if (key.starts_with("sparse"))
        return 2;
    return key.starts_with("int8") || key.starts_with("blockwise") ? 3 : 4;
}

QString shapeWord(int shape)
{
    switch (shape) {
    case 0: return RooflinePlot::tr("dense");
    case 1: return RooflinePlot::tr("palette");
    case 2: return RooflinePlot::tr("sparse");
    case 3: return RooflinePlot::tr("int8 or blockwise");
    default: return RooflinePlot::tr("other form");
    }
}

QPoint placeOf(const QCustomPlot &plot, const RooflinePoints &points, int point)
{
    return QPointF(plot.xAxis->coordToPixel(points.keyOf(point)),
                   plot.yAxis->coordToPixel(points.levelOf(point)))
        .toPoint();
}

RooflineMarks::RooflineMarks(QCustomPlot &plot, const QWidget &look) : m_plot(plot), m_look(look)
{
    m_ring = plot.addGraph();
    m_ring->setLineStyle(QCPGraph::lsNone);
    m_ring->removeFromLegend();
}

QCPGraph *RooflineMarks::series(int shape, int size, bool hollow)
{
    bool named = false;
    for (const Series &series : m_series) {
        if (series.shape == shape && series.size == size && series.hollow == hollow)
            return series.graph;
        named |= series.shape == shape && series.hollow == hollow;
    }
    const Series made{shape, size, hollow, m_plot.addGraph()};
    made.graph->setLineStyle(QCPGraph::lsNone);
    made.graph->setName(hollow ? RooflinePlot::tr("%1, estimated").arg(shapeWord(shape))
                               : shapeWord(shape));
    if (named)
        made.graph->removeFromLegend();
    m_series.push_back(made);
    return made.graph;
}

void RooflineMarks::draw(const RooflinePoints &points)
{
    for (const Series &series : std::exchange(m_series, {}))
        m_plot.removeGraph(series.graph);
    for (QCPItemLine *arrow : std::exchange(m_arrows, {}))
        m_plot.removeItem(arrow);
    for (const Flag &flag : std::exchange(m_flags, {}))
        m_plot.removeItem(flag.text);
    for (const RooflinePoints::Spot &spot : points.spots()) {
        std::set<QCPGraph *> drawn;
        for (const int i : spot.points) {
            const roofline::Placement &placed = points.placementOf(i);
            const roofline::Assessment &stored = placed.stored();
            QCPGraph *graph = series(shapeOfForm(stored.form),
                                     points.sizeClass(stored.timeS.value_or(0)), placed.estimated);
            if (drawn.insert(graph).second)
                graph->addData(spot.key, spot.level);
        }
    }
    for (const RooflinePoints::Arrow &from : points.arrows(kMostMarks)) {
        auto *arrow = new QCPItemLine(&m_plot);
        arrow->start->setCoords(from.key, from.level);
        arrow->end->setCoords(points.spots()[from.spot].key, points.spots()[from.spot].level);
        arrow->setHead(QCPLineEnding(QCPLineEnding::esSpikeArrow, 7, 9));
        m_arrows.push_back(arrow);
    }
    for (const std::size_t spot : points.aboveRoofs(kMostMarks)) {
        auto *flag = new QCPItemText(&m_plot); // place() gives it its place
        flag->setText(QStringLiteral("!"));
        const int side = theme::em(&m_look, 0.25);
        flag->setPadding(QMargins(side, 0, side, 0));
        m_flags.push_back({points.spots()[spot].points.front(), flag});
    }
}

void RooflineMarks::applyColors(const RooflinePoints &points, int current, bool dark)
{
    const QColor ground = m_look.palette().color(QPalette::Base);
    QColor faint = m_look.palette().color(QPalette::Text);
    faint.setAlpha(90);
    for (const Series &series : m_series) {
        const QColor color = theme::color(kShapeTokens[std::size_t(series.shape)], dark);
        series.graph->setScatterStyle(QCPScatterStyle(
            kShapes[std::size_t(series.shape)], QPen(series.hollow ? color : ground, 1.6),
            series.hollow ? ground : color, kSizes[std::size_t(series.size)]));
    }
    for (QCPItemLine *arrow : m_arrows)
        arrow->setPen(QPen(faint, 1));
    const QColor mark = theme::color(Token::MarkChanged, dark);
    for (const Flag &flag : m_flags) {
        flag.text->setColor(mark);
        flag.text->setPen(QPen(mark, 1));
        flag.text->setBrush(ground);
        flag.text->setFont(design::type(m_look.font(), design::Type::Small));
    }
    m_ring->data()->clear();
    m_ring->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(mark, 2), Qt::NoBrush, kRing));
    if (current >= 0)
        m_ring->addData(points.keyOf(current), points.levelOf(current));
}

void RooflineMarks::place(const RooflinePoints &points, int current)
{
    m_boxes.clear();
    const double reach = theme::em(&m_look, 0.5), ring = kRing / 2;
    std::set<std::pair<int, int>> pixels;
    const auto add = [this](const QPointF &at, double half) {
        m_boxes.emplace_back(at.x() - half, at.y() - half, 2 * half, 2 * half);
    };
    for (const RooflinePoints::Spot &spot : points.spots()) {
        const QPoint at = placeOf(m_plot, points, spot.points.front());
        if (pixels.emplace(at.x(), at.y()).second)
            add(at, reach);
    }
    if (current >= 0)
        add(placeOf(m_plot, points, current), ring);
    std::vector<QRectF> flags;
    for (const Flag &flag : m_flags) {
        const QPoint at = placeOf(m_plot, points, flag.point);
        const bool chosen =
            current >= 0 &&
            (at - placeOf(m_plot, points, current)).manhattanLength() < static_cast<int>(ring);
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
    m_boxes.insert(m_boxes.end(), flags.begin(), flags.end());
}

} // namespace kernscope::ui
