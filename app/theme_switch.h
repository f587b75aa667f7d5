// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"

#include <QFont>
#include <QObject>

namespace kernscope::app {

/// Palette and font of the application, as the settings have them. Make it before anything changes
/// the palette: what it finds then is the system's.
class ThemeSwitch : public QObject
{
    Q_OBJECT

public:
    explicit ThemeSwitch(Settings &settings, QObject *parent = nullptr);

    ThemeChoice choice() const;
    void choose(ThemeChoice choice);
    bool dark() const;
    /// Adds to the font's size; 0 goes back to the system's.
    void changeFont(int step);

private:
    void apply();

    Settings &m_settings;
    bool m_systemDark = false;
    QFont m_systemFont;
};

} // namespace kernscope::app
