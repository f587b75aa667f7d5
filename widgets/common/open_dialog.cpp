// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/open_dialog.h"

#include "core/patch/save/backup.h"
#include "widgets/common/file_dialogs.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>

namespace kernscope::ui {

OpenDialog::OpenDialog(Lists lists, QWidget *asking, const QString &title, const QString &filters)
    : QFileDialog(asking, title, dialogFolder(asking), filters)
{
    setFileMode(lists == Lists::Folders ? QFileDialog::Directory : QFileDialog::ExistingFile);
    setOption(QFileDialog::ShowDirsOnly, false);
}

/// Empty: nothing is typed, or the dialog is the desktop's own.
QString OpenDialog::typedPath() const
{
    const auto *edit = findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
    QString text = edit ? edit->text().trimmed() : QString();
    if (text == QLatin1String("~") || text.startsWith(QLatin1String("~/")))
        text.replace(0, 1, QDir::homePath());
    return text.isEmpty() ? QString() : QDir::cleanPath(directory().absoluteFilePath(text));
}

/// Files are taken, and folders by a dialog for folders; by one for files those that are bundles.
bool OpenDialog::takes(const QString &path) const
{
    const QFileInfo info(path);
    if (info.isFile() || fileMode() == QFileDialog::Directory)
        return info.exists();
    return info.isDir() && patch::isBundleFolder(QFile::encodeName(path).toStdString());
}

void OpenDialog::accept()
{
    const QString path = typedPath();
    if (path.isEmpty() || !takes(path)) {
        QFileDialog::accept();
        return;
    }
    Q_EMIT fileSelected(path);
    QDialog::accept();
}

} // namespace kernscope::ui

#include "moc_open_dialog.cpp"
