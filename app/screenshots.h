// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/session.h"

#include <QElapsedTimer>
#include <QList>
#include <QSize>
#include <QString>
#include <QTimer>

#include <deque>

namespace kernscope::app {

class MainWindow;

/// Takes a picture of the window in every layout and of every dock, once each has drawn what it
/// has: DIR/window-overview.png, window-inspect.png, window-compare.png (two bundles only),
/// window-performance.png, window-hardware.png (of hardware containers), window-patch.png and
/// dock-ID.png. Of several sizes of the window, each has its pictures in a folder of its own:
/// DIR/1280x800/window-overview.png. The patch is made in memory; nothing is written but pictures.
class ScreenshotRun : public QObject
{
    Q_OBJECT

public:
    /// `sizes`: of the window, at least one.
    ScreenshotRun(MainWindow &window, QString folder, QList<QSize> sizes,
                  QObject *parent = nullptr);

    /// Opens the bundles and begins; finished() follows.
    void start(const QStringList &paths);

Q_SIGNALS:
    /// 0, or 4 with the reason where a bundle or a picture failed.
    void finished(int exitCode, const QString &reason);

private:
    using Step = std::function<void()>;
    void plan();
    void planLayout(const QString &name, const Step &prepare);
    void planDocks();
    void poll();
    bool settled() const;
    void chooseWeight(const QString &dock);
    void chooseRegister();
    void patchSomething();
    void grabWindow(const QString &name, QSize size);
    void grabDock(const QString &id);
    void write(const QPixmap &picture, const QString &name);
    void end(int exitCode, const QString &reason);

    MainWindow &m_window;
    QString m_folder;
    QList<QSize> m_sizes;
    std::deque<Step> m_steps;
    QTimer m_poll;
    QElapsedTimer m_waited;
    int m_quietPolls = 0;
    std::optional<ui::Place> m_asked; ///< the weight that the path named
    bool m_compare = false, m_ended = false;
};

} // namespace kernscope::app
