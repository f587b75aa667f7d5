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

namespace kernscope::ui {

namespace {

constexpr double kSamePlace = 0.02; ///< of the natural logarithm: 2 %, less than a point is wide
constexpr double kNameEms = 9;

} // namespace

QString RooflinePlot::roofText(const roofline::Ceiling &ceiling)
{
    return QStringLiteral("%1 %2").arg(
        fromUtf8(ceiling.name).replace(QLatin1Char('_'), QLatin1Char(' ')),
        siWord(ceiling.value, fromUtf8(ceiling.unit)));
}

/// How often a run comes to the layer where it is not once, and its share of what the run takes.
QString RooflinePlot::runText(const roofline::Placement &placed, const roofline::Run &run) const
{
    const roofline::ProgramTime &program = roofline::dispatchOf(m_program, run);
    const auto &once = placed.stored().timeS;
    const QString entry =
        placed.layer.runs.size() > 1 ? tr("\nin %1").arg(fromUtf8(run.entry)) : QString();
    if (!run.onEngine())
        return entry + tr("\nruns on %1, beside the engine").arg(fromUtf8(run.backend));
    if (!run.times)
        return entry + tr("\nhow often it runs is not known");
    QString text = entry;
    if (*run.times != 1)
        text += tr("\nruns %1 times").arg(*run.times);
    const auto share = [&once, &run](double of) {
        return QString::number(100 * static_cast<double>(*run.times) * *once / of, 'g', 3) +
               QStringLiteral(" %");
    };
    if (once && program.engineTimeS && *program.engineTimeS > 0)
        text += tr("\n%1 of the %2 of all layers")
                    .arg(share(*program.engineTimeS),
                         siWord(*program.engineTimeS, QStringLiteral("s")));
    if (once && program.dispatchFloorS && *program.dispatchFloorS > 0)
        text += (program.launches == std::uint64_t(1)
                     ? tr("; %1 of the %2 that a dispatch takes at least")
                     : tr("; %1 of the %2 that its dispatches take at least"))
                    .arg(share(*program.dispatchFloorS),
                         siWord(*program.dispatchFloorS, QStringLiteral("s")));
    return text;
}

/// The points that lie where `point` lies, itself among them, in the order of the keys.
std::vector<int> RooflinePlot::coinciding(int point) const
{
    std::vector<int> found;
    for (int i = 0; i < pointCount(); ++i) {
        if (std::abs(std::log(keyOf(i) / keyOf(point))) < kSamePlace &&
            std::abs(std::log(levelOf(i) / levelOf(point))) < kSamePlace)
            found.push_back(i);
    }
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
QSizeF sizeOf(const QCPItemText &label)
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
    outlines.push_back(LabelPlacer::outline(*spot, sizeOf(*label)));
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
    const double reach = theme::em(this, 0.5);
    for (int i = 0; i < pointCount(); ++i) {
        const QPointF at = positionOf(i);
        placer.avoid(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach));
    }
    if (m_ridgeText && m_ridgeText->visible())
        placer.avoid(QRectF(m_ridgeText->topLeft->pixelPosition(),
                            m_ridgeText->bottomRight->pixelPosition()));
    const auto nameRoofs = [&](bool chosen) {
        for (Roof &roof : m_roofs) {
            if (roof.chosen == chosen)
                stand(roof.label, placer.along(lineOf(roof), sizeOf(*roof.label), chosen),
                      m_labelOutlines);
        }
    };
    nameRoofs(true);
    if (m_floorText) {
        const double y = plot().yAxis->coordToPixel(*m_floorRate);
        stand(m_floorText,
              placer.along(QLineF(area.left(), y, area.right(), y), sizeOf(*m_floorText), true),
              m_labelOutlines);
    }
    for (PointLabel &label : m_pointLabels)
        stand(label.text,
              placer.beside(positionOf(label.point), theme::em(this, 0.6), sizeOf(*label.text),
                            false),
              m_labelOutlines);
    nameRoofs(false);
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
    for (int i = 0; i < pointCount(); ++i) {
        const std::vector<int> here = coinciding(i);
        if (here.front() != i)
            continue;
        const QString name =
            elidedName(metrics, fromUtf8(placementOf(i).layer.label()), theme::em(this, kNameEms));
        PointLabel label{i, here.size(), new QCPItemText(&plot())};
        label.text->setText(
            here.size() == 1
                ? name
                : tr("%1 and %n more", nullptr, static_cast<int>(here.size()) - 1).arg(name));
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

/// What the whole program reaches at most, while its dispatch takes the time that one takes. Of
/// several functions none: each is a dispatch of its own arithmetic.
void RooflinePlot::drawFloor()
{
    m_floorRate.reset();
    double flops = 0;
    for (const roofline::Placement &placed : m_placements)
        flops += placed.layer.ofRuns(placed.stored().flops).value_or(0);
    if (m_program.uncounted > 0 || !m_program.dispatches.empty() ||
        m_program.launches != std::uint64_t(1) || !m_given.dispatchFloorS ||
        *m_given.dispatchFloorS <= 0 || flops <= 0)
        return;
    m_floorRate = flops / *m_given.dispatchFloorS;
    m_floorLine = new QCPItemStraightLine(&plot());
    m_floorLine->setSelectable(false);
    m_floorLine->point1->setCoords(1, *m_floorRate);
    m_floorLine->point2->setCoords(10, *m_floorRate);
    m_floorText = new QCPItemText(&plot());
    m_floorText->setText(tr("whole program at the %1 of one dispatch: %2")
                             .arg(siWord(*m_given.dispatchFloorS, QStringLiteral("s")),
                                  siWord(*m_floorRate, QStringLiteral("FLOP/s"))));
}

} // namespace kernscope::ui
