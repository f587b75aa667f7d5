// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

class QSettings;

namespace kernscope::app {

/// Takes a settings file from one version to the next.
using SettingsStep = void (*)(QSettings &store);

/// What migrateSettings found.
enum class SettingsState {
    Ready, ///< of the present version now
    Newer, ///< written by a newer version: not touched
};

/// Brings a settings file up to version `steps.size() + 1`, one step after the other: `steps[i]`
/// takes version i + 1 to i + 2. A new file gets the present number at once; one without a number
/// that holds something counts as version 1.
SettingsState migrateSettings(QSettings &store, std::span<const SettingsStep> steps);

} // namespace kernscope::app
