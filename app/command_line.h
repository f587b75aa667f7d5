// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"

#include <QList>
#include <QSize>

namespace kernscope::app {

inline constexpr QSize kScreenshotSize(1400, 900);

/// What the program was asked for: `kernscope [--theme T] [PATH…]` or
/// `kernscope --screenshots DIR [--size WxH,…] [--theme T] PATH [PATH]`.
struct CommandLine {
    QStringList paths;                   ///< none, one, or those to compare with the first
    QString screenshots;                 ///< folder; empty: the window is shown
    QList<QSize> sizes{kScreenshotSize}; ///< of the window in pictures; never empty
    ThemeChoice theme = ThemeChoice::Light;
    bool themeGiven = false;
    std::optional<int> exitCode; ///< set where there is nothing left to do: 0 or 2
};

/// Before the application is made: pictures are taken without a display unless one was asked for.
void prepareEnvironment(int argc, char **argv);
/// Prints help, version or what is wrong, and says so by `exitCode`. Needs no application, so that
/// wrong use is told without a display too.
CommandLine parseCommandLine(int argc, char **argv);

/// While it lives, a platform that cannot be had (no display, no plugin) ends the process with one
/// line on standard error and exit code 4, instead of Qt's abort.
class DisplayGuard
{
public:
    DisplayGuard();
    ~DisplayGuard();
    DisplayGuard(const DisplayGuard &) = delete;
    DisplayGuard &operator=(const DisplayGuard &) = delete;
};

} // namespace kernscope::app
