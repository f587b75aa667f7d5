// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"

/// First in a test function whose rows are files of the data folder: skips it where its table is
/// empty. (QFETCH would end the program.)
#define KERNSCOPE_SKIP_WITHOUT_ROWS()                                                              \
    do {                                                                                           \
        if (QTest::currentDataTag() == nullptr)                                                    \
            QSKIP("The data folder has none of these files (KERNSCOPE_DATA)");                     \
    } while (false)

/// Skips a test where a file or folder that it reads is missing.
#define KERNSCOPE_NEEDS(path)                                                                      \
    do {                                                                                           \
        if (!QFileInfo::exists(path))                                                              \
            QSKIP(qPrintable(u"Missing (KERNSCOPE_DATA): "_s + (path)));                           \
    } while (false)

/// The folder of real files, made bundles and golden vectors, which is not part of this tree: tests
/// that read it carry the label `data` and skip where it is missing.
namespace kernscope::test {

/// KERNSCOPE_DATA, or ../shared/data beside this tree.
inline QString dataFolder()
{
    const QString set = qEnvironmentVariable("KERNSCOPE_DATA");
    return set.isEmpty() ? sourcePath(u"../shared/data"_s) : set;
}

/// Path of a file or folder of it: "real/hwx/x.hwx".
inline QString dataPath(const QString &relative)
{
    return dataFolder() + u'/' + relative;
}

/// The column "path" of a test's data, and a row for each file and folder of such a name.
inline void addPaths(const QStringList &names, const QStringList &folders = {dataFolder()})
{
    QTest::addColumn<QString>("path");
    for (const QString &folder : folders) {
        for (const QString &path : pathsBelow(folder, names))
            addRow(qPrintable(QDir(folder).relativeFilePath(path)), path);
    }
}

/// The same for the standard library's files.
inline std::string dataPathBytes(const char *relative)
{
    return QFile::encodeName(dataPath(QString::fromUtf8(relative))).toStdString();
}

} // namespace kernscope::test
