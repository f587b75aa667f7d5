// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/scatter_plot.h"

#include "widgets/common/qt.h"
#include "widgets/compare/difference_tiles.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <qcustomplot.h>

namespace kernscope::ui {

namespace {

constexpr double kPointSize = 5;
/// So few bins are drawn as points: one of a single pixel is not seen.
constexpr std::size_t kFewPoints = 1500;
constexpr auto kScatterBins = PairBins::kBins;

QColor mixed(const QColor &from, const QColor &to, double share)
{
    const auto part = [share](int x, int y) {
        return static_cast<int>(std::lround(x + share * (y - x)));
    };
    return {part(from.red(), to.red()), part(from.green(), to.green()),
            part(from.blue(), to.blue())};
}

} // namespace

ScatterPlot::ScatterPlot(QWidget *parent)
    : PlotWidget(tr("Values of A against values of B"), parent)
{
    m_map = new QCPColorMap(plot().xAxis, plot().yAxis);
    m_map->setInterpolate(false);
    m_map->setAntialiased(false);
    m_map->setName(keptText(KeptState::Both));
    m_map->removeFromLegend();
    m_diagonal = plot().addGraph();
    m_diagonal->removeFromLegend();
    m_few = plot().addGraph();
    m_few->setLineStyle(QCPGraph::lsNone);
    m_few->removeFromLegend();
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        m_axes[i] = plot().addGraph();
        m_axes[i]->setLineStyle(QCPGraph::lsNone);
        m_axes[i]->setName(keptText(kKeptStates[i + 1]));
    }
    m_far = plot().addGraph();
    m_far->setLineStyle(QCPGraph::lsNone);
    m_far->setName(tr("beyond the axes"));
    m_current = plot().addGraph();
    m_current->setLineStyle(QCPGraph::lsNone);
    m_current->removeFromLegend();
    plot().yAxis->setLabel(tr("B"));
    showLegend();
    const auto edgeA = [this](int point, std::size_t upper) {
        if (const ElementPair *pair = farOf(at(point)))
            return static_cast<double>(pair->a);
        return at(point).kind == 2 ? 0.0 : m_bins->edge(at(point).a + upper);
    };
    const auto edgeB = [this](int point, std::size_t upper) {
        if (const ElementPair *pair = farOf(at(point)))
            return static_cast<double>(pair->b);
        return at(point).kind == 1 ? 0.0 : m_bins->edge(at(point).b + upper);
    };
    setColumns({{tr("A from"), [edgeA](int point) { return edgeA(point, 0); }},
                {tr("A below"), [edgeA](int point) { return edgeA(point, 1); }},
                {tr("B from"), [edgeB](int point) { return edgeB(point, 0); }},
                {tr("B below"), [edgeB](int point) { return edgeB(point, 1); }},
                {tr("elements"), [this](int point) { return at(point).count; }},
                {tr("first"), [this](int point) { return at(point).element; }}});
    frame();
}

void ScatterPlot::setBins(std::shared_ptr<const PairBins> bins)
{
    beginData();
    m_bins = std::move(bins);
    collect();
    draw();
    frame();
    endData();
}

void ScatterPlot::collect()
{
    m_points.clear();
    if (!m_bins)
        return;
    for (std::size_t i = 0; i < m_bins->both.size(); ++i) {
        if (m_bins->both[i] > 0)
            m_points.push_back(
                {0, i % kScatterBins, i / kScatterBins, m_bins->both[i], m_bins->first[i]});
    }
    for (std::size_t i = 0; i < kScatterBins; ++i) {
        if (m_bins->zeroed[i] > 0)
            m_points.push_back({1, i, kScatterBins / 2, m_bins->zeroed[i], m_bins->firstZeroed[i]});
        if (m_bins->revived[i] > 0)
            m_points.push_back(
                {2, kScatterBins / 2, i, m_bins->revived[i], m_bins->firstRevived[i]});
    }
    for (std::size_t i = 0; i < m_bins->far.size(); ++i)
        m_points.push_back({kFar, i, i, 1, m_bins->far[i].element});
    std::sort(m_points.begin(), m_points.end(), [this](const Point &x, const Point &y) {
        return std::tuple(xOf(x), yOf(x), x.kind) < std::tuple(xOf(y), yOf(y), y.kind);
    });
}

