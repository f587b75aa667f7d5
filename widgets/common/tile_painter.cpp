// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/tile_painter.h"

#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

QColor inkOn(QRgb ground)
{
    const int lightness = qAlpha(ground) < 128 ? 255 : qGray(ground);
    return lightness > 115 ? QColor(0x10, 0x14, 0x18) : QColor(Qt::white);
}

void paintCellShape(QPainter &painter, CellShape shape, QPointF centre, double reach,
                    const QColor &ink, const QColor &faint)
{
    const QPointF corner(reach, reach), otherCorner(reach, -reach);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    switch (shape) {
    case CellShape::Fill: break;
    case CellShape::Dot: {
        const double radius = std::clamp(reach / 2, 0.8, 2.5);
        painter.setBrush(faint);
        painter.drawEllipse(centre, radius, radius);
        break;
    }
    case CellShape::Square: painter.drawRect(QRectF(centre - corner, centre + corner)); break;
    case CellShape::Up:
        painter.drawPolygon(
            QPolygonF{centre - otherCorner, centre + corner, centre - QPointF(0, reach)});
        break;
    case CellShape::Down:
        painter.drawPolygon(
            QPolygonF{centre - corner, centre + otherCorner, centre + QPointF(0, reach)});
        break;
    case CellShape::Cross:
        painter.setPen(QPen(ink, std::max(1.0, reach / 2)));
        painter.drawLine(centre - corner, centre + corner);
        painter.drawLine(centre - otherCorner, centre + otherCorner);
        break;
    }
}

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
    // What ended by an exception would do so again.
    for (auto it = m_running.begin(); it != m_running.end();) {
        if (it.value()->fault().isEmpty()) {
            ++it;
            continue;
        }
        m_failed.insert(it.key());
        it = m_running.erase(it);
        QMetaObject::invokeMethod(this, &TileLoader::tileReady, Qt::QueuedConnection);
    }
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

namespace {

constexpr double kShapeScale = 7; ///< from this many pixels a cell on, shapes are drawn
constexpr double kGridScale = 6;  ///< … and lines between them
constexpr std::size_t kMaxTiles = 400;

/// Cells [first, end) of one axis that the viewport can show.
std::pair<std::uint64_t, std::uint64_t> visibleCells(double from, double to, std::uint64_t count)
{
    const double end = std::clamp(std::ceil(to), 0.0, static_cast<double>(count));
    const double first = std::clamp(std::floor(from), 0.0, end);
    return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(end)};
}

} // namespace

TilePainter::TilePainter(const TileLoader &loader, const ViewGeometry &geometry,
                         const QWidget &viewport)
    : m_loader(loader), m_geometry(geometry), m_widget(viewport), m_area(viewport.rect()),
      m_dark(theme::isDark(viewport.palette()))
{
}

std::vector<TileKey> TilePainter::visibleTiles() const
{
    const TileSource *source = m_loader.source().get();
    if (!source || source->rows() == 0 || source->cols() == 0)
        return {};
    const int level = std::min(m_geometry.level(), source->maxLevel());
    const int across = m_geometry.moreAcross(), down = m_geometry.moreDown();
    const auto [firstRow, endRow] =
        visibleCells(m_geometry.rowAt(0), m_geometry.rowAt(m_area.height()), source->rows());
    const auto [firstCol, endCol] =
        visibleCells(m_geometry.colAt(0), m_geometry.colAt(m_area.width()), source->cols());
    const auto tileOf = [level](std::uint64_t cell, int more) {
        return (cell >> (level + more)) / kTileSide;
    };
    std::vector<TileKey> keys;
    if (firstRow >= endRow || firstCol >= endCol)
        return keys;
    for (std::uint64_t r = tileOf(firstRow, down); r <= tileOf(endRow - 1, down); ++r) {
        for (std::uint64_t c = tileOf(firstCol, across); c <= tileOf(endCol - 1, across); ++c) {
            if (keys.size() < kMaxTiles)
                keys.push_back({level, r, c, across, down});
        }
    }
    const QPointF centre = QRectF(m_area).center();
    const auto distance = [this, centre](const TileKey &key) {
        const QPointF d = tileRect(key).center() - centre;
        return QPointF::dotProduct(d, d);
    };
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const TileKey &a, const TileKey &b) { return distance(a) < distance(b); });
    return keys;
}

