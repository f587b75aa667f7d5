// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/timeline_plot.h"

#include "core/assessment/weight_layers.h"
#include "core/bundle/bundle.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/plot_tickers.h"
#include "widgets/common/short_names.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr double kBar = 0.38, kMostNamed = 24; ///< width of a bar; names of more layers overprint
constexpr int kMostNumbers = 20;               ///< along the axis, where layers are not named
constexpr int kMostDrawn = 1024;               ///< groups of bars

QString timeWord(const std::optional<double> &seconds)
{
    return seconds ? siWord(*seconds, QStringLiteral("s")) : TimelinePlot::tr("unknown");
}

QString bindsWord(roofline::Bound bound)
{
    switch (bound) {
    case roofline::Bound::Compute: return TimelinePlot::tr("the arithmetic binds");
    case roofline::Bound::Bandwidth: return TimelinePlot::tr("the bytes bind");
    case roofline::Bound::Unknown: break;
    }
    return TimelinePlot::tr("what binds is not known");
}

} // namespace

TimelinePlot::TimelinePlot(QWidget *parent) : PlotWidget(tr("Timeline"), parent)
{
    const auto bars = [this](const QString &name) {
        auto *made = new QCPBars(plot().xAxis, plot().yAxis);
        made->setWidth(kBar);
        made->setName(name);
        return made;
    };
    m_compute = bars(tr("arithmetic"));
    m_memory = bars(tr("bytes"));
    m_computeSlack = bars(tr("arithmetic, does not bind"));
    m_memorySlack = bars(tr("bytes, do not bind"));
    plot().yAxis->setScaleType(QCPAxis::stLogarithmic);
    plot().yAxis->setTicker(logQuantityTicker(QStringLiteral("s")));
    plot().yAxis->setLabel(tr("time"));
    plot().xAxis->setLabel(tr("layers in the order of the program"));
    m_sumLine = makeLine();
    m_floorLine = makeLine();
    showLegend();
}

TimelinePlot::Line TimelinePlot::makeLine()
{
    Line line{new QCPItemStraightLine(&plot()), new QCPItemText(&plot())};
    line.line->setSelectable(false);
    line.text->setSelectable(false);
    line.text->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
    line.text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    return line;
}

void TimelinePlot::setContent(BundlePtr bundle, std::vector<TimelineLayer> layers,
                              std::optional<double> sumS, std::optional<double> floorS)
{
    beginData();
    m_bundle = std::move(bundle);
    m_layers = std::move(layers);
    m_sum = sumS && *sumS > 0 ? sumS : std::nullopt;
    m_floor = floorS && *floorS > 0 ? floorS : std::nullopt;
    fitRange();
    fillBars();
    nameLayers();
    showLine(m_sumLine, m_sum, tr("all layers: %1").arg(timeWord(m_sum)));
    showLine(m_floorLine, m_floor, tr("a call takes at least %1").arg(timeWord(m_floor)));
    endData();
}

void TimelinePlot::fillBars()
{
    for (QCPBars *bars : {m_compute, m_memory, m_computeSlack, m_memorySlack}) {
        bars->data()->clear();
        bars->setBaseValue(plot().yAxis->range().lower);
    }
    // Bars thinner than a pixel stand in each other: of those of one kind the highest is seen.
    const int together = std::max(1, pointCount() / kMostDrawn);
    for (int first = 0; first < pointCount(); first += together) {
        std::map<QCPBars *, std::pair<double, double>> highest; // value, place
        const auto include = [&highest](QCPBars *bars, double place,
                                        const std::optional<double> &seconds) {
            if (!seconds || *seconds <= 0)
                return;
            auto &[value, at] = highest[bars];
            if (*seconds > value)
                value = *seconds, at = place;
        };
        for (int i = first; i < std::min(first + together, pointCount()); ++i) {
            const report::TimedLayer &one = figuresOf(i);
            include(one.bound == roofline::Bound::Compute ? m_compute : m_computeSlack,
                    i - kBar / 2, one.computeS);
            include(one.bound == roofline::Bound::Bandwidth ? m_memory : m_memorySlack,
                    i + kBar / 2, one.memoryS);
        }
        for (const auto &[bars, bar] : highest)
            bars->addData(bar.second, bar.first);
    }
}

void TimelinePlot::fitRange()
{
    double low = 0, high = 0;
    const auto include = [&](const std::optional<double> &seconds) {
        if (!seconds || *seconds <= 0)
            return;
        low = low > 0 ? std::min(low, *seconds) : *seconds;
        high = std::max(high, *seconds);
    };
    for (const TimelineLayer &one : m_layers) {
        include(one.figures->computeS);
        include(one.figures->memoryS);
    }
    include(m_sum);
    include(m_floor);
    if (low <= 0)
        low = 1e-6, high = 1e-3;
    plot().yAxis->setRange(low / 3, high * 6);
    plot().xAxis->setRange(-0.7, std::max(0.7, pointCount() - 0.3));
}

