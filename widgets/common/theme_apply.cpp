// SPDX-License-Identifier: GPL-3.0-or-later
// What of the theme needs widgets: the application's style and lengths by a widget's font.
#include "widgets/common/quiet_style.h"
#include "widgets/models/theme.h"

#include <QApplication>
#include <QFontInfo>
#include <QFontMetrics>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace kernscope::ui::theme {

void apply(bool dark)
{
    QApplication::setStyle(new QuietStyle);
    QApplication::setPalette(palette(dark));
}

/// Height of a line of text. Families leave room of very different size above and below their
/// letters (12 pixels: DejaVu Sans 14, Open Sans 17): no more than usual is counted, so that a
/// window of one size shows as much in every font.
static int lineHeightOf(const QFont &font)
{
    constexpr double kUsual = 1.18;
    const int usual = static_cast<int>(std::lround(QFontInfo(font).pixelSize() * kUsual));
    return std::min(QFontMetrics(font).height(), usual);
}

int em(const QWidget *widget, double ems)
{
    return static_cast<int>(std::lround(lineHeightOf(widget->font()) * ems));
}

} // namespace kernscope::ui::theme
