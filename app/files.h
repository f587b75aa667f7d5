// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error_builder.h"

#include <QFile>
#include <QString>

#include <filesystem>
#include <functional>

class QWidget;

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

/// The error of a file that the window keeps for itself (bookmarks, sessions): `message` is already
/// translated, `field` is the member that cannot be read.
inline tl::unexpected<Error> fileFault(const char *code, const QString &message,
                                       const QString &file = {}, const QString &field = {})
{
    return ErrorBuilder(code)
        .message(message.toStdString())
        .file(file.toStdString())
        .field(field.toStdString())
        .unexpected();
}

/// Asks for a folder or a file that can be opened; `chosen` gets its path.
void pickFolder(QWidget &window, const QString &title,
                const std::function<void(const QString &)> &chosen);
void pickFile(QWidget &window, const QString &title,
              const std::function<void(const QString &)> &chosen);

} // namespace kernscope::app
