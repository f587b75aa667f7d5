// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/plot_widget.h"

#include <vector>

class QCPGraph;

namespace kernscope::ui {

/// The scales of an affine or blockwise weight along their axis, as steps.
class ScalePlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ScalePlot(QWidget *parent = nullptr);

    /// `axis`: what the scales run along ("out channel"). NaN values leave a gap.
    void setScales(std::vector<double> scales, const QString &axis);
    void clear() { setScales({}, {}); }

    int pointCount() const override { return static_cast<int>(m_scales.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override { return point; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    std::vector<double> m_scales;
    QCPGraph *m_steps = nullptr;
};

} // namespace kernscope::ui
