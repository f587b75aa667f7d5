// SPDX-License-Identifier: GPL-3.0-or-later
// What the roofline draws: roofs, points, arrows, flags.
#include "widgets/chips/chip_words.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/common/design.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace kernscope::ui {

namespace {

using roofline::Ceiling;

constexpr std::array kShapes{QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare,
                             QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangle,
                             QCPScatterStyle::ssTriangleInverted};
constexpr std::array kShapeTokens{Token::OutDense, Token::OutStreams, Token::KindValues,
                                  Token::OutFolds, Token::KindCodebook};
constexpr std::array kSizes{6.0, 9.0, 13.0, 18.0};
constexpr std::size_t kMostMarks = 400;    ///< arrows or flags: more are not told apart
constexpr double kFar = 1e9, kNear = 1e-9; ///< intensities past any that are shown

Qt::PenStyle styleOf(Ceiling::Method method)
{
    return method == Ceiling::Method::Measured  ? Qt::SolidLine
           : method == Ceiling::Method::Derived ? Qt::DashLine
                                                : Qt::DotLine;
}

} // namespace

void RooflinePlot::clearDrawing()
{
    for (Roof &roof : m_roofs) {
        plot().removeGraph(roof.graph);
        plot().removeItem(roof.label);
    }
    for (QCPItemLine *arrow : m_arrows)
        plot().removeItem(arrow);
    for (const Flag &flag : m_flags)
        plot().removeItem(flag.text);
    if (m_ridgeLine) {
        plot().removeItem(m_ridgeLine);
        plot().removeItem(m_ridgeText);
    }
    for (Marks &marks : m_marks)
        plot().removeGraph(marks.graph);
    for (PointLabel &label : m_pointLabels)
        plot().removeItem(label.text);
    if (m_floorLine) {
        plot().removeItem(m_floorLine);
        plot().removeItem(m_floorText);
    }
    m_floorLine = nullptr;
    m_floorText = nullptr;
    m_pointLabels.clear();
    m_roofs.clear();
    m_marks.clear();
    m_arrows.clear();
    m_flags.clear();
    m_ridgeLine = nullptr;
    m_ridgeText = nullptr;
}

void RooflinePlot::addRoof(const Ceiling &ceiling, bool chosen)
{
    Roof roof;
    roof.ceiling = ceiling;
    roof.chosen = chosen;
    roof.graph = plot().addGraph();
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
    roof.label = new QCPItemText(&plot());
    roof.label->setText(roofText(ceiling));
    m_roofs.push_back(roof);
}

