// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/file_drops.h"

#include <QApplication>
#include <QDialog>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

#include <utility>

namespace kernscope::app {

namespace {

QStringList localPaths(const QMimeData &data)
{
    QStringList paths;
    for (const QUrl &url : data.urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    return paths;
}

} // namespace

FileDrops::FileDrops(QWidget *window, std::function<void(const QStringList &)> open)
    : QObject(window), m_window(window), m_open(std::move(open))
{
    window->setAcceptDrops(true);
    qApp->installEventFilter(this);
}

bool FileDrops::isInside(const QWidget *widget) const
{
    for (; widget; widget = widget->parentWidget()) {
        if (widget == m_window)
            return true;
        if (qobject_cast<const QDialog *>(widget))
            return false;
    }
    return false;
}

bool FileDrops::eventFilter(QObject *watched, QEvent *event)
{
    const bool dropped = event->type() == QEvent::Drop;
    if (!dropped && event->type() != QEvent::DragEnter && event->type() != QEvent::DragMove)
        return false;
    const auto *widget = qobject_cast<const QWidget *>(watched);
    auto *drop = static_cast<QDropEvent *>(event);
    if (!widget || !isInside(widget))
        return false;
    const QStringList paths = localPaths(*drop->mimeData());
    if (paths.isEmpty())
        return false;
    drop->acceptProposedAction();
    if (dropped)
        m_open(paths);
    return true;
}

} // namespace kernscope::app

#include "moc_file_drops.cpp"
