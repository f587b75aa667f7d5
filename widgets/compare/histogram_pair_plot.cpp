// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/histogram_pair_plot.h"

#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

constexpr auto kPairBins = PairBins::kBins;
/// Bins of the count that make one of the plot.
constexpr std::size_t kTogether = 2;

/// A count and its sign on a logarithmic scale that goes through 0.
double signedLog(std::uint64_t a, std::uint64_t b)
{
    return b >= a ? std::log10(static_cast<double>(b - a) + 1)
                  : -std::log10(static_cast<double>(a - b) + 1);
}

QSharedPointer<QCPAxisTickerText> powersOfTen(int most, bool both)
{
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    const int stride = std::max(1, (most + (both ? 1 : 3)) / (both ? 2 : 4));
    ticker->addTick(0, QStringLiteral("0"));
    // 1 stands too near to 0 where there are many powers.
    for (int power = most > 2 ? stride : 0; power <= most; power += stride) {
        static constexpr const char *kUnits[] = {"", "k", "M", "G", "T"};
        const QString text = QString::number(std::lround(std::pow(10, power % 3))) +
                             QLatin1String(kUnits[std::min(power / 3, 4)]);
        const double place = std::log10(std::pow(10.0, power) + 1);
        ticker->addTick(place, text);
        if (both)
            ticker->addTick(-place, QStringLiteral("\u2212") + text);
    }
    return ticker;
}

} // namespace

HistogramPairPlot::HistogramPairPlot(QWidget *parent)
    : PlotWidget(tr("Histograms of both sides and their difference"), parent)
{
    m_a = plot().addGraph();
    m_a->setName(tr("A"));
    m_b = plot().addGraph();
    m_b->setName(tr("B"));
    for (QCPGraph *graph : {m_a, m_b})
        graph->setLineStyle(QCPGraph::lsStepLeft);
    m_below = new QCPAxisRect(&plot());
    plot().plotLayout()->addElement(1, 0, m_below);
    plot().plotLayout()->setRowStretchFactor(0, 5);
    plot().plotLayout()->setRowStretchFactor(1, 3);
    plot().plotLayout()->setRowSpacing(0);
    // One axis of values for both: their left edges are aligned, the upper has no labels.
    auto *margins = new QCPMarginGroup(&plot());
    plot().axisRect()->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    m_below->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    plot().xAxis->setTickLabels(false);
    QCPAxis *x = m_below->axis(QCPAxis::atBottom), *y = m_below->axis(QCPAxis::atLeft);
    x->setLayer(QStringLiteral("axes"));
    y->setLayer(QStringLiteral("axes"));
    x->grid()->setLayer(QStringLiteral("grid"));
    y->grid()->setLayer(QStringLiteral("grid"));
    y->setSubTicks(false);
    y->setLabel(tr("B \u2212 A"));
    plot().yAxis->setSubTicks(false);
    plot().yAxis->setLabel(tr("elements"));
    for (QCPBars **bars : {&m_more, &m_less}) {
        *bars = new QCPBars(x, y);
        (*bars)->setAntialiased(false);
        (*bars)->removeFromLegend();
    }
    plot().legend->setVisible(true);
    plot().axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    clear();
}

void HistogramPairPlot::setBins(std::shared_ptr<const PairBins> bins, double range)
{
    beginData();
    m_bins = std::move(bins);
    collect(range);
    draw();
    endData();
}

/// The bins from the first to the last that hold anything; no farther out than the values that
/// are not outliers.
void HistogramPairPlot::collect(double range)
{
    constexpr double kOutlier = 4, kRoom = 1.6;
    m_points.clear();
    const auto occupied = m_bins ? m_bins->occupied() : std::nullopt;
    if (!occupied)
        return;
    auto [first, last] = *occupied;
    const double reach = std::max(std::abs(m_bins->edge(first)), std::abs(m_bins->edge(last + 1)));
    if (reach > kOutlier * range) {
        first = std::max(first, m_bins->binOf(-kRoom * range).value_or(0));
        last = std::min(last, m_bins->binOf(kRoom * range).value_or(kPairBins - 1));
    }
    for (std::size_t bin = first / kTogether * kTogether; bin <= last; bin += kTogether) {
        Point point{m_bins->edge(bin), m_bins->edge(bin + kTogether), 0, 0};
        for (std::size_t i = bin; i < bin + kTogether; ++i) {
            point.a += m_bins->a[i];
            point.b += m_bins->b[i];
        }
        m_points.push_back(point);
    }
}