const ElementPair *ScatterPlot::farOf(const Point &point) const
{
    return point.kind == kFar ? &m_bins->far[point.a] : nullptr;
}

double ScatterPlot::xOf(const Point &point) const
{
    if (const ElementPair *pair = farOf(point))
        return onAxis(pair->a);
    return point.kind == 2 ? 0.0 : m_bins->edge(point.a) + m_bins->width / 2;
}

double ScatterPlot::yOf(const Point &point) const
{
    if (const ElementPair *pair = farOf(point))
        return onAxis(pair->b);
    return point.kind == 1 ? 0.0 : m_bins->edge(point.b) + m_bins->width / 2;
}

void ScatterPlot::draw()
{
    std::array<QVector<double>, kFar> keys, values; // of the kinds from 1
    m_map->data()->clear();
    if (m_bins) {
        m_map->data()->setSize(static_cast<int>(kScatterBins), static_cast<int>(kScatterBins));
        const double half = m_bins->width / 2;
        const QCPRange centres(m_bins->edge(0) + half, m_bins->edge(kScatterBins) - half);
        m_map->data()->setRange(centres, centres);
        m_map->data()->fill(std::numeric_limits<double>::quiet_NaN());
    }
    double most = 1;
    for (const Point &point : m_points) {
        if (point.kind > 0) {
            keys[point.kind - 1].append(xOf(point));
            values[point.kind - 1].append(yOf(point));
            continue;
        }
        const double shade = std::log10(static_cast<double>(point.count) + 1);
        most = std::max(most, shade);
        m_map->data()->setCell(static_cast<int>(point.a), static_cast<int>(point.b), shade);
    }
    m_map->setDataRange({0, most});
    QVector<double> fewX, fewY;
    for (const Point &point : m_points) {
        if (point.kind == 0 && m_points.size() <= kFewPoints) {
            fewX.append(xOf(point));
            fewY.append(yOf(point));
        }
    }
    m_few->setData(fewX, fewY, true);
    const std::array graphs{m_axes[0], m_axes[1], m_far};
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        graphs[i]->setData(keys[i], values[i], true);
        if (keys[i].isEmpty())
            graphs[i]->removeFromLegend();
        else
            graphs[i]->addToLegend();
    }
}

/// Everything that has a bin: what lies far out is what one looks for. The few values beyond the
/// bins are counted, and stand at the edge.
void ScatterPlot::frame()
{
    double low = 0, high = 0;
    std::uint64_t all = 0;
    for (const Point &point : m_points) {
        low = std::min({low, xOf(point), yOf(point)});
        high = std::max({high, xOf(point), yOf(point)});
        all += point.kind == kFar ? 0 : point.count;
    }
    const double margin = high > low ? 0.05 * (high - low) : 1.0;
    plot().xAxis->setRange(low - margin, high + margin);
    plot().yAxis->setRange(low - margin, high + margin);
    m_diagonal->setData({low - margin, high + margin}, {low - margin, high + margin}, true);
    if (m_bins)
        all += m_bins->zeros + m_bins->outside;
    QString label = all > 0 ? tr("A (all %1)").arg(groupedNumber(all)) : tr("A");
    if (m_bins && m_bins->outside > 0)
        label += tr(", %1 beyond \u00B1%2")
                     .arg(groupedNumber(m_bins->outside))
                     .arg(m_bins->edge(kScatterBins), 0, 'g', 3);
    if (m_bins && m_bins->notFinite > 0)
        label += all > 0 ? tr(", %1 not finite").arg(groupedNumber(m_bins->notFinite))
                         : tr(": none is finite on both sides");
    plot().xAxis->setLabel(label);
}

int ScatterPlot::pointOf(double a, double b) const
{
    if (!m_bins || !std::isfinite(a) || !std::isfinite(b))
        return -1;
    const std::size_t kind = a != 0 && b == 0 ? 1 : a == 0 && b != 0 ? 2 : 0;
    const auto binA = m_bins->binOf(a), binB = m_bins->binOf(b);
    const auto found = std::find_if(m_points.begin(), m_points.end(), [&](const Point &point) {
        if (const ElementPair *pair = farOf(point))
            return static_cast<double>(pair->a) == a && static_cast<double>(pair->b) == b;
        return point.kind == kind && binA == point.a && binB == point.b;
    });
    return found == m_points.end() ? -1 : static_cast<int>(found - m_points.begin());
}

