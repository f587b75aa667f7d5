// SPDX-License-Identifier: GPL-3.0-or-later
// The words in the roofline: every ceiling named at whatever zoom, the points named where there is
// room, those that coincide counted.
#include "widgets/chips/chip_words.h"
#include "widgets/chips/label_placer.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr double kSamePlace = 0.02; ///< of the natural logarithm: 2 %, less than a point is wide
constexpr double kRoofNameEms = 9;
constexpr double kRoomOfName = 130; ///< square ems of the drawing for each further ceiling's name
constexpr std::size_t kMostNames = 200; ///< of points: a plot has no room for more

} // namespace

QString RooflinePlot::roofText(const roofline::Ceiling &ceiling)
{
    return QStringLiteral("%1 %2").arg(roofName(ceiling.name),
                                       siWord(ceiling.value, fromUtf8(ceiling.unit)));
}

/// Points of equal figures together, and these by cells of the reach of coinciding().
void RooflinePlot::findSpots()
{
    m_spots.clear();
    m_grid.clear();
    m_spotOf.assign(m_order.size(), 0);
    std::map<std::pair<double, double>, std::size_t> known;
    for (int i = 0; i < pointCount(); ++i) {
        const auto [at, added] = known.try_emplace({keyOf(i), levelOf(i)}, m_spots.size());
        if (added) {
            Spot made;
            made.key = keyOf(i);
            made.level = levelOf(i);
            made.logKey = std::log(made.key);
            made.logLevel = std::log(made.level);
            m_spots.push_back(std::move(made));
            m_grid[cellOf(m_spots.back())].push_back(at->second);
        }
        Spot &spot = m_spots[at->second];
        spot.points.push_back(i);
        spot.longestS = std::max(spot.longestS, placementOf(i).stored().timeS.value_or(0));
        m_spotOf[static_cast<std::size_t>(i)] = at->second;
    }
}

RooflinePlot::GridCell RooflinePlot::cellOf(const Spot &spot)
{
    const auto line = [](double log) {
        return std::isfinite(log) ? static_cast<std::int64_t>(std::floor(log / kSamePlace)) : 0;
    };
    return {line(spot.logKey), line(spot.logLevel)};
}

