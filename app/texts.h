// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"
#include "core/base/error.h"
#include "widgets/models/session.h"

#include <QDir>
#include <QFileInfo>

namespace kernscope::app {

/// An error as sentences for people: what it means, where, what was expected and found.
QString errorSentence(const Error &error);

/// Why `path` could not be opened, each thing said once.
QString openingFault(const QString &path, const Error &error);

/// What a person types to go somewhere:
///
///     name               a weight or a section, also a part of its name if only one has it
///     name[i,j,…]        an element of a weight, one index an axis, or one flat index
///     name+0x40          a byte of a section, or of a weight's first stored part
///     file:0x1f40        a byte of a file
///     0x1f40, 8000       a byte of the file `currentFile`, where that is none of the weights' one
///
/// Errors: "goto.syntax", "goto.name", "goto.ambiguous" (`found` names some), "goto.range".
Result<ui::Place> parsePlace(const Bundle &bundle, const QString &text, std::size_t currentFile);

/// Text that parsePlace takes to the same place, once the session has added what follows from it: a
/// weight is told by its name alone, wherever its bytes are.
QString placeText(const Bundle &bundle, const ui::Place &place);

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
