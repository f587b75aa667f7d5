// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/tile_loader.h"

#include <QTimerEvent>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr qsizetype kCacheBytes = qsizetype{64} << 20;
constexpr qsizetype kTasksAtOnce = 2;
constexpr int kTileRetryMilliseconds = 500;

} // namespace

TileLoader::TileLoader(TaskManager &tasks, QObject *parent)
    : QObject(parent), m_tasks(tasks), m_cache(kCacheBytes)
{
    connect(&tasks, &TaskManager::changed, this, &TileLoader::noticeCancelled);
}

TileLoader::~TileLoader()
{
    cancelAll();
}

void TileLoader::setSource(TileSourcePtr source)
{
    cancelAll();
    m_wanted.clear();
    m_cache.clear();
    m_failed.clear();
    m_source = std::move(source);
}

void TileLoader::want(std::vector<TileKey> keys)
{
    m_wanted = std::move(keys);
    for (auto it = m_running.begin(); it != m_running.end();) {
        const bool wanted = std::find(m_wanted.begin(), m_wanted.end(), it.key()) != m_wanted.end();
        if (!wanted)
            it.value()->cancel();
        // The person may have cancelled it from the status bar; its result never comes then.
        if (it.value()->progress().cancelled())
            it = m_running.erase(it);
        else
            ++it;
    }
    startNext();
}

bool TileLoader::busy() const
{
    return std::any_of(m_running.begin(), m_running.end(),
                       [](const TaskPtr &task) { return !task->progress().cancelled(); });
}

void TileLoader::startNext()
{
    if (!m_source)
        return;
    for (const TileKey &key : m_wanted) {
        if (m_running.size() >= kTasksAtOnce)
            return;
        if (m_running.contains(key) || m_cache.contains(key) || m_failed.contains(key))
            continue;
        const TaskPtr task = m_tasks.start(
            this, tr("Drawing tiles"),
            [source = m_source, key](Progress &progress) { return source->draw(key, progress); },
            [this, key](Tile tile) { accept(key, std::move(tile)); });
        m_running.insert(key, task);
    }
}

void TileLoader::accept(const TileKey &key, Tile tile)
{
    m_running.remove(key); // cancelled tasks never come here
    if (tile.image.isNull()) {
        m_failed.insert(key);
    } else {
        const qsizetype cost = tile.bytes();
        m_cache.insert(key, new Tile(std::move(tile)), cost);
    }
    startNext();
    Q_EMIT tileReady();
}

void TileLoader::noticeCancelled()
{
    // An edit that is refused, or Cancel in the status bar: what is on view is still missing.
    const bool lost = std::any_of(m_running.begin(), m_running.end(),
                                  [](const TaskPtr &task) { return task->progress().cancelled(); });
    if (lost && !m_retry.isActive())
        m_retry.start(kTileRetryMilliseconds, this);
}

void TileLoader::timerEvent(QTimerEvent *event)
{
    if (event->timerId() != m_retry.timerId())
        return;
    m_retry.stop();
    Q_EMIT tilesLost();
}

void TileLoader::cancelAll()
{
    for (const TaskPtr &task : std::as_const(m_running))
        task->cancel();
    m_running.clear();
}

} // namespace kernscope::ui

#include "moc_tile_loader.cpp"