std::vector<TileKey> TilePainter::coarseFirst(std::vector<TileKey> missing) const
{
    constexpr std::size_t kFew = 4; ///< they come as soon as a coarser one would
    constexpr int kCoarser = 4;     ///< levels: 256 tiles are one
    const int most = m_loader.source() ? m_loader.source()->maxLevel() : 0;
    const auto coarser = [](const TileKey &key, int up) {
        return TileKey{key.level + up, key.row >> up, key.col >> up, key.across, key.down};
    };
    std::vector<TileKey> bare;
    std::copy_if(missing.begin(), missing.end(), std::back_inserter(bare),
                 [&](const TileKey &key) { return !standIn(key); });
    if (bare.size() <= kFew)
        return missing;
    std::vector<TileKey> keys;
    for (const TileKey &key : bare) {
        const TileKey guide = coarser(key, std::min(kCoarser, most - key.level));
        if (guide.level > key.level && std::find(keys.begin(), keys.end(), guide) == keys.end())
            keys.push_back(guide);
    }
    keys.insert(keys.end(), missing.begin(), missing.end());
    return keys;
}

QRectF TilePainter::tileRect(const TileKey &key) const
{
    const QSize pixels = m_loader.source()->tileSize(key);
    const double left = static_cast<double>(key.firstCol());
    const double top = static_cast<double>(key.firstRow());
    return {QPointF(m_geometry.xOf(left), m_geometry.yOf(top)),
            QPointF(m_geometry.xOf(left + std::ldexp(pixels.width(), key.colLevel())),
                    m_geometry.yOf(top + std::ldexp(pixels.height(), key.rowLevel())))};
}

QRectF TilePainter::cellRect(std::uint64_t row, std::uint64_t col) const
{
    const double r = static_cast<double>(row), c = static_cast<double>(col);
    return {QPointF(m_geometry.xOf(c), m_geometry.yOf(r)),
            QPointF(m_geometry.xOf(c + 1), m_geometry.yOf(r + 1))};
}

void TilePainter::paint(QPainter &painter, std::optional<Cell> current, std::optional<Cell> hovered,
                        bool focused) const
{
    painter.fillRect(m_area, m_widget.palette().color(QPalette::Window));
    const TileSource *source = m_loader.source().get();
    if (!source || source->rows() == 0 || source->cols() == 0)
        return;
    const QRectF picture(QPointF(m_geometry.xOf(0), m_geometry.yOf(0)),
                         QPointF(m_geometry.xOf(static_cast<double>(source->cols())),
                                 m_geometry.yOf(static_cast<double>(source->rows()))));
    painter.save();
    painter.setClipRect(picture.intersected(QRectF(m_area)));
    painter.fillRect(m_area, m_widget.palette().color(QPalette::Base));
    const std::vector<TileKey> keys = visibleTiles();
    for (const TileKey &key : keys)
        paintTile(painter, key);
    if (m_geometry.scale() >= kGridScale)
        paintGrid(painter);
    for (const TileKey &key : keys) {
        if (const Tile *tile = m_loader.find(key); tile && key == TileKey{0, key.row, key.col})
            paintCells(painter, key, *tile);
    }
    painter.restore();
    painter.setPen(m_widget.palette().color(QPalette::Mid));
    // Kept near the viewport: the raster engine cannot draw rectangles of a million million pixels.
    painter.drawRect(
        picture.adjusted(-1, -1, 0, 0).intersected(QRectF(m_area).adjusted(-4, -4, 4, 4)));
    if (hovered && m_geometry.scale() >= kGridScale)
        paintFrame(painter, *hovered, false);
    if (current)
        paintFrame(painter, *current, focused);
}