void TimelinePlot::nameLayers()
{
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const bool each = pointCount() <= kMostNamed;
    QStringList names;
    for (int i = 0; each && i < pointCount(); ++i)
        names += fromUtf8(layer(i).name);
    const QStringList parts = shortNames(names);
    const QFontMetrics metrics(font());
    int step = each ? 1 : 10; // 10, 20, 50, 100, …: as many numbers as have room
    for (int next = 0; !each && pointCount() / step > kMostNumbers; ++next)
        step = step / (next % 3 == 1 ? 2 : 1) * (next % 3 == 1 ? 5 : 2);
    for (int i = 0; i < pointCount(); i += step)
        ticker->addTick(i, each ? elidedName(metrics, parts[i], theme::em(this, 7))
                                : QString::number(i));
    plot().xAxis->setTicker(ticker);
    plot().xAxis->setTickLabelRotation(each && pointCount() > 4 ? -20 : 0);
}

void TimelinePlot::showLine(const Line &line, const std::optional<double> &seconds,
                            const QString &text)
{
    line.line->setVisible(seconds.has_value());
    line.text->setVisible(seconds.has_value());
    if (!seconds)
        return;
    line.line->point1->setCoords(0, *seconds);
    line.line->point2->setCoords(1, *seconds);
    line.text->position->setCoords(0.01, *seconds);
    line.text->setText(text);
}

QStringList TimelinePlot::lineTexts() const
{
    QStringList texts;
    for (const Line &line : {m_sumLine, m_floorLine}) {
        if (line.text->visible())
            texts += line.text->text();
    }
    return texts;
}

int TimelinePlot::pointOfWeight(std::size_t weight) const
{
    const auto at = std::find_if(m_layers.begin(), m_layers.end(),
                                 [weight](const auto &one) { return one.weight == weight; });
    return at == m_layers.end() ? -1 : static_cast<int>(at - m_layers.begin());
}

int TimelinePlot::pointAt(double key) const
{
    const double nearest = std::round(key);
    return nearest >= 0 && nearest < pointCount() ? static_cast<int>(nearest) : -1;
}

report::TimedLayer TimelinePlot::layer(int point) const
{
    const TimelineLayer &one = at(point);
    report::TimedLayer whole = *one.figures;
    const std::string &name = layerName(m_bundle->weights()[one.weight], one.consumer);
    whole.name = whole.function.empty() ? name : whole.function + "/" + name;
    whole.compiler = compilerEstimate(*m_bundle, one.weight, one.consumer).toStdString();
    return whole;
}

QString TimelinePlot::pointText(int point) const
{
    const report::TimedLayer one = layer(point);
    if (!one.has)
        return tr("%1 (%2): its weight has no such form").arg(fromUtf8(one.name), fromUtf8(one.op));
    QString text =
        tr("%1 (%2, %3): arithmetic %4, bytes %5: %6, %7")
            .arg(fromUtf8(one.name), fromUtf8(one.op), fromUtf8(one.form), timeWord(one.computeS),
                 timeWord(one.memoryS), bindsWord(one.bound), timeWord(one.timeS));
    if (one.timeS && m_sum)
        text += tr("\n%1 % of all layers").arg(100 * *one.timeS / *m_sum, 0, 'g', 3);
    if (one.storedS && one.timeS && *one.storedS != *one.timeS)
        text += tr("; as stored %1").arg(timeWord(one.storedS));
    if (!one.compiler.empty())
        text += tr("\nthe compiler estimates %1").arg(fromUtf8(one.compiler));
    return text;
}

void TimelinePlot::applyColors(bool dark)
{
    const QColor ground = palette().color(QPalette::Base);
    const QColor text = palette().color(QPalette::Text);
    const auto paint = [&](QCPBars *bars, Token token, bool binds) {
        const QColor color = theme::color(token, dark);
        bars->setPen(QPen(color, 1));
        bars->setBrush(binds ? QBrush(color) : QBrush(color, Qt::BDiagPattern));
    };
    paint(m_compute, Token::KindData, true);
    paint(m_computeSlack, Token::KindData, false);
    paint(m_memory, Token::KindMask, true);
    paint(m_memorySlack, Token::KindMask, false);
    const QColor floor = theme::color(Token::OutFolds, dark);
    m_floorLine.line->setPen(QPen(floor, 1.4, Qt::DashLine));
    m_sumLine.line->setPen(QPen(text, 1, Qt::DotLine));
    for (const Line &line : {m_sumLine, m_floorLine}) {
        line.text->setColor(text);
        line.text->setFont(font());
        line.text->setBrush(ground);
    }
}

} // namespace kernscope::ui

#include "moc_timeline_plot.cpp"
