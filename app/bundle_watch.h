// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"
#include "core/bundle/bundle_fwd.h"

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <map>
#include <mutex>

namespace kernscope::app {

/// Tells when another program changed a file of the open bundle. Our own saves end with `restamp`.
class BundleWatch : public QObject
{
    Q_OBJECT

public:
    explicit BundleWatch(QObject *parent = nullptr);
    ~BundleWatch() override;

    /// Watches the files of a bundle instead of what was watched; null: nothing.
    void watch(const BundlePtr &bundle);
    /// Takes the files as they are now for known.
    void restamp();
    /// While held, changes are only remembered; restamp() or release() ends that.
    void hold() { m_held = true; }
    void release();
    /// Files whose time or permissions changed and whose bytes are those of when they were opened
    /// or saved. A large one is among them a moment later, after touched().
    std::vector<std::shared_ptr<OverlaidFile>> touchedOnly(const Bundle &bundle);

Q_SIGNALS:
    void touched(); ///< at once, and now and then: the files may have changed
    void changed(const QStringList &files);

private:
    struct Stamp {
        qint64 bytes = -1; ///< -1: the file is gone
        QDateTime when;
        friend bool operator==(const Stamp &, const Stamp &) = default;
    };
    static Stamp stampOf(const QString &file);
    void compare();
    struct Digests;
    void takeDigests();

    QFileSystemWatcher m_watcher;
    QTimer m_debounce;
    QTimer m_look; ///< file systems of other machines tell nothing
    QHash<QString, Stamp> m_stamps;
    bool m_held = false;
    std::shared_ptr<Digests> m_digests; ///< of the files as they were opened
    QThreadPool m_pool;                 ///< of one thread, which makes them
};

} // namespace kernscope::app
