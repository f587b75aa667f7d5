// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/task_manager.h"
#include "widgets/models/tile_source.h"

#include <QBasicTimer>
#include <QCache>
#include <QHash>
#include <QObject>
#include <QSet>

#include <memory>
#include <vector>

namespace kernscope::ui {

/// Tiles of one source: a cache bounded in bytes, and the few tasks that fill it. Only tiles that
/// are wanted now are worked on; scrolling past a tile cancels it.
class TileLoader : public QObject
{
    Q_OBJECT

public:
    explicit TileLoader(TaskManager &tasks, QObject *parent = nullptr);
    ~TileLoader() override;

    void setSource(TileSourcePtr source);
    const TileSourcePtr &source() const { return m_source; }

    /// The tile, or null where it has not come yet. Valid until the event loop turns.
    const Tile *find(const TileKey &key) const { return m_cache.object(key); }
    /// Replaces the list of tiles to load: those on view that were not found, most important first.
    void want(std::vector<TileKey> keys);
    bool busy() const;

Q_SIGNALS:
    void tileReady();
    void tilesLost(); ///< tiles on view were cancelled with everything else; ask again

protected:
    void timerEvent(QTimerEvent *event) override;

private:
    void startNext();
    void accept(const TileKey &key, Tile tile);
    void cancelAll();
    void noticeCancelled();

    TaskManager &m_tasks;
    TileSourcePtr m_source;
    QCache<TileKey, Tile> m_cache;
    QHash<TileKey, TaskPtr> m_running;
    QSet<TileKey> m_failed; ///< asking again would fail again
    std::vector<TileKey> m_wanted;
    QBasicTimer m_retry;
};

} // namespace kernscope::ui
