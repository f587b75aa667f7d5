// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/statistics.h"
#include "widgets/common/plot_widget.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

/// Bars of how many decoded values fall into each bin, on a linear or a logarithmic scale. A few
/// outliers would squeeze all else into one bar: unless asked for the full range it shows the range
/// that leaves out at most one element in 2000 at either end, and says how many lie outside. One
/// bar that would flatten all others, as the zeros of a pruned weight do, is cut off at the top of
/// a linear scale, and a number says how high it is.
class HistogramPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit HistogramPlot(QWidget *parent = nullptr);

    /// Bins of the whole range, many more than are drawn: neighbours are merged.
    void setHistogram(Histogram histogram);
    void clear() { setHistogram({}); }
    bool logarithmic() const { return m_logarithmic; }
    void setLogarithmic(bool logarithmic);
    void setFullRange(bool full);
    std::uint64_t outside() const { return m_outside; } ///< elements that the bars leave out
    /// The bar that is cut off, with its height written beside it; -1: none.
    int cutBar() const { return m_cutBar; }

    /// The values that a bar counts: from, to.
    std::pair<double, double> rangeOf(int bar) const { return {edge(bar), edge(bar + 1)}; }

    int pointCount() const override { return static_cast<int>(m_shown.bins.size()); }
    QString pointText(int point) const override;

protected:
    double keyOf(int point) const override { return (edge(point) + edge(point + 1)) / 2; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    double edge(int bin) const;
    bool oneValue() const { return !(m_histogram.high > m_histogram.low); }
    void merge();
    void draw();
    void rescale();
    double shownHeight();

    Histogram m_histogram, m_shown;
    std::uint64_t m_outside = 0;
    QCPBars *m_bars = nullptr;
    QCPItemText *m_cutText = nullptr;
    int m_cutBar = -1;
    bool m_logarithmic = false, m_fullRange = false;
};

/// Figures and histogram of a whole weight, computed off the GUI thread: figures first. Cancelled
/// work leaves dashes and a button that begins again.
class StatisticsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit StatisticsPanel(Session &session, QWidget *parent = nullptr);

    /// Begins anew; null: empty.
    void setWeight(BundlePtr bundle, std::size_t weight);
    bool working() const { return m_task.running() || m_finding.running(); }
    const std::optional<Statistics> &statistics() const { return m_statistics; }
    HistogramPlot &histogram() { return *m_histogram; }
    /// Scale and range of the histogram.
    QList<QAction *> histogramActions() const { return {m_logarithmic, m_fullRange}; }

private:
    enum Row : std::size_t {
        Min,
        Max,
        Mean,
        Deviation,
        Distinct,
        Zeros,
        NotANumber,
        Infinite,
        Stored,
        Rows
    };

    QWidget *buildFigures(Row first, Row end);
    void start();
    void startHistogram();
    void showStatistics();
    void showDashes();
    void noticeCancel();
    void goToFirst(const QString &said, std::function<bool(float)> wanted);

    Session &m_session;
    BundlePtr m_bundle;
    std::size_t m_weight = 0;
    Job m_task{m_session.tasks()}, m_finding{m_session.tasks()};
    std::optional<Statistics> m_statistics;
    std::array<QLabel *, Rows> m_values{};
    QLabel *m_state = nullptr;
    QToolButton *m_again = nullptr;
    QAction *m_logarithmic = nullptr, *m_fullRange = nullptr;
    HistogramPlot *m_histogram = nullptr;
};

} // namespace kernscope::ui
