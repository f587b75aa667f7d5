// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/plot_widget.h"

#include <cstdint>
#include <vector>

class QCPGraph;
class QCPItemStraightLine;

namespace kernscope::ui {

/// Share of kept elements of each output channel, as steps, with the mean as a dashed line.
class DensityPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit DensityPlot(QWidget *parent = nullptr);

    /// `kept[channel]` of `perChannel` elements each. `stored`: whether a mask says so; otherwise
    /// kept means "does not decode to zero". `axis`: what the channels are ("out channel").
    void setDensity(std::vector<std::uint64_t> kept, std::uint64_t perChannel, bool stored,
                    const QString &axis = {});
    void clear() { setDensity({}, 0, true); }

    int pointCount() const override { return static_cast<int>(m_kept.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override { return point; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    double density(int point) const;

    std::vector<std::uint64_t> m_kept;
    std::uint64_t m_perChannel = 0;
    bool m_stored = true;
    QCPGraph *m_steps = nullptr;
    QCPItemStraightLine *m_mean = nullptr;
};

} // namespace kernscope::ui
