// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli_process.h"

/// Bundles that `diff` compares.
namespace kernscope::test {

/// A bundle of one weight `w` of ten values.
inline MadeBundle tenValues(std::initializer_list<float> values)
{
    MadeBundle made;
    made.layer("w", "[10]", halves(values));
    return made;
}

inline CliResult diff(const QString &a, const QString &b, const QStringList &more = {})
{
    return runCli(QStringList{QStringLiteral("diff"), a, b} + more);
}

/// Writes a file; returns its path, an empty one where that failed.
inline QString writeText(const QTemporaryDir &folder, const char *name, const QByteArray &text)
{
    const QString path = folder.filePath(QLatin1String(name));
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? path : QString();
}

} // namespace kernscope::test
