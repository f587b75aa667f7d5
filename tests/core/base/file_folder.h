// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"

namespace kernscope::test {

/// A folder of files for tests, removed at the end.
class FileFolder
{
public:
    /// Writes a file; returns its path, an empty one where that failed.
    std::filesystem::path write(const char *name, const std::vector<std::byte> &content) const
    {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(reinterpret_cast<const char *>(content.data()),
                   static_cast<qint64>(content.size()));
        return file.fileName().toStdString();
    }

    QString path() const { return m_folder.path(); }
    QString filePath(const QString &name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
};

/// What a file holds now; nothing where it cannot be read.
inline QByteArray onDisk(const std::filesystem::path &path)
{
    return contentOf(QString::fromStdString(path.string()));
}

} // namespace kernscope::test
