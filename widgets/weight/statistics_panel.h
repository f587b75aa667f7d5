// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/statistics.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QWidget>

#include <array>
#include <optional>

class QGridLayout;
class QLabel;
class QToolButton;

namespace kernscope::ui {

class HistogramPlot;

/// Figures and histogram of a whole weight, computed off the GUI thread: figures first. Cancelled
/// work leaves dashes and a button that begins again.
class StatisticsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit StatisticsPanel(Session &session, QWidget *parent = nullptr);

    /// Begins anew; null: empty.
    void setWeight(BundlePtr bundle, std::size_t weight);
    bool working() const;
    const std::optional<Statistics> &statistics() const { return m_statistics; }
    HistogramPlot &histogram() { return *m_histogram; }
    /// Scale and range of the histogram.
    QList<QAction *> histogramActions() const { return {m_logarithmic, m_fullRange}; }

private:
    QGridLayout *buildFigures();
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

    void start();
    void startHistogram();
    void showStatistics();
    void showDashes();
    void noticeCancel();

    Session &m_session;
    BundlePtr m_bundle;
    std::size_t m_weight = 0;
    TaskPtr m_task;
    std::optional<Statistics> m_statistics;
    std::array<QLabel *, Rows> m_values{};
    QLabel *m_state = nullptr;
    QToolButton *m_again = nullptr;
    QAction *m_logarithmic = nullptr, *m_fullRange = nullptr;
    HistogramPlot *m_histogram = nullptr;
};

} // namespace kernscope::ui
