// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/tile_source.h"

#include <algorithm>

namespace kernscope::ui {

QString TileSource::cellText(const Tile &tile, std::size_t index) const
{
    if (index >= tile.values.size())
        return {};
    return QString::number(static_cast<double>(tile.values[index]), 'g', 4);
}

QSize TileSource::tileSize(const TileKey &key) const
{
    const auto pixels = [&key](std::uint64_t first, std::uint64_t end) {
        if (first >= end)
            return 0;
        const std::uint64_t cells = end - first;
        const std::uint64_t whole = ((cells - 1) >> key.level) + 1;
        return static_cast<int>(std::min<std::uint64_t>(whole, kTileSide));
    };
    return {pixels(key.firstCol(), cols()), pixels(key.firstRow(), rows())};
}

int TileSource::maxLevel() const
{
    const std::uint64_t longest = std::max(rows(), cols());
    int level = 0;
    while ((longest >> level) > kTileSide)
        ++level;
    return level;
}

} // namespace kernscope::ui