void TilePainter::paintTile(QPainter &painter, const TileKey &key) const
{
    const QRectF target = tileRect(key);
    if (const Tile *tile = m_loader.find(key)) {
        const double zoom =
            std::max(target.width() / tile->image.width(), target.height() / tile->image.height()) *
            m_widget.devicePixelRatioF();
        painter.setRenderHint(QPainter::SmoothPixmapTransform, key.level > 0 && zoom < 1.99);
        painter.drawImage(target, tile->image, QRectF(tile->image.rect()));
        return;
    }
    if (!paintCoarser(painter, key, target)) {
        painter.fillRect(target, QBrush(m_widget.palette().color(QPalette::Mid), Qt::BDiagPattern));
    }
    paintFiner(painter, key);
}

/// A coarser tile that is there and holds all of `key`: the finest one, merged or not.
std::optional<TileKey> TilePainter::standIn(const TileKey &key) const
{
    // Cells that are wider than high are merged across where they are small, not down.
    const double stretch = m_geometry.cellWidth() / m_geometry.cellHeight();
    const int most = static_cast<int>(std::ceil(std::abs(std::log2(stretch))));
    for (int level = key.level; level <= m_loader.source()->maxLevel(); ++level) {
        for (int more = 0; more <= most; ++more) {
            TileKey coarser{level, 0, 0};
            (stretch < 1 ? coarser.across : coarser.down) = more;
            if (coarser.rowLevel() < key.rowLevel() || coarser.colLevel() < key.colLevel())
                continue;
            coarser.row = (key.firstRow() >> coarser.rowLevel()) / kTileSide;
            coarser.col = (key.firstCol() >> coarser.colLevel()) / kTileSide;
            if (coarser != key && m_loader.find(coarser))
                return coarser;
        }
    }
    return std::nullopt;
}

bool TilePainter::paintCoarser(QPainter &painter, const TileKey &key, const QRectF &target) const
{
    const auto coarser = standIn(key);
    if (!coarser)
        return false;
    const QSize pixels = m_loader.source()->tileSize(key);
    const auto along = [](std::uint64_t first, std::uint64_t ofCoarser, int level) {
        return std::ldexp(static_cast<double>(first - ofCoarser), -level);
    };
    const QRectF piece(along(key.firstCol(), coarser->firstCol(), coarser->colLevel()),
                       along(key.firstRow(), coarser->firstRow(), coarser->rowLevel()),
                       std::ldexp(pixels.width(), key.colLevel() - coarser->colLevel()),
                       std::ldexp(pixels.height(), key.rowLevel() - coarser->rowLevel()));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(target, m_loader.find(*coarser)->image, piece);
    return true;
}

/// After zooming out the previous tiles still show their part.
void TilePainter::paintFiner(QPainter &painter, const TileKey &key) const
{
    if (key.level == 0)
        return;
    for (std::uint64_t i = 0; i < 4; ++i) {
        const TileKey child{key.level - 1, 2 * key.row + i / 2, 2 * key.col + i % 2, key.across,
                            key.down};
        const Tile *tile = m_loader.find(child);
        if (!tile)
            continue;
        painter.setRenderHint(QPainter::SmoothPixmapTransform, true);
        painter.drawImage(tileRect(child), tile->image, QRectF(tile->image.rect()));
    }
}

void TilePainter::paintGrid(QPainter &painter) const
{
    QColor line = m_widget.palette().color(QPalette::Window);
    painter.setPen(QPen(line, 0));
    const TileSource &source = *m_loader.source();
    const auto [firstRow, endRow] =
        visibleCells(m_geometry.rowAt(0), m_geometry.rowAt(m_area.height()), source.rows());
    const auto [firstCol, endCol] =
        visibleCells(m_geometry.colAt(0), m_geometry.colAt(m_area.width()), source.cols());
    for (std::uint64_t col = firstCol; col <= endCol; ++col) {
        const double x = m_geometry.xOf(static_cast<double>(col));
        painter.drawLine(QPointF(x, 0), QPointF(x, m_area.height()));
    }
    for (std::uint64_t row = firstRow; row <= endRow; ++row) {
        const double y = m_geometry.yOf(static_cast<double>(row));
        painter.drawLine(QPointF(0, y), QPointF(m_area.width(), y));
    }
}

