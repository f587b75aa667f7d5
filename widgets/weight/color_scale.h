// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/weight/weight_tiles.h"

#include <QWidget>

class QPainter;

namespace kernscope::ui {

/// The colours of a heat map or of a mask's densities with the values that they stand for.
class ColorScale : public QWidget
{
    Q_OBJECT

public:
    explicit ColorScale(QWidget *parent = nullptr);

    /// `range` 0: not known yet. Where there is nothing but zeros or no number at all, it says so
    /// instead of a range that no value has.
    void showValues(ValueColors colors, double range,
                    ValueTiles::Only only = ValueTiles::Only::Values);
    QString text() const; ///< what it says, as a screen reader has it
    void showDensity();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintOnly(QPainter &painter, bool dark) const;
    QColor colorAt(double position, bool dark) const;
    QString leftText() const;
    QString rightText() const;
    QString onlyText() const;

    enum class Kind : std::uint8_t { Values, Density };
    Kind m_kind = Kind::Values;
    ValueColors m_colors = ValueColors::Signed;
    double m_range = 0;
    ValueTiles::Only m_only = ValueTiles::Only::Values;
};

} // namespace kernscope::ui