void HistogramPairPlot::draw()
{
    QVector<double> keys, a, b, centres, more, less;
    double most = 1, apart = 1;
    for (const Point &point : m_points) {
        keys.append(point.from);
        centres.append((point.from + point.to) / 2);
        a.append(std::log10(static_cast<double>(point.a) + 1));
        b.append(std::log10(static_cast<double>(point.b) + 1));
        const double difference = signedLog(point.a, point.b);
        more.append(std::max(difference, 0.0));
        less.append(std::min(difference, 0.0));
        most = std::max({most, a.back(), b.back()});
        apart = std::max(apart, std::abs(difference));
    }
    if (!m_points.empty()) { // the last step ends where its bin does
        keys.append(m_points.back().to);
        a.append(a.back());
        b.append(b.back());
    }
    m_a->setData(keys, a, true);
    m_b->setData(keys, b, true);
    m_more->setData(centres, more, true);
    m_less->setData(centres, less, true);
    const double step = m_bins ? m_bins->width * kTogether : 1;
    for (QCPBars *bars : {m_more, m_less})
        bars->setWidth(step);
    const double low = m_points.empty() ? -1 : m_points.front().from;
    const double high = m_points.empty() ? 1 : m_points.back().to;
    plot().xAxis->setRange(low, high);
    QCPAxis *x = m_below->axis(QCPAxis::atBottom), *y = m_below->axis(QCPAxis::atLeft);
    x->setRange(low, high);
    plot().yAxis->setRange(0, most * 1.08);
    plot().yAxis->setTicker(powersOfTen(static_cast<int>(most), false));
    y->setRange(-apart * 1.08, apart * 1.08);
    y->setTicker(powersOfTen(static_cast<int>(apart), true));
    x->ticker()->setTickCount(5);
    QString label = tr("value");
    if (m_bins && m_bins->outsideA + m_bins->outsideB > 0)
        label += tr(" (beyond: %1 of A, %2 of B)")
                     .arg(groupedNumber(m_bins->outsideA), groupedNumber(m_bins->outsideB));
    x->setLabel(label);
}

QString HistogramPairPlot::pointText(int point) const
{
    const Point &p = at(point);
    return tr("%1 to %2: %3 in A, %4 in B")
        .arg(p.from, 0, 'g', 5)
        .arg(p.to, 0, 'g', 5)
        .arg(groupedNumber(p.a), groupedNumber(p.b));
}

QStringList HistogramPairPlot::columns() const
{
    return {tr("from"), tr("below"), tr("in A"), tr("in B"), tr("B \u2212 A")};
}

QVariant HistogramPairPlot::cell(int point, int column) const
{
    const Point &p = at(point);
    switch (column) {
    case 0: return p.from;
    case 1: return p.to;
    case 2: return static_cast<qulonglong>(p.a);
    case 3: return static_cast<qulonglong>(p.b);
    default: return static_cast<qlonglong>(p.b) - static_cast<qlonglong>(p.a);
    }
}

double HistogramPairPlot::keyOf(int point) const
{
    return (at(point).from + at(point).to) / 2;
}

int HistogramPairPlot::pointAt(double key) const
{
    if (m_points.empty() || key < m_points.front().from || key >= m_points.back().to)
        return -1;
    const auto found = std::upper_bound(m_points.begin(), m_points.end(), key,
                                        [](double k, const Point &point) { return k < point.to; });
    return static_cast<int>(found - m_points.begin());
}

void HistogramPairPlot::applyColors(bool dark)
{
    const QColor less = theme::color(Token::DiffLess, dark);
    const QColor more = theme::color(Token::DiffMore, dark);
    QColor fill = less;
    fill.setAlpha(60);
    m_a->setPen(QPen(less, 1.2));
    m_a->setBrush(fill);
    m_b->setPen(QPen(more, 1.2, Qt::DashLine)); // told apart without colours as well
    m_more->setPen(Qt::NoPen);
    m_more->setBrush(more);
    m_less->setPen(Qt::NoPen);
    m_less->setBrush(less);
}

} // namespace kernscope::ui

#include "moc_histogram_pair_plot.cpp"
