// SPDX-License-Identifier: GPL-3.0-or-later
// What of the theme needs widgets: the application's style and lengths by a widget's font.
#include "widgets/common/quiet_style.h"
#include "widgets/common/theme.h"

#include <QApplication>
#include <QFontMetrics>
#include <QWidget>

#include <cmath>

namespace kernscope::ui::theme {

void apply(bool dark)
{
    QApplication::setStyle(new QuietStyle);
    QApplication::setPalette(palette(dark));
}

int em(const QWidget *widget, double ems)
{
    return static_cast<int>(std::lround(QFontMetrics(widget->font()).height() * ems));
}

} // namespace kernscope::ui::theme
