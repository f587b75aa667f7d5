// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_colors.h"

#include "core/bundle/kinds.h"
#include "widgets/models/theme.h"

#include <cmath>

namespace kernscope::ui {

QColor tint(const QColor &ground, const QColor &color, double share)
{
    const auto mix = [share](int a, int b) {
        return static_cast<int>(std::lround(a + (b - a) * share));
    };
    return QColor(mix(ground.red(), color.red()), mix(ground.green(), color.green()),
                  mix(ground.blue(), color.blue()));
}

QColor hexGround(SectionKind kind, const QPalette &palette)
{
    const bool dark = theme::isDark(palette);
    const double share = kind == SectionKind::Padding ? 0.25 : dark ? 0.34 : 0.24;
    return tint(palette.color(QPalette::Base), theme::color(theme::tokenOf(kind), dark), share);
}

QColor hexSelectedGround(const QColor &ground, const QPalette &palette, bool large)
{
    const double share = theme::isDark(palette) ? 0.6 : 0.4;
    return tint(ground, palette.color(QPalette::Active, QPalette::Highlight),
                large ? share / 2 : share);
}

QColor hexChangedGround(const QPalette &palette)
{
    const bool dark = theme::isDark(palette);
    return tint(palette.color(QPalette::Base), theme::color(Token::MarkChanged, dark), 0.35);
}

} // namespace kernscope::ui
