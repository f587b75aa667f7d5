// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/statistics_panel.h"

#include "core/bundle/bundle.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"
#include "widgets/models/weight_words.h"
#include "widgets/weight/histogram_plot.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace kernscope::ui {

namespace {

constexpr std::size_t kHistogramBins = 4096; ///< the plot merges them

QString countAndShare(std::uint64_t count, double share)
{
    return QStringLiteral("%1 (%2)").arg(groupedNumber(count), percentText(share));
}

} // namespace

StatisticsPanel::StatisticsPanel(Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_state(new QLabel(this)),
      m_again(new QToolButton(this)), m_histogram(new HistogramPlot(this))
{
    QGridLayout *grid = buildFigures();
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
    auto *bar = new QHBoxLayout;
    bar->addWidget(new QLabel(tr("Histogram"), this));
    bar->addWidget(m_state, 1);
    bar->addWidget(m_again);
    bar->addWidget(button(m_fullRange, tr("all")));
    bar->addWidget(button(m_logarithmic, tr("log")));

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(grid);
    layout->addLayout(bar);
    m_histogram->setMinimumHeight(theme::em(this, 11)); // less shows axes and no bars
    layout->addWidget(m_histogram, 1);
    connect(&session.tasks(), &TaskManager::changed, this, &StatisticsPanel::noticeCancel);
    connect(m_histogram, &PlotWidget::exportFailed, &session, &Session::statusMessage);
    showDashes();
}

/// The numbers under their names, two columns.
QGridLayout *StatisticsPanel::buildFigures()
{
    const QStringList names{tr("min"),   tr("max"), tr("mean"), tr("std"),   tr("distinct"),
                            tr("zeros"), tr("NaN"), tr("inf"),  tr("stored")};
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(theme::em(this, 0.6));
    grid->setVerticalSpacing(1);
    for (std::size_t row = 0; row < Rows; ++row) {
        auto *name = new QLabel(names.at(static_cast<qsizetype>(row)), this);
        name->setForegroundRole(QPalette::PlaceholderText);
        m_values[row] = new QLabel(this);
        m_values[row]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_values[row]->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_values[row]->setAccessibleName(name->text());
        // Two columns: range and moments, then counts.
        const int column = row < Zeros ? 0 : 2;
        const int line = static_cast<int>(row < Zeros ? row : row - Zeros);
        // The long word has half of a line of its own: it must not widen the column of short ones.
        const int span = row == Distinct ? 2 : 1;
        grid->addWidget(name, line, column, 1, span);
        grid->addWidget(m_values[row], line, column + span, 1, span);
    }
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    return grid;
}

void StatisticsPanel::setWeight(BundlePtr bundle, std::size_t weight)
{
    if (m_task)
        m_task->cancel();
    m_task.reset();
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

bool StatisticsPanel::working() const
{
    return m_task && !m_task->progress().cancelled();
}

void StatisticsPanel::start()
{
    m_again->hide();
    m_state->setText(tr("reading\u2026"));
    m_task = m_session.tasks().start(
        this, tr("Statistics of %1").arg(fromUtf8(m_bundle->weights()[m_weight].name)),
        [bundle = m_bundle, weight = m_weight](Progress &progress) {
            const BundleReadLock lock(*bundle);
            progress.setTotal(bundle->weights()[weight].elements.value);
            return computeStatistics(*bundle, weight, {true, false, true}, &progress);
        },
        [this](Result<Statistics> result) {
            m_task.reset();
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
    m_task = m_session.tasks().start(
        this, tr("Histogram of %1").arg(fromUtf8(m_bundle->weights()[m_weight].name)),
        [bundle = m_bundle, weight = m_weight](Progress &progress) {
            const BundleReadLock lock(*bundle);
            progress.setTotal(bundle->weights()[weight].elements.value);
            return computeHistogram(*bundle, weight, kHistogramBins, &progress);
        },
        [this](Result<Histogram> result) {
            m_task.reset();
            m_state->setText(result ? QString() : fromUtf8(describe(result.error())));
            m_histogram->setHistogram(result ? std::move(*result) : Histogram());
        });
}

void StatisticsPanel::noticeCancel()
{
    if (!m_task || !m_task->progress().cancelled())
        return;
    m_task.reset();
    m_state->setText(tr("cancelled"));
    m_again->show();
}

void StatisticsPanel::showStatistics()
{
    const Statistics &s = *m_statistics;
    const Weight &weight = m_bundle->weights()[m_weight];
    const bool finite = s.finite() > 0;
    const auto number = [finite](double value) {
        return finite ? valueText(value) : QStringLiteral("\u2013");
    };
    const double all = s.elements == 0 ? 1 : static_cast<double>(s.elements);
    m_values[Min]->setText(number(s.min));
    m_values[Max]->setText(number(s.max));
    m_values[Mean]->setText(number(s.mean));
    m_values[Deviation]->setText(number(s.standardDeviation));
    m_values[Zeros]->setText(s.elements > 0 ? countAndShare(s.zeros, s.zeroFraction())
                                            : QStringLiteral("0"));
    m_values[NotANumber]->setText(
        s.nan == 0 ? QStringLiteral("0") : countAndShare(s.nan, static_cast<double>(s.nan) / all));
    m_values[Infinite]->setText(
        s.inf == 0 ? QStringLiteral("0") : countAndShare(s.inf, static_cast<double>(s.inf) / all));
    // Nothing else is left open: the type holds more values than are counted.
    m_values[Distinct]->setText(s.distinct
                                    ? groupedNumber(*s.distinct)
                                    : tr("> %1").arg(groupedNumber(Statistics::kMostDistinct)));
    m_values[Stored]->setToolTip(weightFacts(weight));
}

void StatisticsPanel::showDashes()
{
    for (QLabel *value : m_values)
        value->setText(QStringLiteral("\u2013"));
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
