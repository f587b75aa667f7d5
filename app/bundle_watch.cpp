// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bundle_watch.h"

#include "app/paths.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"

#include <QFileInfo>

namespace kernscope::app {

namespace {

/// A writer touches a file many times; one question a burst is enough.
constexpr int kDebounceMilliseconds = 400;
/// A folder of more files is watched by its first ones (each costs a kernel handle).
constexpr int kMaxWatched = 256;
constexpr int kLookMilliseconds = 2000;

} // namespace

BundleWatch::BundleWatch(QObject *parent) : QObject(parent)
{
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounceMilliseconds);
    connect(&m_debounce, &QTimer::timeout, this, &BundleWatch::compare);
    const auto wake = [this] {
        m_debounce.start();
        Q_EMIT touched();
    };
    m_look.setInterval(kLookMilliseconds);
    connect(&m_look, &QTimer::timeout, this, &BundleWatch::touched);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, wake);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, wake);
}

void BundleWatch::watch(const BundlePtr &bundle)
{
    if (const QStringList old = m_watcher.files() + m_watcher.directories(); !old.isEmpty())
        m_watcher.removePaths(old);
    m_stamps.clear();
    m_debounce.stop();
    m_look.stop();
    m_held = false;
    if (!bundle)
        return;
    QStringList paths;
    for (const BundleFile &entry : bundle->files()) {
        const QString path = toQString(entry.file->path());
        if (path.isEmpty() || m_stamps.size() >= kMaxWatched)
            continue;
        m_stamps.insert(path, stampOf(path));
        paths << path;
        // A file that is replaced by a renamed one is only seen from its folder.
        if (const QString folder = QFileInfo(path).path(); !paths.contains(folder))
            paths << folder;
    }
    if (paths.isEmpty())
        return;
    m_watcher.addPaths(paths);
    m_look.start();
}

void BundleWatch::restamp()
{
    for (auto it = m_stamps.begin(); it != m_stamps.end(); ++it)
        it.value() = stampOf(it.key());
    m_held = false;
}

void BundleWatch::hold()
{
    m_held = true;
}

void BundleWatch::release()
{
    m_held = false;
    m_debounce.start();
}

BundleWatch::Stamp BundleWatch::stampOf(const QString &file)
{
    const QFileInfo info(file);
    return info.exists() ? Stamp{info.size(), info.lastModified()} : Stamp{};
}

void BundleWatch::compare()
{
    if (m_held)
        return;
    QStringList changedFiles;
    for (auto it = m_stamps.begin(); it != m_stamps.end(); ++it) {
        if (Stamp now = stampOf(it.key()); now != it.value()) {
            it.value() = now;
            changedFiles << it.key();
        }
        if (!m_watcher.files().contains(it.key()) && QFileInfo::exists(it.key()))
            m_watcher.addPath(it.key());
    }
    if (!changedFiles.isEmpty())
        Q_EMIT changed(changedFiles);
}

} // namespace kernscope::app
