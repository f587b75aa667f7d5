// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/statistics_panel.h"

#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/qt.h"
#include "widgets/models/weight_reader.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr std::size_t kBars = 96;  ///< drawn at most
constexpr std::size_t kFewest = 8; ///< of the fine bins in a range worth showing
constexpr double kOneValue = 0.04; ///< width of the bar of a weight of one value, whose axis is 1
constexpr double kCutAbove = 4;    ///< times the next highest bar
constexpr std::uint64_t kSpare = 2000; ///< one element in this many may lie beyond either end

} // namespace

HistogramPlot::HistogramPlot(QWidget *parent)
    : PlotWidget(tr("Histogram of the decoded values"), parent)
{
    m_bars = new QCPBars(plot().xAxis, plot().yAxis);
    m_bars->setWidthType(QCPBars::wtPlotCoords);
    m_bars->setAntialiased(false);
    plot().xAxis->setLabel(tr("value"));
    plot().yAxis->setLabel(tr("elements"));
    plot().yAxis->setTicker(countTicker());
    setColumns({{tr("from"), [this](int point) { return edge(point); }},
                {tr("to"), [this](int point) { return edge(point + 1); }},
                {tr("elements"),
                 [this](int point) { return m_shown.bins[static_cast<std::size_t>(point)]; }}});
    m_cutText = new QCPItemText(&plot());
    m_cutText->position->setTypeX(QCPItemPosition::ptPlotCoords);
    m_cutText->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_cutText->setVisible(false);
}

void HistogramPlot::setHistogram(Histogram histogram)
{
    m_histogram = std::move(histogram);
    draw();
}

void HistogramPlot::setFullRange(bool full)
{
    if (std::exchange(m_fullRange, full) == full)
        return;
    draw();
}

/// Picks the range and merges neighbouring bins until few enough are left.
void HistogramPlot::merge()
{
    const std::vector<std::uint64_t> &all = m_histogram.bins;
    m_shown = {};
    m_outside = 0;
    if (all.empty())
        return;
    const std::uint64_t total = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    // Weights of one value have no width of their own: one bar about the value.
    if (oneValue()) {
        m_shown.bins = {total};
        m_shown.low = m_histogram.low - 0.5;
        m_shown.high = m_histogram.low + 0.5;
        return;
    }
    const std::uint64_t spare = m_fullRange ? 0 : total / kSpare;
    std::size_t first = 0, end = all.size();
    for (std::uint64_t left = 0; first + 1 < end && left + all[first] <= spare; ++first)
        left += all[first];
    for (std::uint64_t left = 0; end - 1 > first && left + all[end - 1] <= spare; --end)
        left += all[end - 1];
    if (end - first < kFewest && spare > 0) { // nearly all of one value: the rest is the picture
        first = 0;
        end = all.size();
    }
    const std::size_t step = (end - first + kBars - 1) / kBars;
    for (std::size_t bin = first; bin < end; bin += step) {
        const auto stop = all.begin() + static_cast<std::ptrdiff_t>(std::min(bin + step, end));
        m_shown.bins.push_back(std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(bin), stop,
                                               std::uint64_t{0}));
    }
    const double low = m_histogram.low, high = m_histogram.high;
    const double width = (high - low) / static_cast<double>(all.size());
    m_shown.low = low + width * static_cast<double>(first);
    m_shown.high = m_shown.low + width * static_cast<double>(step * m_shown.bins.size());
    m_outside = total - std::accumulate(m_shown.bins.begin(), m_shown.bins.end(), std::uint64_t{0});
}

void HistogramPlot::draw()
{
    beginData();
    merge();
    QVector<double> keys, counts;
    for (int bin = 0; bin < pointCount(); ++bin) {
        keys.append(keyOf(bin));
        counts.append(static_cast<double>(m_shown.bins[static_cast<std::size_t>(bin)]));
    }
    m_bars->setData(keys, counts, true);
    if (pointCount() > 0)
        m_bars->setWidth(oneValue() ? kOneValue : edge(1) - edge(0));
    plot().xAxis->setLabel(m_outside == 0 ? tr("value")
                                          : countedWords(m_outside, tr("value (1 lies outside)"),
                                                         tr("value (%1 lie outside)")));
    rescale();
    endData();
}

