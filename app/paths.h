// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QString>

#include <filesystem>

namespace kernscope::app {

/// Paths between Qt and the core, byte for byte as the file system has them.
inline std::filesystem::path toPath(const QString &path)
{
    return std::filesystem::path(QFile::encodeName(path).toStdString());
}

inline QString toQString(const std::filesystem::path &path)
{
    return QFile::decodeName(path.c_str());
}

} // namespace kernscope::app
