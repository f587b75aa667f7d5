// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <deque>
#include <functional>

namespace kernscope::app {

class MainWindow;

/// Takes a picture of the window in every layout and of every dock, once each has drawn what it
/// has: DIR/window-overview.png, window-inspect.png, window-compare.png (two bundles only),
/// window-patch.png and dock-ID.png. The patch is made in memory; nothing is written but pictures.
class ScreenshotRun : public QObject
{
    Q_OBJECT

public:
    ScreenshotRun(MainWindow &window, QString folder, QObject *parent = nullptr);

    /// Opens the bundles and begins; finished() follows.
    void start(const QStringList &paths);

Q_SIGNALS:
    /// 0, or 4 with the reason where a bundle or a picture failed.
    void finished(int exitCode, const QString &reason);

private:
    using Step = std::function<void()>;
    void plan();
    void planDocks();
    void poll();
    bool settled() const;
    void chooseWeight(const QString &dock);
    void patchSomething();
    void grabWindow(const QString &name);
    void grabDock(const QString &id);
    void write(const QPixmap &picture, const QString &name);
    void end(int exitCode, const QString &reason);

    MainWindow &m_window;
    QString m_folder;
    std::deque<Step> m_steps;
    QTimer m_poll;
    QElapsedTimer m_waited;
    int m_quietPolls = 0;
    bool m_compare = false, m_ended = false;
};

} // namespace kernscope::app
