// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_plots.h"

#include "widgets/common/qt.h"
#include "widgets/compare/difference_tiles.h"
#include "widgets/models/words.h"

#include <qcustomplot.h>

namespace kernscope::ui {

namespace {

constexpr int kFewChannels = 4;

} // namespace

ChannelPlot::ChannelPlot(QWidget *parent)
    : PlotWidget(tr("Largest difference by output channel"), parent)
{
    m_bars = new QCPBars(plot().xAxis, plot().yAxis);
    m_bars->setAntialiased(false);
    m_bars->setName(tr("max |\u0394|"));
    m_endless = new QCPBars(plot().xAxis, plot().yAxis);
    m_endless->setAntialiased(false);
    m_endless->setName(tr("not finite"));
    m_rmse = plot().addGraph();
    m_rmse->setLineStyle(QCPGraph::lsStepCenter);
    m_rmse->setName(tr("RMSE"));
    plot().xAxis->setSubTicks(false);
    const QSharedPointer<QCPAxisTickerFixed> whole(
        new QCPAxisTickerFixed); // channels have no halves
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    plot().xAxis->setTicker(whole);
    setColumns({{tr("channel"), [this](int point) { return at(point).channel; }},
                {tr("max |\u0394|"), [this](int point) { return at(point).maxAbs; }},
                {tr("RMSE"), [this](int point) { return at(point).rmse; }},
                {tr("different"), [this](int point) { return at(point).different; }}});
    arrange();
}

void ChannelPlot::setPlaces(WorstPlacesPtr places)
{
    beginData();
    m_places = std::move(places);
    arrange();
    endData();
}

void ChannelPlot::setWorstFirst(bool worstFirst)
{
    beginData();
    m_worstFirst = worstFirst;
    arrange();
    endData();
}

void ChannelPlot::setCompact(bool compact)
{
    m_compact = compact;
    arrange();
}

void ChannelPlot::arrange()
{
    m_order.assign(m_places ? m_places->worstChannels.size() : 0, 0);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    if (!m_worstFirst) {
        std::sort(m_order.begin(), m_order.end(), [this](std::size_t x, std::size_t y) {
            return m_places->worstChannels[x].channel < m_places->worstChannels[y].channel;
        });
    }
    QVector<double> keys, heights, rmse, endless, tops;
    double most = 0;
    for (int point = 0; point < pointCount(); ++point) {
        const double height = at(point).maxAbs;
        keys.append(keyOf(point));
        rmse.append(at(point).rmse);
        heights.append(std::isfinite(height) ? height : 0);
        most = std::max(most, heights.back());
        if (!std::isfinite(height))
            endless.append(keys.back());
    }
    plot().yAxis->setTickLabels(most > 0 || endless.isEmpty());
    most = most > 0 ? most : 1;
    tops.fill(2 * most, endless.size()); // what is not finite has a colour, and reaches to the top
    // Many channels are a strip without gaps, few are bars.
    const bool few = pointCount() <= kFewChannels;
    for (QCPBars *bars : {m_bars, m_endless}) {
        bars->setWidthType(few ? QCPBars::wtAbsolute : QCPBars::wtPlotCoords);
        bars->setWidth(few ? theme::em(this, 2) : 1);
    }
    m_bars->setData(keys, heights, true);
    m_endless->setData(endless, tops, true);
    m_rmse->setData(keys, rmse, true);
    const double first = keys.isEmpty() || m_worstFirst ? 0 : keys.front();
    const double last = keys.isEmpty() ? 1 : keys.back();
    plot().xAxis->setRange(first - 0.6, last + 0.6);
    plot().yAxis->setRange(0, most * 1.08);
    // A legend would cover the bars that matter: the worst one can be anywhere.
    plot().yAxis->setLabel(m_compact ? QString() : tr("max |\u0394| (bars), RMSE (line)"));
    plot().xAxis->setLabel(m_compact      ? QString()
                           : m_worstFirst ? tr("rank of the output channel")
                                          : tr("output channel"));
}

int ChannelPlot::pointOfChannel(std::uint64_t channel) const
{
    for (int point = 0; point < pointCount(); ++point) {
        if (at(point).channel == channel)
            return point;
    }
    return -1;
}

QString ChannelPlot::pointText(int point) const
{
    const ChannelDifference &channel = at(point);
    if (!std::isfinite(channel.maxAbs))
        return tr("channel %1: not finite; %2 of %3 elements differ")
            .arg(channel.channel)
            .arg(groupedNumber(channel.different), groupedNumber(channel.elements));
    return tr("channel %1: max |\u0394| %2, RMSE %3, %4 of %5 elements differ")
        .arg(channel.channel)
        .arg(channel.maxAbs, 0, 'g', 5)
        .arg(channel.rmse, 0, 'g', 4)
        .arg(groupedNumber(channel.different), groupedNumber(channel.elements));
}

double ChannelPlot::keyOf(int point) const
{
    return m_worstFirst ? point : static_cast<double>(at(point).channel);
}

/// The nearest channel that differs.
int ChannelPlot::pointAt(double key) const
{
    if (m_order.empty())
        return -1;
    int low = 0, high = pointCount() - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keyOf(middle) + 0.5 < key)
            low = middle + 1;
        else
            high = middle;
    }
    return std::abs(keyOf(low) - key) <= 1 ? low : -1;
}

