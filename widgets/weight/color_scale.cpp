// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/color_scale.h"

#include "widgets/common/text_direction.h"
#include "widgets/models/theme.h"

#include <QPainter>

namespace kernscope::ui {

ColorScale::ColorScale(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void ColorScale::showValues(ValueColors colors, double range, ValueTiles::Only only)
{
    m_kind = Kind::Values;
    m_colors = colors;
    m_range = range;
    m_only = only;
    update();
    if (only != ValueTiles::Only::Values) {
        setAccessibleName(onlyText());
        setToolTip(only == ValueTiles::Only::Zeros
                       ? tr("Every value is 0: the whole picture has the colour of 0.")
                       : tr("Every value is NaN or infinite: there is no number to give a colour "
                            "to."));
        return;
    }
    setAccessibleName(tr("Colours from %1 to %2").arg(leftText(), rightText()));
    setToolTip(tr("Full colour at a magnitude of %1, the 99.5th percentile; larger values look the "
                  "same. Zoomed out, a dot is the root mean square of its cells.")
                   .arg(rightText()));
}

void ColorScale::showDensity()
{
    m_kind = Kind::Density;
    setAccessibleName(tr("Shades from nothing kept to all kept"));
    setToolTip(tr("Zoomed out, a dot's shade is the share of its cells that are kept. Zoomed in, "
                  "\u25A0 is kept and \u00B7 is left out."));
    update();
}

QString ColorScale::onlyText() const
{
    return m_only == ValueTiles::Only::Zeros ? tr("all 0") : tr("no finite value");
}

QString ColorScale::text() const
{
    return accessibleName();
}

QColor ColorScale::colorAt(double position, bool dark) const
{
    if (m_kind == Kind::Density)
        return MaskTiles::shade(position, dark);
    return m_colors == ValueColors::Signed ? theme::diverging(2 * position - 1, dark)
                                           : theme::sequential(position);
}

QString ColorScale::leftText() const
{
    if (m_kind == Kind::Density)
        return QStringLiteral("0 %");
    if (m_colors == ValueColors::Magnitude)
        return QStringLiteral("0");
    return m_range > 0 ? QString::number(-m_range, 'g', 3) : QStringLiteral("\u2212");
}

QString ColorScale::rightText() const
{
    if (m_kind == Kind::Density)
        return QStringLiteral("100 %");
    return m_range > 0 ? QString::number(m_range, 'g', 3) : QStringLiteral("+");
}

QSize ColorScale::sizeHint() const
{
    return {theme::em(this, 12), theme::em(this, 1.3)};
}

void ColorScale::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const bool dark = theme::isDark(palette());
    if (m_kind == Kind::Values && m_only != ValueTiles::Only::Values) {
        paintOnly(painter, dark);
        return;
    }
    const int text = fontMetrics().horizontalAdvance(QStringLiteral("-0.0000")) + 4;
    const QRect bar = rect().adjusted(text, 2, -text, -2);
    for (int x = bar.left(); x <= bar.right(); ++x) {
        const double at = static_cast<double>(x - bar.left()) / std::max(1, bar.width() - 1);
        painter.fillRect(QRect(x, bar.top(), 1, bar.height()), colorAt(at, dark));
    }
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRect(0, 0, text - 4, height()), Qt::AlignRight | Qt::AlignVCenter,
                     readFromLeft(leftText(), layoutDirection()));
    painter.drawText(QRect(bar.right() + 5, 0, text - 4, height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     readFromLeft(rightText(), layoutDirection()));
}

/// The one colour that the picture has, and the word for it.
void ColorScale::paintOnly(QPainter &painter, bool dark) const
{
    const int side = height() - 5;
    const int words = fontMetrics().horizontalAdvance(onlyText());
    const QRect swatch(width() - words - side - theme::em(this, 0.4), 2, side, side);
    if (m_only == ValueTiles::Only::Zeros) {
        painter.fillRect(swatch, m_colors == ValueColors::Signed ? theme::diverging(0, dark)
                                                                 : theme::sequential(0));
        painter.setPen(palette().color(QPalette::Mid));
        painter.drawRect(swatch);
    }
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, onlyText());
}

} // namespace kernscope::ui

#include "moc_color_scale.cpp"
