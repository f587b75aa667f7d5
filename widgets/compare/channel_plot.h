// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/plot_widget.h"
#include "widgets/models/places_models.h"

#include <vector>

class QCPBars;
class QCPGraph;

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
    std::uint64_t channelOf(int point) const { return at(point).channel; }
    int pointOfChannel(std::uint64_t channel) const;
    std::uint64_t elementOf(int point) const { return at(point).worst; }

    int pointCount() const override { return static_cast<int>(m_order.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

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

} // namespace kernscope::ui