void HistogramPlot::setLogarithmic(bool logarithmic)
{
    if (std::exchange(m_logarithmic, logarithmic) == logarithmic)
        return;
    QCPAxis *axis = plot().yAxis;
    axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    axis->setTicker(logarithmic ? logTicker() : countTicker());
    rescale();
    plot().replot(QCustomPlot::rpQueuedReplot);
}

void HistogramPlot::rescale()
{
    if (pointCount() == 0) {
        m_cutBar = -1;
        m_cutText->setVisible(false);
        plot().xAxis->setRange(0, 1);
        plot().yAxis->setRange(m_logarithmic ? 0.5 : 0, 1);
        return;
    }
    const double top = shownHeight();
    plot().xAxis->setRange(edge(0), edge(pointCount()));
    plot().yAxis->setRange(m_logarithmic ? 0.5 : 0, top * (m_logarithmic ? 1.6 : 1.05));
    m_bars->setBaseValue(m_logarithmic ? 0.5 : 0);
}

/// The highest bar, or where that one flattens all others on a linear scale the next highest one.
double HistogramPlot::shownHeight()
{
    const auto highest = std::max_element(m_shown.bins.begin(), m_shown.bins.end());
    std::uint64_t next = 0;
    for (auto bin = m_shown.bins.begin(); bin != m_shown.bins.end(); ++bin) {
        if (bin != highest)
            next = std::max(next, *bin);
    }
    const auto most = static_cast<double>(*highest);
    const bool cut = !m_logarithmic && next > 0 && most > kCutAbove * static_cast<double>(next);
    m_cutBar = cut ? static_cast<int>(highest - m_shown.bins.begin()) : -1;
    m_cutText->setVisible(cut || oneValue());
    if (oneValue()) {
        m_cutText->setText(tr(" all are %1").arg(valueText(m_histogram.low)));
        m_cutText->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        m_cutText->position->setCoords(keyOf(0) + kOneValue / 2, 0);
    }
    if (!cut)
        return std::max(1.0, most);
    // Beside the bar, on the side that has more room.
    const bool right = m_cutBar * 2 < pointCount();
    m_cutText->setText(right ? tr(" \u2191 %1").arg(groupedNumber(*highest))
                             : tr("%1 \u2191 ").arg(groupedNumber(*highest)));
    m_cutText->setPositionAlignment((right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop);
    m_cutText->position->setCoords(edge(right ? m_cutBar + 1 : m_cutBar), 0);
    return static_cast<double>(next) * 1.2;
}

double HistogramPlot::edge(int bin) const
{
    return m_shown.low + (m_shown.high - m_shown.low) * bin / std::max(1, pointCount());
}

int HistogramPlot::pointAt(double key) const
{
    if (pointCount() == 0 || key < edge(0) || key > edge(pointCount()))
        return -1;
    const double width = edge(1) - edge(0);
    return std::clamp(static_cast<int>((key - edge(0)) / width), 0, pointCount() - 1);
}

QString HistogramPlot::pointText(int point) const
{
    if (oneValue())
        return countedWords(m_shown.bins[static_cast<std::size_t>(point)],
                            tr("1 element of %1").arg(valueText(m_histogram.low)),
                            tr("%1 elements of %2").arg(u"%1"_s, valueText(m_histogram.low)));
    return tr("%1 from %2 to %3")
        .arg(countedWords(m_shown.bins[static_cast<std::size_t>(point)], tr("1 element"),
                          tr("%1 elements")))
        .arg(edge(point), 0, 'g', 4)
        .arg(edge(point + 1), 0, 'g', 4);
}

void HistogramPlot::applyColors(bool dark)
{
    const QColor color = theme::color(Token::KindData, dark);
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(color);
    m_cutText->setColor(palette().color(QPalette::Text));
}

namespace {

constexpr std::size_t kHistogramBins = 4096; ///< the plot merges them

QString countAndShare(std::uint64_t count, double share)
{
    return u"%1 (%2)"_s.arg(groupedNumber(count), percentText(share));
}

} // namespace

StatisticsPanel::StatisticsPanel(Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_state(new QLabel(this)),
      m_again(new QToolButton(this)), m_histogram(new HistogramPlot(this))
{
    // Range and moments, then counts: beside each other where there is room.
    auto *pair = new QWidget(this);
    auto *columns = withoutMargins(new FlowLayout(pair), theme::em(this, 0.4));
    columns->addWidget(buildFigures(Min, Distinct));
    columns->addWidget(buildFigures(Zeros, Rows));
    m_logarithmic = new QAction(tr("Logarithmic Histogram"), this);
    m_logarithmic->setCheckable(true);
    connect(m_logarithmic, &QAction::toggled, m_histogram, &HistogramPlot::setLogarithmic);
    m_fullRange = new QAction(tr("Full Range of Values"), this);
    m_fullRange->setToolTip(tr("Show the few values far out as well"));
    m_fullRange->setCheckable(true);
    connect(m_fullRange, &QAction::toggled, m_histogram, &HistogramPlot::setFullRange);
    const auto button = [this](QAction *action, const QString &text) {
        auto *tool = new QToolButton(this);
        tool->setDefaultAction(action);
        tool->setText(text);
        tool->setAccessibleName(action->text());
        tool->setAutoRaise(true);
        return tool;
    };
    m_again->setText(tr("Compute"));
    m_again->hide();
    connect(m_again, &QToolButton::clicked, this, &StatisticsPanel::start);
    m_state->setForegroundRole(QPalette::PlaceholderText);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *bar = laidOut(new QHBoxLayout, {new QLabel(tr("Histogram"), this),
                                          {m_state, 1},
                                          m_again,
                                          button(m_fullRange, tr("all")),
                                          button(m_logarithmic, tr("log"))});

    auto *layout = laidOut(withoutMargins(new QVBoxLayout(this), 2),
                           {pair, buildFigures(Distinct, Zeros), bar});
    m_histogram->setMinimumHeight(theme::em(this, 11)); // less shows axes and no bars
    layout->addWidget(m_histogram, 1);
    m_task.whenCancelled([this] { noticeCancel(); });
    connect(m_histogram, &PlotWidget::pointActivated, this, [this](int which) {
        const auto [low, high] = m_histogram->rangeOf(which);
        Q_EMIT m_session.statusMessage(m_histogram->pointText(which));
        if (m_bundle)
            goToFirst(m_histogram->pointText(which), [low = low, high = high](float each) {
                const auto value = static_cast<double>(each);
                return value >= low && value <= high;
            });
    });
    showDashes();
}

/// Some of the numbers beside their names.
QWidget *StatisticsPanel::buildFigures(Row first, Row end)
{
    const QStringList names{tr("min"),   tr("max"), tr("mean"), tr("std"),   tr("distinct"),
                            tr("zeros"), tr("NaN"), tr("inf"),  tr("stored")};
    auto *box = new QWidget(this);
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto *grid = withoutMargins(new QGridLayout(box), theme::em(this, 0.6));
    grid->setVerticalSpacing(1);
    for (std::size_t row = first; row < end; ++row) {
        auto *name = new QLabel(names.at(static_cast<qsizetype>(row)), box);
        name->setForegroundRole(QPalette::PlaceholderText);
        m_values[row] = new QLabel(box);
        m_values[row]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_values[row]->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_values[row]->setAccessibleName(name->text());
        if (row == Min || row == Max) { // a link to the element
            m_values[row]->setTextFormat(Qt::RichText);
            m_values[row]->setTextInteractionFlags(Qt::LinksAccessibleByMouse |
                                                   Qt::LinksAccessibleByKeyboard);
            connect(m_values[row], &QLabel::linkActivated, this, [this, row] {
                if (!m_statistics)
                    return;
                m_histogram->setCurrentPoint(-1); // another place than that of a bar
                const double value = row == Min ? m_statistics->min : m_statistics->max;
                goToFirst(valueText(value), [value = static_cast<float>(value)](float each) {
                    return each == value;
                });
            });
        }
        grid->addWidget(name, static_cast<int>(row), 0);
        grid->addWidget(m_values[row], static_cast<int>(row), 1);
    }
    grid->setColumnStretch(1, 1);
    return box;
}

void StatisticsPanel::setWeight(BundlePtr bundle, std::size_t weight)
{
    m_finding.stop();
    m_task.stop();
    const bool same = m_weight == weight && isSameWeight(m_bundle, bundle, weight);
    m_bundle = std::move(bundle);
    m_weight = weight;
    m_statistics.reset();
    if (!same) // of the same weight the old picture stays until the new one comes
        m_histogram->clear();
    showDashes();
    if (m_bundle)
        start();
}

void StatisticsPanel::start()
{
    m_again->hide();
    m_state->setText(tr("reading\u2026"));
    m_task.start(
        tr("Statistics of %1").arg(fromUtf8(m_bundle->weights()[m_weight].name)),
        [bundle = m_bundle, weight = m_weight](Progress &progress) {
            const BundleReadLock lock(*bundle);
            progress.setTotal(bundle->weights()[weight].elements.value);
            return computeStatistics(*bundle, weight, {true, false, true}, &progress);
        },
        [this](Result<Statistics> result) {
            if (!result) {
                m_state->setText(fromUtf8(describe(result.error())));
                m_state->setToolTip(m_state->text());
                return;
            }
            m_statistics = *result;
            showStatistics();
            startHistogram();
        });
}

void StatisticsPanel::startHistogram()
{
    m_task.start(
        tr("Histogram of %1").arg(fromUtf8(m_bundle->weights()[m_weight].name)),
        [bundle = m_bundle, weight = m_weight](Progress &progress) {
            const BundleReadLock lock(*bundle);
            progress.setTotal(bundle->weights()[weight].elements.value);
            return computeHistogram(*bundle, weight, kHistogramBins, &progress);
        },
        [this](Result<Histogram> result) {
            m_state->setText(result ? QString() : fromUtf8(describe(result.error())));
            m_histogram->setHistogram(result ? std::move(*result) : Histogram());
        });
}

/// The first element whose value is one of those.
void StatisticsPanel::goToFirst(const QString &said, std::function<bool(float)> wanted)
{
    m_finding.start(
        tr("Looking for %1").arg(said),
        [bundle = m_bundle, weight = m_weight, wanted = std::move(wanted)](Progress &progress) {
            return firstElement(*bundle, weight, wanted, progress);
        },
        [this, weight = m_weight](std::optional<std::uint64_t> element) {
            if (element && weight == m_weight)
                m_session.goToElement(weight, *element, nullptr);
        });
}

void StatisticsPanel::noticeCancel()
{
    m_state->setText(m_task.endText());
    m_again->show();
}

void StatisticsPanel::showStatistics()
{
    const Statistics &s = *m_statistics;
    const Weight &weight = m_bundle->weights()[m_weight];
    const bool finite = s.finite() > 0;
    const auto number = [finite](double value) { return finite ? valueText(value) : u"\u2013"_s; };
    const double all = s.elements == 0 ? 1 : static_cast<double>(s.elements);
    for (const auto &[row, value] : {std::pair(Min, s.min), std::pair(Max, s.max)})
        m_values[row]->setText(finite ? u"<a href=\"there\">%1</a>"_s.arg(valueText(value))
                                      : u"\u2013"_s);
    m_values[Mean]->setText(number(s.mean));
    m_values[Deviation]->setText(number(s.standardDeviation));
    m_values[Zeros]->setText(s.elements > 0 ? countAndShare(s.zeros, s.zeroFraction()) : u"0"_s);
    m_values[NotANumber]->setText(
        s.nan == 0 ? u"0"_s : countAndShare(s.nan, static_cast<double>(s.nan) / all));
    m_values[Infinite]->setText(
        s.inf == 0 ? u"0"_s : countAndShare(s.inf, static_cast<double>(s.inf) / all));
    // Nothing else is left open: the type holds more values than are counted.
    m_values[Distinct]->setText(s.distinct
                                    ? groupedNumber(*s.distinct)
                                    : tr("> %1").arg(groupedNumber(Statistics::kMostDistinct)));
    m_values[Stored]->setToolTip(weightFacts(weight));
}

void StatisticsPanel::showDashes()
{
    for (QLabel *value : m_values)
        value->setText(u"\u2013"_s);
    m_state->clear();
    m_again->hide();
    if (!m_bundle)
        return;
    // The bytes are known from the tables, before anything is read.
    const Weight &weight = m_bundle->weights()[m_weight];
    m_values[Stored]->setText(storedWords(weight));
}

} // namespace kernscope::ui

#include "moc_statistics_panel.cpp"
