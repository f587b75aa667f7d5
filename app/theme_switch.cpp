// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme_switch.h"

#include "widgets/common/fixed_font.h"
#include "widgets/models/theme.h"

#include <QApplication>

#include <algorithm>

namespace kernscope::app {

namespace {

constexpr qreal kSmallestFont = 6;

} // namespace

ThemeSwitch::ThemeSwitch(Settings &settings, QObject *parent)
    : QObject(parent), m_settings(settings),
      m_systemDark(ui::theme::isDark(QApplication::palette())), m_systemFont(QApplication::font())
{
    apply();
}

ThemeChoice ThemeSwitch::choice() const
{
    return m_settings.theme();
}

void ThemeSwitch::choose(ThemeChoice choice)
{
    m_settings.setTheme(choice);
    apply();
}

bool ThemeSwitch::dark() const
{
    return choice() == ThemeChoice::System ? m_systemDark : choice() == ThemeChoice::Dark;
}

void ThemeSwitch::changeFont(int step)
{
    m_settings.setFontStep(step == 0 ? 0 : m_settings.fontStep() + step);
    apply();
}

void ThemeSwitch::apply()
{
    ui::theme::apply(dark());
    QFont font = m_systemFont;
    if (font.pointSizeF() > 0)
        font.setPointSizeF(std::max(kSmallestFont, font.pointSizeF() + m_settings.fontStep()));
    if (font != QApplication::font())
        ui::changeApplicationFont(font);
}

} // namespace kernscope::app

#include "moc_theme_switch.cpp"
