// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/file_dialogs.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QVariant>
#include <QWidget>

namespace kernscope::ui {

namespace {

/// A dock that floats is still a child of its window.
template <class Widget>
Widget *windowWithFolder(Widget *asking)
{
    for (Widget *one = asking; one; one = one->parentWidget()) {
        if (one->property(kDialogFolder).isValid())
            return one;
    }
    return nullptr;
}

/// "SVG (*.svg)" gives "svg", "Changes (*.kpatch *.txt)" the first of them; "All files (*)" none.
QString suffixOf(const QString &filter)
{
    const qsizetype dot = filter.indexOf(QLatin1String("*."));
    if (dot < 0)
        return {};
    const qsizetype from = dot + 2;
    qsizetype to = from;
    while (to < filter.size() && filter[to] != u' ' && filter[to] != u')')
        ++to;
    return filter.mid(from, to - from);
}

} // namespace

QString dialogFolder(const QWidget *asking)
{
    const QWidget *window = windowWithFolder(asking);
    return window ? window->property(kDialogFolder).toString() : QString();
}

void setDialogFolder(QWidget *asking, const QString &folder)
{
    if (QWidget *window = windowWithFolder(asking))
        window->setProperty(kDialogFolder, folder);
}

QString askSavePath(QWidget *asking, const QString &title, const QString &name,
                    const QString &filters)
{
    QFileDialog dialog(asking, title, dialogFolder(asking), filters);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.setDefaultSuffix(suffixOf(dialog.selectedNameFilter()));
    QObject::connect(
        &dialog, &QFileDialog::filterSelected, &dialog,
        [&dialog](const QString &filter) { dialog.setDefaultSuffix(suffixOf(filter)); });
    if (!name.isEmpty())
        dialog.selectFile(name);
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty())
        return {};
    const QString path = dialog.selectedFiles().constFirst();
    setDialogFolder(asking, QFileInfo(path).absolutePath());
    return path;
}

QString askOpenPath(QWidget *asking, const QString &title, const QString &filters,
                    const QString &before)
{
    const QString start = before.isEmpty() ? dialogFolder(asking) : before;
    const QString path = QFileDialog::getOpenFileName(asking, title, start, filters);
    if (!path.isEmpty())
        setDialogFolder(asking, QFileInfo(path).absolutePath());
    return path;
}

} // namespace kernscope::ui
