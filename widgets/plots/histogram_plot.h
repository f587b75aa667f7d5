// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/statistics.h"
#include "widgets/plots/plot_widget.h"

class QCPBars;

namespace kernscope::ui {

/// Bars of how many decoded values fall into each bin, on a linear or a logarithmic scale.
class HistogramPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit HistogramPlot(QWidget *parent = nullptr);

    void setHistogram(Histogram histogram);
    void clear() { setHistogram({}); }
    bool logarithmic() const { return m_logarithmic; }
    void setLogarithmic(bool logarithmic);

    int pointCount() const override { return static_cast<int>(m_histogram.bins.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    double edge(int bin) const;
    void rescale();

    Histogram m_histogram;
    QCPBars *m_bars = nullptr;
    bool m_logarithmic = false;
};

} // namespace kernscope::ui
