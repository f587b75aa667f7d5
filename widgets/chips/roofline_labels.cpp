// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_labels.h"

#include "widgets/chips/roofline_plot.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

#include <qcustomplot.h>

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
    for (const double row : {0.5, -0.5, 1.5, -1.5, 2.5, -2.5}) {
        if (!must && std::abs(row) > 1)
            break;
        for (int step = 0; step <= steps; ++step) {
            const double at = 1 - half - (shorter ? 0 : (1 - 2 * half) * step / steps);
            const double away = row * words.height() + (row > 0 ? 1 : -1);
            spots.push_back({line->pointAt(at) + away * up, degrees});
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

namespace {

using roofline::Ceiling;

constexpr double kFar = 1e9, kNear = 1e-9; ///< intensities past any that are shown
constexpr double kRoofNameEms = 9;
constexpr double kRoomOfName = 130; ///< square ems of the drawing for each further ceiling's name
constexpr std::size_t kMostNames = 200; ///< of points: a plot has no room for more

QString roofText(const Ceiling &ceiling)
{
    return u"%1 %2"_s.arg(roofName(ceiling.name), siWord(ceiling.value, fromUtf8(ceiling.unit)));
}

Qt::PenStyle styleOf(Ceiling::Method method)
{
    return method == Ceiling::Method::Measured  ? Qt::SolidLine
           : method == Ceiling::Method::Derived ? Qt::DashLine
                                                : Qt::DotLine;
}

/// Letters without the room between lines: the lines of two ceilings may be near each other.
QSizeF labelSizeOf(const QCPItemText &label)
{
    const QFontMetricsF metrics(label.font());
    return {metrics.horizontalAdvance(label.text()) + 6, metrics.ascent()};
}

void stand(QCPItemText *label, const std::optional<LabelPlacer::Spot> &spot,
           std::vector<QPolygonF> &outlines)
{
    label->setVisible(spot.has_value());
    if (!spot)
        return;
    outlines.push_back(LabelPlacer::outline(*spot, labelSizeOf(*label)));
    label->position->setType(QCPItemPosition::ptAbsolute);
    label->setPositionAlignment(Qt::AlignCenter);
    label->setRotation(spot->degrees);
    label->position->setCoords(spot->centre);
}

} // namespace

RooflineLabels::RooflineLabels(QCustomPlot &plot, const QWidget &look) : m_plot(plot), m_look(look)
{
}

void RooflineLabels::clear()
{
    for (const Roof &roof : std::exchange(m_roofs, {})) {
        m_plot.removeGraph(roof.graph);
        m_plot.removeItem(roof.label);
    }
    for (const PointLabel &label : std::exchange(m_points, {}))
        m_plot.removeItem(label.text);
    if (m_ridgeLine) {
        m_plot.removeItem(std::exchange(m_ridgeLine, nullptr));
        m_plot.removeItem(std::exchange(m_ridgeText, nullptr));
    }
    if (m_floorLine) {
        m_plot.removeItem(std::exchange(m_floorLine, nullptr));
        m_plot.removeItem(std::exchange(m_floorText, nullptr));
    }
}

void RooflineLabels::draw(const RooflinePoints &points, bool all)
{
    clear();
    m_given = points.roofs();
    m_floorRate = points.floorRate();
    if (m_floorRate)
        drawFloor();
    const std::set<std::string> wanted = points.roofNames();
    for (const Ceiling &ceiling : m_given.all) {
        const bool chosen = (m_given.compute && ceiling.name == m_given.compute->name) ||
                            (m_given.bandwidth && ceiling.name == m_given.bandwidth->name);
        if (ceiling.isRoof() && ceiling.value > 0 &&
            (all || chosen || wanted.count(ceiling.name) > 0))
            addRoof(ceiling, chosen);
    }
    if (m_given.ridge && m_given.compute)
        drawRidge();
    const QFontMetrics metrics(m_look.font());
    for (const RooflinePoints::Named &named : points.named(kMostNames)) {
        const QString name =
            elidedName(metrics, points.label(named.point), theme::em(&m_look, kRoofNameEms));
        const PointLabel label{named.point, new QCPItemText(&m_plot)};
        label.text->setText(named.layers == 1 ? name
                                              : RooflinePlot::tr("%1 and %n more", nullptr,
                                                                 static_cast<int>(named.layers) - 1)
                                                    .arg(name));
        m_points.push_back(label);
    }
}

void RooflineLabels::addRoof(const Ceiling &ceiling, bool chosen)
{
    Roof roof;
    roof.ceiling = ceiling;
    roof.chosen = chosen;
    roof.graph = m_plot.addGraph();
    roof.graph->removeFromLegend();
    const bool compute = ceiling.kind == Ceiling::Kind::Compute;
    // The chosen pair stops where it meets the other, and no stream goes on above the compute roof:
    // what is left over is no roof.
    const double near = compute && chosen ? m_given.ridge.value_or(kNear) : kNear;
    const double far = compute || !m_given.compute ? kFar : m_given.compute->value / ceiling.value;
    if (compute)
        roof.graph->setData({near, far}, {ceiling.value, ceiling.value}, true);
    else
        roof.graph->setData({near, far}, {near * ceiling.value, far * ceiling.value}, true);
    roof.label = new QCPItemText(&m_plot);
    roof.label->setText(roofText(ceiling));
    m_roofs.push_back(roof);
}

void RooflineLabels::drawRidge()
{
    m_ridgeLine = new QCPItemLine(&m_plot);
    m_ridgeLine->start->setCoords(*m_given.ridge, m_given.compute->value);
    m_ridgeLine->end->setCoords(*m_given.ridge, kNear);
    m_ridgeText = new QCPItemText(&m_plot);
    // At the foot of its line, where it fits whatever the plot's height and zoom; on the side with
    // more room.
    const QCPRange shown = m_plot.xAxis->range();
    const bool right = *m_given.ridge * *m_given.ridge < shown.lower * shown.upper;
    m_ridgeText->setPositionAlignment((right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignBottom);
    m_ridgeText->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_ridgeText->position->setCoords(*m_given.ridge, 0.99);
    const int side = theme::em(&m_look, 0.3);
    m_ridgeText->setPadding(QMargins(side, 0, side, 0));
    m_ridgeText->setText(ridgeText());
}

QString RooflineLabels::ridgeText() const
{
    return m_given.ridge ? RooflinePlot::tr("ridge %1 FLOP/B").arg(std::round(*m_given.ridge))
                         : QString();
}

void RooflineLabels::drawFloor()
{
    m_floorLine = new QCPItemStraightLine(&m_plot);
    m_floorLine->setSelectable(false);
    m_floorLine->point1->setCoords(1, *m_floorRate);
    m_floorLine->point2->setCoords(10, *m_floorRate);
    m_floorText = new QCPItemText(&m_plot);
    m_floorText->setText(floorWords(true));
}

QString RooflineLabels::floorWords(bool whole) const
{
    const QString rate = siWord(*m_floorRate, u"FLOP/s"_s);
    return whole ? RooflinePlot::tr("whole program at the %1 of one call: %2")
                       .arg(siWord(*m_given.dispatchFloorS, u"s"_s), rate)
                 : RooflinePlot::tr("one call: %1").arg(rate);
}

/// Names stand on a veil that keeps them legible.
void RooflineLabels::applyColors(bool dark)
{
    const QColor text = m_look.palette().color(QPalette::Text);
    const QColor quiet = m_look.palette().color(QPalette::PlaceholderText);
    QColor faint = text; // what is not chosen stands behind the points
    faint.setAlpha(70);
    QColor veil = m_look.palette().color(QPalette::Base);
    veil.setAlpha(200);
    const QFont small = design::type(m_look.font(), design::Type::Small);
    for (Roof &roof : m_roofs) {
        roof.graph->setPen(
            QPen(roof.chosen ? text : faint, roof.chosen ? 2.2 : 1, styleOf(roof.ceiling.method)));
        roof.label->setColor(roof.chosen ? text : quiet);
        roof.label->setFont(roof.chosen ? m_look.font() : small);
        roof.label->setBrush(veil);
    }
    for (PointLabel &label : m_points) {
        label.text->setColor(quiet);
        label.text->setFont(small);
        label.text->setBrush(veil);
    }
    if (m_floorLine) {
        m_floorLine->setPen(QPen(theme::color(Token::OutFolds, dark), 1.4, Qt::DashLine));
        m_floorText->setColor(text);
        m_floorText->setFont(m_look.font());
        m_floorText->setBrush(veil);
    }
    if (m_ridgeLine) {
        QColor line = text;
        line.setAlpha(90);
        m_ridgeLine->setPen(QPen(line, 1, Qt::DashDotLine));
        m_ridgeText->setColor(text);
        QFont bold = m_look.font();
        bold.setBold(true);
        m_ridgeText->setFont(bold);
    }
}

QLineF RooflineLabels::lineOf(const Roof &roof) const
{
    const QCPGraphDataContainer &ends = *roof.graph->data();
    const auto pixels = [this](const QCPGraphData &at) {
        return QPointF(m_plot.xAxis->coordToPixel(at.key), m_plot.yAxis->coordToPixel(at.value));
    };
    return {pixels(*ends.at(0)), pixels(*ends.at(1))};
}

QLineF RooflineLabels::floorLine() const
{
    const QRectF area = m_plot.axisRect()->rect();
    const double y = m_plot.yAxis->coordToPixel(*m_floorRate);
    return {area.left(), y, area.right(), y};
}

void RooflineLabels::place(const RooflinePoints &points, const RooflineMarks &marks, int current)
{
    const QRectF area = m_plot.axisRect()->rect();
    if (area.width() < 1 || area.height() < 1)
        return;
    m_outlines.clear();
    LabelPlacer placer(area);
    if (m_plot.legend->visible())
        placer.avoid(m_plot.legend->outerRect());
    for (const QRectF &mark : marks.boxes())
        placer.avoid(mark);
    if (m_ridgeText && m_ridgeText->visible())
        placer.avoid(QRectF(m_ridgeText->topLeft->pixelPosition(),
                            m_ridgeText->bottomRight->pixelPosition()));
    for (Roof &roof : m_roofs) {
        if (roof.chosen)
            stand(roof.label, placer.along(lineOf(roof), labelSizeOf(*roof.label), true),
                  m_outlines);
    }
    if (m_floorText)
        placeFloor(placer);
    // What is read first is not crossed by what is read next.
    avoidChosenLines(placer);
    for (PointLabel &label : m_points) {
        const QPoint at = placeOf(m_plot, points, label.point);
        const bool ringed = current >= 0 && at == placeOf(m_plot, points, current);
        const double away = ringed ? RooflineMarks::kRing / 2 + 2 : theme::em(&m_look, 0.6);
        stand(label.text, placer.beside(at, away, labelSizeOf(*label.text), false), m_outlines);
    }
    nameOtherRoofs(placer);
}

/// The lines of the chosen pair, of the program and of the ridge, in pieces that lie close around
/// them.
void RooflineLabels::avoidChosenLines(LabelPlacer &placer) const
{
    const QRectF area = m_plot.axisRect()->rect();
    std::vector<QLineF> lines;
    for (const Roof &roof : m_roofs) {
        if (roof.chosen)
            lines.push_back(lineOf(roof));
    }
    if (m_floorText)
        lines.push_back(floorLine());
    if (m_ridgeLine)
        lines.emplace_back(m_ridgeLine->start->pixelPosition(), m_ridgeLine->end->pixelPosition());
    for (const QLineF &whole : lines) {
        if (const auto line = clipped(whole, area); line && line->length() > 1)
            placer.avoid(*line);
    }
}

/// In few words where the drawing has no room for all.
void RooflineLabels::placeFloor(LabelPlacer &placer)
{
    const QLineF line = floorLine();
    m_floorText->setText(floorWords(true));
    auto spot = placer.along(line, labelSizeOf(*m_floorText), false);
    if (!spot) {
        m_floorText->setText(floorWords(false));
        spot = placer.along(line, labelSizeOf(*m_floorText), true);
    }
    stand(m_floorText, spot, m_outlines);
}

/// Those nearest to the chosen pair first: as many as a drawing of that size has room for beside
/// its points.
void RooflineLabels::nameOtherRoofs(LabelPlacer &placer)
{
    const QRectF area = m_plot.axisRect()->rect();
    const double em = theme::em(&m_look, 1);
    auto most = static_cast<int>(area.width() * area.height() / (kRoomOfName * em * em));
    std::vector<std::pair<double, Roof *>> order;
    for (Roof &roof : m_roofs) {
        if (roof.chosen)
            continue;
        roof.label->setVisible(false);
        const auto &chosen = roof.ceiling.kind == roofline::Ceiling::Kind::Compute
                                 ? m_given.compute
                                 : m_given.bandwidth;
        const double away = chosen && chosen->value > 0
                                ? std::abs(std::log(roof.ceiling.value / chosen->value))
                                : 0;
        order.emplace_back(away, &roof);
    }
    std::ranges::stable_sort(order, [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[away, roof] : order) {
        if (most <= 0)
            break;
        const auto spot = placer.along(lineOf(*roof), labelSizeOf(*roof->label), false);
        stand(roof->label, spot, m_outlines);
        most -= spot ? 1 : 0;
    }
}

QString RooflineLabels::roofTextAt(const QPoint &position) const
{
    const double reach = theme::em(&m_look, 0.35);
    double nearest = reach;
    QString text;
    for (const Roof &roof : m_roofs) {
        const double distance = roof.graph->selectTest(position, false);
        if (distance < 0 || distance >= nearest)
            continue;
        nearest = distance;
        text = u"%1\n%2: %3"_s.arg(roofText(roof.ceiling),
                                   fromUtf8(roofline::ceilingMethodName(roof.ceiling.method)),
                                   fromUtf8(roof.ceiling.source));
    }
    return text;
}

QStringList RooflineLabels::shown() const
{
    QStringList texts;
    for (const Roof &roof : m_roofs) {
        if (roof.label->visible())
            texts += roof.label->text();
    }
    if (m_floorText && m_floorText->visible())
        texts += m_floorText->text();
    for (const PointLabel &label : m_points) {
        if (label.text->visible())
            texts += label.text->text();
    }
    return texts;
}

} // namespace kernscope::ui