/// The spots within reach of one, itself among them, rising.
std::vector<std::size_t> RooflinePlot::spotsAround(std::size_t spot) const
{
    const Spot &centre = m_spots[spot];
    const GridCell cell = cellOf(centre);
    std::vector<std::size_t> found{spot};
    for (std::int64_t x = cell.first - 1; x <= cell.first + 1; ++x) {
        for (std::int64_t y = cell.second - 1; y <= cell.second + 1; ++y) {
            const auto at = m_grid.find({x, y});
            if (at == m_grid.end())
                continue;
            for (const std::size_t other : at->second) {
                if (other != spot && std::abs(m_spots[other].logKey - centre.logKey) < kSamePlace &&
                    std::abs(m_spots[other].logLevel - centre.logLevel) < kSamePlace)
                    found.push_back(other);
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// At most so many, those whose layers take longest, rising.
std::vector<std::size_t> RooflinePlot::longestSpots(std::vector<std::size_t> spots,
                                                    std::size_t most) const
{
    if (spots.size() > most) {
        std::stable_sort(spots.begin(), spots.end(), [this](std::size_t a, std::size_t b) {
            return m_spots[a].longestS > m_spots[b].longestS;
        });
        spots.resize(most);
        std::sort(spots.begin(), spots.end());
    }
    return spots;
}

/// The points that lie where `point` lies, itself among them, in the order of the keys.
std::vector<int> RooflinePlot::coinciding(int point) const
{
    std::vector<int> found;
    for (const std::size_t spot : spotsAround(m_spotOf[static_cast<std::size_t>(point)]))
        found.insert(found.end(), m_spots[spot].points.begin(), m_spots[spot].points.end());
    std::sort(found.begin(), found.end());
    return found;
}

QLineF RooflinePlot::lineOf(const Roof &roof) const
{
    const QCPGraphDataContainer &ends = *roof.graph->data();
    const auto pixels = [this](const QCPGraphData &at) {
        return QPointF(plot().xAxis->coordToPixel(at.key), plot().yAxis->coordToPixel(at.value));
    };
    return {pixels(*ends.at(0)), pixels(*ends.at(1))};
}

namespace {

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

/// Before each drawing: the axes have moved, or the plot has another size. The pair that the times
/// are worked out with, the floor and the points come first; the other ceilings are named where
/// there is room, and under the pointer.
void RooflinePlot::placeLabels()
{
    const QRectF area = plot().axisRect()->rect();
    if (area.width() < 1 || area.height() < 1)
        return;
    m_labelOutlines.clear();
    LabelPlacer placer(area);
    if (plot().legend->visible())
        placer.avoid(plot().legend->outerRect());
    findMarks();
    for (const QRectF &mark : m_markBoxes)
        placer.avoid(mark);
    if (m_ridgeText && m_ridgeText->visible())
        placer.avoid(QRectF(m_ridgeText->topLeft->pixelPosition(),
                            m_ridgeText->bottomRight->pixelPosition()));
    for (Roof &roof : m_roofs) {
        if (roof.chosen)
            stand(roof.label, placer.along(lineOf(roof), labelSizeOf(*roof.label), true),
                  m_labelOutlines);
    }
    if (m_floorText)
        placeFloor(placer);
    // What is read first is not crossed by what is read next.
    avoidChosenLines(placer);
    for (PointLabel &label : m_pointLabels) {
        const QPoint at = positionOf(label.point);
        const bool ringed = currentPoint() >= 0 && at == positionOf(currentPoint());
        const double away = ringed ? kRing / 2 + 2 : theme::em(this, 0.6);
        stand(label.text, placer.beside(at, away, labelSizeOf(*label.text), false),
              m_labelOutlines);
    }
    nameOtherRoofs(placer);
}

/// The lines of the chosen pair, the floor and the ridge, in pieces that lie close around them.
void RooflinePlot::avoidChosenLines(LabelPlacer &placer) const
{
    const QRectF area = plot().axisRect()->rect();
    std::vector<QLineF> lines;
    for (const Roof &roof : m_roofs) {
        if (roof.chosen)
            lines.push_back(lineOf(roof));
    }
    if (m_floorText) {
        const double y = plot().yAxis->coordToPixel(*m_floorRate);
        lines.emplace_back(area.left(), y, area.right(), y);
    }
    if (m_ridgeLine)
        lines.emplace_back(m_ridgeLine->start->pixelPosition(), m_ridgeLine->end->pixelPosition());
    for (const QLineF &whole : lines) {
        if (const auto line = clipped(whole, area); line && line->length() > 1)
            placer.avoid(*line);
    }
}

/// In few words where the drawing has no room for all.
void RooflinePlot::placeFloor(LabelPlacer &placer)
{
    const QRectF area = plot().axisRect()->rect();
    const double y = plot().yAxis->coordToPixel(*m_floorRate);
    const QLineF line(area.left(), y, area.right(), y);
    m_floorText->setText(floorWords(true));
    auto spot = placer.along(line, labelSizeOf(*m_floorText), false);
    if (!spot) {
        m_floorText->setText(floorWords(false));
        spot = placer.along(line, labelSizeOf(*m_floorText), true);
    }
    stand(m_floorText, spot, m_labelOutlines);
}

QString RooflinePlot::floorWords(bool whole) const
{
    const QString rate = siWord(*m_floorRate, QStringLiteral("FLOP/s"));
    return whole ? tr("whole program at the %1 of one dispatch: %2")
                       .arg(siWord(*m_given.dispatchFloorS, QStringLiteral("s")), rate)
                 : tr("one dispatch: %1").arg(rate);
}

/// The other ceilings, those nearest to the chosen pair first: as many as a drawing of that size
/// has room for beside its points. The rest says its name when it is pointed at.
void RooflinePlot::nameOtherRoofs(LabelPlacer &placer)
{
    const QRectF area = plot().axisRect()->rect();
    const double em = theme::em(this, 1);
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
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[away, roof] : order) {
        if (most <= 0)
            break;
        const auto spot = placer.along(lineOf(*roof), labelSizeOf(*roof->label), false);
        stand(roof->label, spot, m_labelOutlines);
        most -= spot ? 1 : 0;
    }
}

/// The ceiling whose line passes the place within a few pixels, in words; empty where none does.
QString RooflinePlot::roofTextAt(const QPoint &position) const
{
    const double reach = theme::em(this, 0.35);
    double nearest = reach;
    QString text;
    for (const Roof &roof : m_roofs) {
        const double distance = roof.graph->selectTest(position, false);
        if (distance < 0 || distance >= nearest)
            continue;
        nearest = distance;
        text = QStringLiteral("%1\n%2: %3")
                   .arg(roofText(roof.ceiling),
                        fromUtf8(roofline::ceilingMethodName(roof.ceiling.method)),
                        fromUtf8(roof.ceiling.source));
    }
    return text;
}

/// The name of a ceiling under the pointer, where no point is.
void RooflinePlot::nameRoof(const QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    const QString text = nearest(at) < 0 ? roofTextAt(at) : QString();
    if (!text.isEmpty())
        QToolTip::showText(plot().mapToGlobal(at), text, &plot());
}

/// A label for each place with points: the layer's name, or how many lie there.
void RooflinePlot::makePointLabels()
{
    const QFontMetrics metrics(font());
    std::vector<std::size_t> named;
    std::vector<bool> covered(m_spots.size(), false); // by a place that has a name, or would have
    for (std::size_t i = 0; i < m_spots.size(); ++i) {
        if (covered[i])
            continue;
        const std::vector<std::size_t> around = spotsAround(i);
        for (const std::size_t other : around)
            covered[other] = true;
        if (around.front() == i)
            named.push_back(i);
    }
    for (const std::size_t spot : longestSpots(std::move(named), kMostNames)) {
        const int point = m_spots[spot].points.front();
        const QString name = elidedName(metrics, labelOf(point), theme::em(this, kRoofNameEms));
        std::size_t layers = 0;
        for (const std::size_t other : spotsAround(spot))
            layers += m_spots[other].points.size();
        PointLabel label{point, layers, new QCPItemText(&plot())};
        label.text->setText(
            layers == 1 ? name
                        : tr("%1 and %n more", nullptr, static_cast<int>(layers) - 1).arg(name));
        m_pointLabels.push_back(label);
    }
}

QStringList RooflinePlot::labelsShown() const
{
    QStringList texts;
    for (const Roof &roof : m_roofs) {
        if (roof.label->visible())
            texts += roof.label->text();
    }
    if (m_floorText && m_floorText->visible())
        texts += m_floorText->text();
    for (const PointLabel &label : m_pointLabels) {
        if (label.text->visible())
            texts += label.text->text();
    }
    return texts;
}

QStringList RooflinePlot::roofsInView() const
{
    QStringList texts;
    const QRectF area = plot().axisRect()->rect();
    for (const Roof &roof : m_roofs) {
        const auto line = clipped(lineOf(roof), area);
        if (line && line->length() > area.width() / 3)
            texts += roof.label->text();
    }
    return texts;
}

/// What the whole program reaches at most, while its dispatch takes the time that one takes: drawn
/// where that is what the program waits for. Of several functions none: each is a dispatch of its
/// own arithmetic. Nor where a layer's arithmetic is not known.
void RooflinePlot::drawFloor()
{
    m_floorRate.reset();
    double flops = 0;
    for (const ChipLayer &placed : m_layers) {
        const roofline::Placement &figures = *placed.figures;
        const auto ofLayer = figures.layer.ofRuns(figures.stored().flops);
        if (!ofLayer)
            return;
        flops += *ofLayer;
    }
    if (!m_program.hidesGains() || m_program.uncounted > 0 || !m_program.dispatches.empty() ||
        m_program.launches != std::uint64_t(1) || !m_given.dispatchFloorS ||
        *m_given.dispatchFloorS <= 0 || flops <= 0)
        return;
    m_floorRate = flops / *m_given.dispatchFloorS;
    m_floorLine = new QCPItemStraightLine(&plot());
    m_floorLine->setSelectable(false);
    m_floorLine->point1->setCoords(1, *m_floorRate);
    m_floorLine->point2->setCoords(10, *m_floorRate);
    m_floorText = new QCPItemText(&plot());
    m_floorText->setText(floorWords(true));
}

} // namespace kernscope::ui