QString ScatterPlot::pointText(int point) const
{
    const Point &p = at(point);
    if (const ElementPair *pair = farOf(p))
        return tr("element %1: A %2, B %3, beyond the axes")
            .arg(p.element)
            .arg(static_cast<double>(pair->a), 0, 'g', 5)
            .arg(static_cast<double>(pair->b), 0, 'g', 5);
    const auto range = [this](std::size_t bin) {
        return tr("%1 to %2")
            .arg(m_bins->edge(bin), 0, 'g', 5)
            .arg(m_bins->edge(bin + 1), 0, 'g', 5);
    };
    const QString count =
        p.count == 1 ? tr("element %1").arg(p.element)
                     : tr("%1 elements, the first %2").arg(groupedNumber(p.count)).arg(p.element);
    return tr("%1: A %2, B %3")
        .arg(count, p.kind == 2 ? tr("zero") : range(p.a), p.kind == 1 ? tr("zero") : range(p.b));
}

int ScatterPlot::pointAt(double key) const
{
    const auto found =
        std::lower_bound(m_points.begin(), m_points.end(), key,
                         [this](const Point &point, double k) { return xOf(point) < k; });
    if (m_points.empty())
        return -1;
    return std::min(static_cast<int>(found - m_points.begin()), pointCount() - 1);
}

/// The point that lies nearest on the screen; -1 where none is near.
std::optional<int> ScatterPlot::nearest(const QPoint &position) const
{
    const double reach = theme::em(this, 0.7);
    double best = reach * reach;
    int found = -1;
    const int first = pointAt(plot().xAxis->pixelToCoord(position.x() - reach));
    for (int i = std::max(first, 0); i < pointCount(); ++i) {
        const double dx = plot().xAxis->coordToPixel(keyOf(i)) - position.x();
        if (dx > reach)
            break;
        const double dy = plot().yAxis->coordToPixel(yOf(at(i))) - position.y();
        if (dx * dx + dy * dy < best) {
            best = dx * dx + dy * dy;
            found = i;
        }
    }
    return found;
}

void ScatterPlot::applyColors(bool dark)
{
    const QColor ground = palette().color(QPalette::Base);
    // From few elements, which still stand out against the ground, to many.
    const QColor many = palette().color(QPalette::Text);
    const QColor few = mixed(ground, theme::color(Token::DiffLess, dark), 0.55);
    QCPColorGradient gradient;
    gradient.clearColorStops();
    gradient.setColorStopAt(0, few);
    gradient.setColorStopAt(0.5, theme::color(Token::DiffLess, dark));
    gradient.setColorStopAt(1, mixed(theme::color(Token::DiffLess, dark), many, 0.75));
    gradient.setNanHandling(QCPColorGradient::nhTransparent);
    m_map->setGradient(gradient);
    const QColor point = theme::color(Token::DiffLess, dark);
    m_few->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(point, 0), point, kPointSize - 1));
    constexpr std::array kShapes{QCPScatterStyle::ssTriangleInverted, QCPScatterStyle::ssTriangle};
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        const QColor color = keptColor(kKeptStates[i + 1], dark);
        m_axes[i]->setScatterStyle(QCPScatterStyle(kShapes[i], QPen(color, 0), color, kPointSize));
    }
    const QColor far = theme::color(Token::MarkContested, dark);
    m_far->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(far, 0), far, 1.6 * kPointSize));
    QColor line = palette().color(QPalette::Text);
    line.setAlpha(110);
    m_diagonal->setPen(QPen(line, 0, Qt::DashLine));
    const QColor mark = theme::color(Token::MarkChanged, dark);
    m_current->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(mark, 2), QBrush(), 2 * kPointSize));
    m_current->data()->clear();
    if (currentPoint() >= 0)
        m_current->addData(keyOf(currentPoint()), yOf(at(currentPoint())));
}

} // namespace kernscope::ui

#include "moc_scatter_plot.cpp"
