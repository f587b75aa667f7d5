// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings_migration.h"

#include <QSettings>
#include <QStringList>

#include <algorithm>

namespace kernscope::app {

SettingsState migrateSettings(QSettings &store, std::span<const SettingsStep> steps)
{
    const QString key = QStringLiteral("version");
    const int present = static_cast<int>(steps.size()) + 1;
    const int unnumbered = store.allKeys().isEmpty() ? present : 1;
    const int version = std::max(1, store.value(key, unnumbered).toInt());
    if (version > present)
        return SettingsState::Newer;
    for (int from = version; from < present; ++from) {
        steps[static_cast<std::size_t>(from - 1)](store);
        // Written after each step: a crash in between goes on where it stopped.
        store.setValue(key, from + 1);
    }
    store.setValue(key, present);
    return SettingsState::Ready;
}

} // namespace kernscope::app
