// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_plot.h"

#include "widgets/common/design.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

#include <qcustomplot.h>

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
        flag->setText(u"!"_s);
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

RooflinePlot::RooflinePlot(QWidget *parent)
    : PlotWidget(tr("Roofline"), parent), m_marks(plot(), *this), m_labels(plot(), *this)
{
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        axis->setNumberFormat(u"gb"_s);
        axis->setNumberPrecision(0);
    }
    plot().xAxis->setLabel(tr("Arithmetic intensity, FLOP/byte"));
    plot().yAxis->setLabel(tr("Attainable rate, FLOP/s"));
    plot().setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    showLegend();
    std::vector<PlotColumn> columns;
    for (int i = 0; i < m_points.columnCount(); ++i)
        columns.emplace_back(
            [this, i](int role) { return m_points.header(i, role); },
            [this, i](int point, int role) { return m_points.cell(point, i, role); });
    setColumns(std::move(columns));
    connect(&plot(), &QCustomPlot::afterLayout, this, [this] {
        m_marks.place(m_points, currentPoint());
        m_labels.place(m_points, m_marks, currentPoint());
    });
    // After the points' own words: a ceiling without room for its name says it here.
    connect(&plot(), &QCustomPlot::mouseMove, this, &RooflinePlot::nameRoof);
}

void RooflinePlot::setContent(BundlePtr bundle, roofline::Roofs roofs,
                              std::vector<ChipLayer> layers, const roofline::ProgramTime &program)
{
    beginData();
    m_points.set(std::move(bundle), std::move(roofs), std::move(layers), program);
    m_marks.draw(m_points);
    fit();
    m_labels.draw(m_points, m_allRoofs);
    endData();
}

void RooflinePlot::showAllRoofs(bool all)
{
    m_allRoofs = all;
    beginData();
    m_labels.draw(m_points, all);
    endData();
}

std::optional<int> RooflinePlot::nearest(const QPoint &position) const
{
    const int reach = theme::em(this, 0.8);
    int best = reach * reach, found = -1;
    for (const RooflinePoints::Spot &spot : m_points.spots()) {
        const int point = spot.points.front();
        const QPoint off = positionOf(point) - position;
        const int square = QPoint::dotProduct(off, off);
        if (square < best)
            best = square, found = point;
    }
    return found;
}

/// The point under the mouse; where several coincide and one is chosen, the next of them.
int RooflinePlot::nextAt(const QPoint &position) const
{
    const int under = *nearest(position);
    if (under < 0)
        return under;
    const std::vector<int> here = m_points.coinciding(under);
    const auto now = std::find(here.begin(), here.end(), currentPoint());
    if (now == here.end())
        return here.front();
    return now + 1 == here.end() ? here.front() : *(now + 1);
}

void RooflinePlot::fit()
{
    const RooflineView all = m_points.extent();
    plot().xAxis->setRange(all.left, all.right);
    plot().yAxis->setRange(all.low, all.high);
}

void RooflinePlot::zoom(double factor)
{
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis})
        axis->scaleRange(factor, std::sqrt(axis->range().lower * axis->range().upper));
    plot().replot(QCustomPlot::rpQueuedReplot);
}

bool RooflinePlot::zoomKey(int key, Qt::KeyboardModifiers modifiers)
{
    const auto pan = [](QCPAxis *axis, double decades) {
        const double factor = std::pow(10, decades);
        axis->setRange(axis->range().lower * factor, axis->range().upper * factor);
    };
    const bool shift = modifiers & Qt::ShiftModifier;
    switch (key) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(0.8); return true;
    case Qt::Key_Minus: zoom(1.25); return true;
    case Qt::Key_0: fit(); break;
    case Qt::Key_Left:
        if (!shift)
            return false;
        pan(plot().xAxis, -0.2);
        break;
    case Qt::Key_Right:
        if (!shift)
            return false;
        pan(plot().xAxis, 0.2);
        break;
    case Qt::Key_Up: pan(plot().yAxis, 0.2); break;
    case Qt::Key_Down: pan(plot().yAxis, -0.2); break;
    default: return false;
    }
    plot().replot(QCustomPlot::rpQueuedReplot);
    return true;
}

bool RooflinePlot::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != &plot())
        return PlotWidget::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) {
        const auto *press = static_cast<QKeyEvent *>(event);
        if (zoomKey(press->key(), press->modifiers()))
            return true;
    }
    if (event->type() == QEvent::MouseButtonPress)
        m_pressed = static_cast<QMouseEvent *>(event)->pos();
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        const bool dragged =
            (mouse->pos() - m_pressed).manhattanLength() > QApplication::startDragDistance();
        pick(mouse->button() == Qt::LeftButton && !dragged ? nextAt(mouse->pos()) : -1);
        return false;
    }
    return PlotWidget::eventFilter(watched, event);
}

/// The name of a ceiling under the pointer, where no point is.
void RooflinePlot::nameRoof(const QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    const QString text = *nearest(at) < 0 ? m_labels.roofTextAt(at) : QString();
    if (!text.isEmpty())
        QToolTip::showText(plot().mapToGlobal(at), text, &plot());
}

void RooflinePlot::applyColors(bool dark)
{
    m_labels.applyColors(dark);
    m_marks.applyColors(m_points, currentPoint(), dark);
}

} // namespace kernscope::ui

#include "moc_roofline_plot.cpp"