void ChannelPlot::applyColors(bool dark)
{
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(theme::color(Token::DiffMore, dark));
    m_endless->setPen(Qt::NoPen);
    m_endless->setBrush(theme::color(Token::OutRefused, dark));
    m_rmse->setPen(QPen(theme::color(Token::DiffLess, dark), 1.4));
}

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
    ticker->addTick(0, u"0"_s);
    // 1 stands too near to 0 where there are many powers.
    for (int power = most > 2 ? stride : 0; power <= most; power += stride) {
        static constexpr const char *kUnits[] = {"", "k", "M", "G", "T"};
        const QString text = QString::number(std::lround(std::pow(10, power % 3))) +
                             QLatin1String(kUnits[std::min(power / 3, 4)]);
        const double place = std::log10(std::pow(10.0, power) + 1);
        ticker->addTick(place, text);
        if (both)
            ticker->addTick(-place, QLatin1Char('-') + text);
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
    x->setLayer(u"axes"_s);
    y->setLayer(u"axes"_s);
    x->grid()->setLayer(u"grid"_s);
    y->grid()->setLayer(u"grid"_s);
    y->setSubTicks(false);
    y->setLabel(tr("B \u2212 A"));
    plot().yAxis->setSubTicks(false);
    plot().yAxis->setLabel(tr("elements"));
    for (QCPBars **bars : {&m_more, &m_less}) {
        *bars = new QCPBars(x, y);
        (*bars)->setAntialiased(false);
        (*bars)->removeFromLegend();
    }
    showLegend();
    setColumns({{tr("from"), [this](int point) { return at(point).from; }},
                {tr("below"), [this](int point) { return at(point).to; }},
                {tr("in A"), [this](int point) { return at(point).a; }},
                {tr("in B"), [this](int point) { return at(point).b; }},
                {tr("B \u2212 A"),
                 [this](int point) { return static_cast<qlonglong>(at(point).b - at(point).a); }}});
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
    if (m_bins && m_bins->notFiniteA + m_bins->notFiniteB > 0)
        label += tr(" (not finite: %1 of A, %2 of B)")
                     .arg(groupedNumber(m_bins->notFiniteA), groupedNumber(m_bins->notFiniteB));
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

UlpPlot::UlpPlot(QWidget *parent) : PlotWidget(tr("Histogram of the differences in ULP"), parent)
{
    for (QCPBars **bars : {&m_equal, &m_bars}) {
        *bars = new QCPBars(plot().xAxis, plot().yAxis);
        (*bars)->setWidth(0.8);
        (*bars)->setBaseValue(0.5);
        (*bars)->setAntialiased(false);
    }
    plot().yAxis->setScaleType(QCPAxis::stLogarithmic);
    plot().yAxis->setLabel(tr("elements"));
    plot().yAxis->setSubTicks(false);
    plot().xAxis->setSubTicks(false);
    setColumns({{tr("from ULP"), &UlpPlot::firstOf},
                {tr("to ULP"), &UlpPlot::lastOf},
                {tr("elements"), [this](int point) { return m_counts[std::size_t(point)]; }}});
    clear();
}

void UlpPlot::setDifference(const ValueDifference &difference)
{
    m_elements = difference.elements();
    show(difference.ulpHistogram, difference.ulpType);
}

void UlpPlot::clear()
{
    m_elements = 0;
    show(std::vector<std::uint64_t>(ulpBins(ElementType::Fp16)), ElementType::Fp16);
}

void UlpPlot::show(std::vector<std::uint64_t> counts, ElementType type)
{
    beginData();
    m_counts = std::move(counts);
    QVector<double> keys, heights;
    for (int bin = 1; bin < bins(); ++bin) {
        keys.append(bin);
        heights.append(static_cast<double>(m_counts[static_cast<std::size_t>(bin)]));
    }
    m_equal->setData({0.0}, {static_cast<double>(m_counts[0])}, true);
    m_bars->setData(keys, heights, true);
    plot().xAxis->setRange(-0.7, bins() - 0.3);
    plot().xAxis->setLabel(
        tr("%1 steps apart, from").arg(QString::fromUtf8(elementTypeName(type))));
    labelCounts(*std::max_element(m_counts.begin(), m_counts.end()));
    labelTicks();
    endData();
}

/// A label at every power of ten, in figures: an exponent of one digit hides what the ticks
/// between two powers stand for.
void UlpPlot::labelCounts(std::uint64_t most)
{
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    const double top = std::max(10.0, 2.0 * static_cast<double>(most));
    const int decades = static_cast<int>(std::log10(top));
    const int stride = 1 + decades / 7;
    for (int power = 0; power <= decades; power += stride) {
        const QLatin1String unit = power < 3   ? QLatin1String()
                                   : power < 6 ? "k"_L1
                                   : power < 9 ? "M"_L1
                                               : "G"_L1;
        const int below = std::min(power / 3 * 3, 9);
        ticker->addTick(std::pow(10.0, power),
                        QString::number(std::pow(10.0, power - below), 'f', 0) + unit);
    }
    plot().yAxis->setTicker(ticker);
    plot().yAxis->setRange(0.5, top);
}

/// As many labels as the width has room for.
void UlpPlot::labelTicks()
{
    const int room = std::max(1, width() - theme::em(this, 4));
    const int most = std::max(1, room / theme::em(this, 3.6));
    const int stride = (bins() + most - 1) / most;
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (int bin = 0; bin < bins(); bin += stride) {
        const std::uint64_t first = firstOf(bin);
        const int shift = first < 1024 ? 0 : first < (1u << 20) ? 10 : first < (1u << 30) ? 20 : 30;
        static constexpr std::array kUnits{"", "Ki", "Mi", "Gi"};
        ticker->addTick(bin, QString::number(first >> shift) +
                                 QLatin1String(kUnits[static_cast<std::size_t>(shift / 10)]));
    }
    plot().xAxis->setTicker(ticker);
}

void UlpPlot::resizeEvent(QResizeEvent *event)
{
    PlotWidget::resizeEvent(event);
    labelTicks();
}

QString UlpPlot::pointText(int point) const
{
    const std::uint64_t count = m_counts[static_cast<std::size_t>(point)];
    const QString share = percentText(static_cast<double>(count) /
                                      static_cast<double>(std::max(m_elements, std::uint64_t{1})));
    const QString counted = countedWords(count, tr("1 element is"), tr("%1 elements are"));
    if (point == 0)
        return tr("%1 equal (%2)").arg(counted, share);
    if (point == 1)
        return tr("%1 one step apart (%2)").arg(counted, share);
    return tr("%1 %2 to %3 steps apart (%4)")
        .arg(counted, groupedNumber(firstOf(point)), groupedNumber(lastOf(point)), share);
}

void UlpPlot::applyColors(bool dark)
{
    m_equal->setPen(Qt::NoPen);
    m_equal->setBrush(keptColor(KeptState::Both, dark));
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(theme::color(Token::DiffMore, dark));
}

} // namespace kernscope::ui

#include "moc_pair_plots.cpp"
