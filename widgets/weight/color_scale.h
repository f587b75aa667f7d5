// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/weight/weight_tiles.h"

#include <QWidget>

namespace kernscope::ui {

/// The colours of a heat map or of a mask's densities with the values that they stand for.
class ColorScale : public QWidget
{
    Q_OBJECT

public:
    explicit ColorScale(QWidget *parent = nullptr);

    /// `range` 0: not known yet.
    void showValues(ValueColors colors, double range);
    void showDensity();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QColor colorAt(double position, bool dark) const;
    QString leftText() const;
    QString rightText() const;

    enum class Kind : std::uint8_t { Values, Density };
    Kind m_kind = Kind::Values;
    ValueColors m_colors = ValueColors::Signed;
    double m_range = 0;
};

} // namespace kernscope::ui
