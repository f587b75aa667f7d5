// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace kernscope::test {

/// Writes a made bundle as a folder below `scratch`; returns its path.
inline QString writeBundle(const QTemporaryDir &scratch, const char *name,
                           const std::string &program, const Bytes &weights)
{
    const QString folder = scratch.filePath(QString::fromUtf8(name));
    QDir().mkpath(folder + QStringLiteral("/weights"));
    QFile text(folder + QStringLiteral("/model.mil"));
    QFile blobs(folder + QStringLiteral("/weights/weight.bin"));
    if (!text.open(QIODevice::WriteOnly) || !blobs.open(QIODevice::WriteOnly))
        return {};
    text.write(program.data(), qint64(program.size()));
    blobs.write(reinterpret_cast<const char *>(weights.data()), qint64(weights.size()));
    return folder;
}

inline QString writeBundle(const QTemporaryDir &scratch, const char *name, const MadeBundle &made)
{
    return writeBundle(scratch, name, made.text(), made.weights());
}

} // namespace kernscope::test