void RooflinePlot::drawRoofs()
{
    for (const Ceiling &ceiling : m_given.all) {
        const bool chosen = (m_given.compute && ceiling.name == m_given.compute->name) ||
                            (m_given.bandwidth && ceiling.name == m_given.bandwidth->name);
        if (ceiling.isRoof() && ceiling.value > 0)
            addRoof(ceiling, chosen);
    }
    if (!m_given.ridge || !m_given.compute)
        return;
    m_ridgeLine = new QCPItemLine(&plot());
    m_ridgeLine->start->setCoords(*m_given.ridge, m_given.compute->value);
    m_ridgeLine->end->setCoords(*m_given.ridge, kNear);
    m_ridgeText = new QCPItemText(&plot());
    // At the foot of its line, where it fits whatever the plot's height and zoom; on the side with
    // more room.
    const QCPRange shown = plot().xAxis->range();
    const bool right = *m_given.ridge * *m_given.ridge < shown.lower * shown.upper;
    m_ridgeText->setPositionAlignment((right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignBottom);
    m_ridgeText->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_ridgeText->position->setCoords(*m_given.ridge, 0.99);
    const int side = theme::em(this, 0.3);
    m_ridgeText->setPadding(QMargins(side, 0, side, 0));
    m_ridgeText->setText(ridgeLabel());
}

QString RooflinePlot::ridgeLabel() const
{
    return m_given.ridge ? tr("ridge %1 FLOP/B").arg(std::round(*m_given.ridge)) : QString();
}

int RooflinePlot::sizeClass(double timeS) const
{
    if (m_longest <= 0 || timeS <= 0)
        return 0;
    // A decade a step, from the longest down.
    const double decades = std::log10(m_longest / timeS);
    return std::clamp(3 - static_cast<int>(std::floor(decades)), 0, 3);
}

QCPGraph *RooflinePlot::marksFor(int shape, int size, bool hollow)
{
    bool named = false;
    for (const Marks &marks : m_marks) {
        if (marks.shape == shape && marks.size == size && marks.hollow == hollow)
            return marks.graph;
        named |= marks.shape == shape && marks.hollow == hollow;
    }
    Marks marks{shape, size, hollow, plot().addGraph()};
    marks.graph->setLineStyle(QCPGraph::lsNone);
    marks.graph->setName(hollow ? tr("%1, estimated").arg(shapeWord(shape)) : shapeWord(shape));
    if (named)
        marks.graph->removeFromLegend();
    m_marks.push_back(marks);
    return marks.graph;
}

void RooflinePlot::drawPoints()
{
    drawMarks();
    drawArrows();
    drawFlags();
}

void RooflinePlot::drawMarks()
{
    for (const Spot &spot : m_spots) {
        std::set<QCPGraph *> drawn;
        for (const int i : spot.points) {
            const roofline::Placement &placed = placementOf(i);
            const roofline::Assessment &stored = placed.stored();
            QCPGraph *graph = marksFor(shapeOfForm(stored.form),
                                       sizeClass(stored.timeS.value_or(0)), placed.estimated);
            if (drawn.insert(graph).second)
                graph->addData(spot.key, spot.level);
        }
    }
}

/// From where each layer would lie dense; those of one start and one end are one arrow.
void RooflinePlot::drawArrows()
{
    struct Arrow {
        double key = 0, level = 0;
        std::size_t spot = 0;
        auto operator<=>(const Arrow &) const = default;
    };
    std::map<Arrow, double> arrows; // with the longest time of its layers
    for (int i = 0; i < pointCount(); ++i) {
        const roofline::Placement &placed = placementOf(i);
        const roofline::Assessment &dense = placed.trail[placed.dense];
        if (placed.dense == 0 || !dense.intensity || !dense.attainable)
            continue;
        double &longest =
            arrows[{*dense.intensity, *dense.attainable, m_spotOf[static_cast<std::size_t>(i)]}];
        longest = std::max(longest, placed.stored().timeS.value_or(0));
    }
    std::vector<std::pair<double, Arrow>> order;
    for (const auto &[arrow, longest] : arrows)
        order.emplace_back(longest, arrow);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    order.resize(std::min(order.size(), kMostMarks));
    for (const auto &[longest, from] : order) {
        auto *arrow = new QCPItemLine(&plot());
        arrow->start->setCoords(from.key, from.level);
        arrow->end->setCoords(m_spots[from.spot].key, m_spots[from.spot].level);
        arrow->setHead(QCPLineEnding(QCPLineEnding::esSpikeArrow, 7, 9));
        m_arrows.push_back(arrow);
    }
}

/// A boxed sign beside what passes a measured roof: no shape of a form looks like it.
void RooflinePlot::drawFlags()
{
    std::vector<std::size_t> above;
    for (std::size_t i = 0; i < m_spots.size(); ++i) {
        const std::vector<int> &points = m_spots[i].points;
        if (std::any_of(points.begin(), points.end(),
                        [this](int point) { return !placementOf(point).above.empty(); }))
            above.push_back(i);
    }
    for (const std::size_t spot : longestSpots(std::move(above), kMostMarks)) {
        auto *flag = new QCPItemText(&plot()); // findMarks() gives it its place
        flag->setText(QStringLiteral("!"));
        const int side = theme::em(this, 0.25);
        flag->setPadding(QMargins(side, 0, side, 0));
        m_flags.push_back({m_spots[spot].points.front(), flag});
    }
}

/// The names of roofs, points and the floor, on a veil that keeps them legible.
void RooflinePlot::colorNames(bool dark)
{
    const QColor text = palette().color(QPalette::Text);
    const QColor quiet = palette().color(QPalette::PlaceholderText);
    QColor faint = text; // what is not chosen stands behind the points
    faint.setAlpha(70);
    QColor veil = palette().color(QPalette::Base);
    veil.setAlpha(200);
    const QFont small = design::type(font(), design::Type::Small);
    for (Roof &roof : m_roofs) {
        roof.graph->setPen(
            QPen(roof.chosen ? text : faint, roof.chosen ? 2.2 : 1, styleOf(roof.ceiling.method)));
        roof.label->setColor(roof.chosen ? text : quiet);
        roof.label->setFont(roof.chosen ? font() : small);
        roof.label->setBrush(veil);
    }
    for (PointLabel &label : m_pointLabels) {
        label.text->setColor(quiet);
        label.text->setFont(small);
        label.text->setBrush(veil);
    }
    if (m_floorLine) {
        m_floorLine->setPen(QPen(theme::color(Token::OutFolds, dark), 1.4, Qt::DashLine));
        m_floorText->setColor(text);
        m_floorText->setFont(font());
        m_floorText->setBrush(veil);
    }
}

void RooflinePlot::applyColors(bool dark)
{
    const QColor ground = palette().color(QPalette::Base);
    const QColor text = palette().color(QPalette::Text);
    QColor faint = text;
    faint.setAlpha(90);
    colorNames(dark);
    for (Marks &marks : m_marks) {
        const QColor color = theme::color(kShapeTokens[std::size_t(marks.shape)], dark);
        marks.graph->setScatterStyle(QCPScatterStyle(
            kShapes[std::size_t(marks.shape)], QPen(marks.hollow ? color : ground, 1.6),
            marks.hollow ? ground : color, kSizes[std::size_t(marks.size)]));
    }
    for (QCPItemLine *arrow : m_arrows)
        arrow->setPen(QPen(faint, 1));
    const QColor mark = theme::color(Token::MarkChanged, dark);
    for (const Flag &flag : m_flags) {
        flag.text->setColor(mark);
        flag.text->setPen(QPen(mark, 1));
        flag.text->setBrush(ground);
        flag.text->setFont(design::type(font(), design::Type::Small));
    }
    if (m_ridgeLine) {
        m_ridgeLine->setPen(QPen(faint, 1, Qt::DashDotLine));
        m_ridgeText->setColor(text);
        QFont bold = font();
        bold.setBold(true);
        m_ridgeText->setFont(bold);
    }
    m_chosenPoint->data()->clear();
    m_chosenPoint->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(mark, 2), Qt::NoBrush, kRing));
    if (currentPoint() >= 0)
        m_chosenPoint->addData(keyOf(currentPoint()), levelOf(currentPoint()));
}

} // namespace kernscope::ui
