// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QString>

namespace kernscope::app {

/// An entry of the list of recent files: names, and the folder that tells those of one name apart.
inline QString recentText(const Settings::Recent &entry)
{
    const QFileInfo file(entry.path);
    QString text = file.fileName();
    if (!entry.other.isEmpty())
        text += QStringLiteral("  \u21C4  ") + QFileInfo(entry.other).fileName();
    QString folder = file.absolutePath();
    if (folder.startsWith(QDir::homePath() + QLatin1Char('/')))
        folder.replace(0, QDir::homePath().size(), QStringLiteral("~"));
    // The last two folders: a menu is no wider than what is read of it.
    const QStringList parts = folder.split(QLatin1Char('/'), Qt::SkipEmptyParts);
    if (parts.size() > 3)
        folder = QStringLiteral("\u2026/") + parts.mid(parts.size() - 2).join(QLatin1Char('/'));
    return QStringLiteral("%1  \u2013  %2").arg(text, folder);
}

} // namespace kernscope::app