void TilePainter::paintCells(QPainter &painter, const TileKey &key, const Tile &tile) const
{
    if (m_geometry.scale() < kShapeScale)
        return;
    const std::uint64_t top = key.firstRow(), left = key.firstCol();
    const auto [firstRow, endRow] =
        visibleCells(m_geometry.rowAt(0), m_geometry.rowAt(m_area.height()),
                     top + static_cast<std::uint64_t>(tile.image.height()));
    const auto [firstCol, endCol] =
        visibleCells(m_geometry.colAt(0), m_geometry.colAt(m_area.width()),
                     left + static_cast<std::uint64_t>(tile.image.width()));
    const QFontMetricsF metrics(m_widget.font());
    const bool texts = m_geometry.cellWidth() >= metrics.horizontalAdvance(u"-0.00000"_s) &&
                       m_geometry.cellHeight() >= metrics.height() * 1.6;
    for (std::uint64_t row = std::max(firstRow, top); row < endRow; ++row) {
        for (std::uint64_t col = std::max(firstCol, left); col < endCol; ++col) {
            const int x = static_cast<int>(col - left), y = static_cast<int>(row - top);
            const std::size_t index =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(tile.image.width()) +
                static_cast<std::size_t>(x);
            const QRgb ground = tile.image.pixel(x, y);
            const QRectF rect = cellRect(row, col);
            const CellMark mark = index < tile.marks.size() ? tile.marks[index] : CellMark{};
            paintShape(painter, rect, mark, ground);
            if (!texts)
                continue;
            painter.setPen(
                inkOn(qAlpha(ground) < 128 ? m_widget.palette().base().color().rgb() : ground));
            // A number that is cut says another one.
            if (const QString text = m_loader.source()->cellText(tile, index);
                metrics.horizontalAdvance(text) <= m_geometry.cellWidth())
                painter.drawText(rect, Qt::AlignCenter, text);
        }
    }
}

void TilePainter::paintShape(QPainter &painter, const QRectF &cell, CellMark mark,
                             QRgb ground) const
{
    const double side = std::min(cell.width(), cell.height());
    const QColor ink =
        inkOn(qAlpha(ground) < 128 ? m_widget.palette().base().color().rgb() : ground);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    paintCellShape(painter, mark.shape, cell.center(), side / 6, ink,
                   m_widget.palette().color(QPalette::PlaceholderText));
    if (mark.changed) {
        painter.setBrush(Qt::NoBrush);
        const double width = std::clamp(side / 8, 1.0, theme::em(&m_widget, 0.15) + 0.0);
        QPen pen(theme::color(Token::MarkChanged, m_dark), width);
        pen.setJoinStyle(Qt::MiterJoin);
        painter.setPen(pen);
        painter.drawRect(cell.adjusted(width / 2, width / 2, -width / 2, -width / 2));
    }
    painter.restore();
}

void TilePainter::paintFrame(QPainter &painter, const Cell &cell, bool strong) const
{
    // A cell of less than a pixel still needs a frame that can be seen.
    QRectF rect = cellRect(cell.row, cell.col);
    const double small = 6;
    const QSizeF least(std::max(rect.width(), small), std::max(rect.height(), small));
    rect = QRectF(rect.center() - QPointF(least.width(), least.height()) / 2, least);
    if (!rect.intersects(QRectF(m_area)))
        return;
    const QPalette &palette = m_widget.palette();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette.color(QPalette::Base), strong ? 4 : 3));
    painter.drawRect(rect);
    painter.setPen(
        QPen(palette.color(strong ? QPalette::Highlight : QPalette::Text), strong ? 2 : 1));
    painter.drawRect(rect);
}

} // namespace kernscope::ui

#include "moc_tile_painter.cpp"
