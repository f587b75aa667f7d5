// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/worst_places.h"
#include "widgets/common/plot_widget.h"
#include "widgets/models/compare_model.h"

namespace kernscope::ui {

/// The largest difference of every output channel as a strip of bars, with the RMSE as a line: in
/// the order of the channels, or the worst first.
class ChannelPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ChannelPlot(QWidget *parent = nullptr);

    void setPlaces(WorstPlacesPtr places);
    void setWorstFirst(bool worstFirst);
    bool worstFirst() const { return m_worstFirst; }
    /// Without titles of the axes: where a heading says what is drawn.
    void setCompact(bool compact);
    /// Channel of a point, and the point of a channel (-1: none).
    int pointOfChannel(std::uint64_t channel) const;
    std::uint64_t channelOf(int point) const { return at(point).channel; }
    std::uint64_t elementOf(int point) const { return at(point).worst; }

    int pointCount() const override { return static_cast<int>(m_order.size()); }
    QString pointText(int point) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    const ChannelDifference &at(int point) const
    {
        return m_places->worstChannels[m_order[static_cast<std::size_t>(point)]];
    }
    void arrange();

    WorstPlacesPtr m_places;
    std::vector<std::size_t> m_order; ///< point -> index into the channels
    QCPBars *m_bars = nullptr, *m_endless = nullptr;
    QCPGraph *m_rmse = nullptr;
    bool m_worstFirst = false, m_compact = false;
};

/// How often each value occurs in A and in B: both histograms over one axis, counts on a
/// logarithmic scale, and below them B minus A.
class HistogramPairPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit HistogramPairPlot(QWidget *parent = nullptr);

    /// Null: nothing is known. `range`: a magnitude that most values keep within, for the view.
    void setBins(std::shared_ptr<const PairBins> bins, double range);
    void clear() { setBins(nullptr, 1); }

    int pointCount() const override { return static_cast<int>(m_points.size()); }
    QString pointText(int point) const override;

protected:
    double keyOf(int point) const override { return (at(point).from + at(point).to) / 2; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    struct Point {
        double from = 0, to = 0;
        std::uint64_t a = 0, b = 0;
    };
    const Point &at(int point) const { return m_points[static_cast<std::size_t>(point)]; }
    void collect(double range);
    void draw();

    std::shared_ptr<const PairBins> m_bins;
    std::vector<Point> m_points;
    QCPAxisRect *m_below = nullptr;
    QCPGraph *m_a = nullptr, *m_b = nullptr;
    QCPBars *m_more = nullptr, *m_less = nullptr;
};

/// How far apart the values of two weights lie, in steps of the type of A: bars by powers of two,
/// counts on a logarithmic scale.
class UlpPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit UlpPlot(QWidget *parent = nullptr);

    void setDifference(const ValueDifference &difference);
    void clear();

    int pointCount() const override { return m_elements > 0 ? bins() : 0; }
    QString pointText(int point) const override;

protected:
    void applyColors(bool dark) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    static std::uint64_t firstOf(int bin) { return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1); }
    static std::uint64_t lastOf(int bin) { return bin == 0 ? 0 : firstOf(bin) - 1 + firstOf(bin); }
    int bins() const { return static_cast<int>(m_counts.size()); }
    void show(std::vector<std::uint64_t> counts, ElementType type);
    void labelTicks();
    void labelCounts(std::uint64_t most);

    std::vector<std::uint64_t> m_counts;
    std::uint64_t m_elements = 0;
    QCPBars *m_equal = nullptr, *m_bars = nullptr;
};

} // namespace kernscope::ui
