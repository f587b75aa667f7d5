// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/tile_view.h"

#include "widgets/common/theme.h"
#include "widgets/common/tile_loader.h"
#include "widgets/common/tile_painter.h"

#include <QAccessible>
#include <QAction>
#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace kernscope::ui {

namespace {

/// Next zoom step: powers of two, then also the halves between them.
double zoomStep(double scale, bool in)
{
    static constexpr double kSteps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    if (in) {
        for (const double step : kSteps) {
            if (step > scale * 1.01 && scale >= 0.75)
                return step;
        }
        return scale < 0.75 && scale * 2 > 0.75 ? 1 : scale * 2;
    }
    for (auto it = std::rbegin(kSteps); it != std::rend(kSteps); ++it) {
        if (*it < scale * 0.99)
            return *it;
    }
    return scale / 2;
}

} // namespace

TileView::TileView(TaskManager &tasks, QWidget *parent)
    : QAbstractScrollArea(parent), m_loader(new TileLoader(tasks, this)),
      m_down(new TileRuler(Qt::Vertical, this)), m_across(new TileRuler(Qt::Horizontal, this))
{
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setMinimumSize(theme::em(this, 6), theme::em(this, 3));
    const auto add = [this](const QString &text, const QKeySequence &key, const QString &icon,
                            void (TileView::*slot)()) {
        auto *action = new QAction(text, this);
        action->setIconText(icon);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        action->setToolTip(tr("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
        connect(action, &QAction::triggered, this, slot);
        addAction(action);
        m_actions.append(action);
    };
    add(tr("Zoom In"), QKeySequence(Qt::Key_Plus), QStringLiteral("+"), &TileView::zoomIn);
    add(tr("Zoom Out"), QKeySequence(Qt::Key_Minus), QStringLiteral("\u2212"), &TileView::zoomOut);
    add(tr("Fit Picture"), QKeySequence(Qt::Key_0), tr("Fit"), &TileView::fit);
    connect(m_loader, &TileLoader::tilesLost, this, &TileView::refreshWanted);
    connect(m_loader, &TileLoader::tileReady, this, [this] {
        viewport()->update();
        refreshWanted();
        announceCell();
        if (!loading())
            Q_EMIT loaded();
    });
}

void TileView::setSource(TileSourcePtr source, bool keepPosition)
{
    m_loader->setSource(std::move(source));
    if (!keepPosition) {
        m_state = {};
        m_current.reset();
    }
    m_hovered.reset();
    updateScrollBars();
    updateRulers();
    refreshWanted();
    viewport()->update();
}

void TileView::setAxes(TileAxis down, TileAxis across)
{
    m_down->setAxis(std::move(down));
    m_across->setAxis(std::move(across));
    setViewportMargins(m_down->thickness(), 0, 0, m_across->thickness());
    updateRulers();
}

void TileView::updateRulers()
{
    const QRect area = viewport()->geometry();
    const int left = m_down->thickness();
    const ViewGeometry geometry = geometryNow();
    // A picture that is smaller than the view has its rulers at its edges.
    const int before = std::max(0, static_cast<int>(geometry.xOf(0)));
    const double end = geometry.yOf(source() ? static_cast<double>(source()->rows()) : 0);
    const int after = std::max(0, area.height() - static_cast<int>(std::ceil(end)));
    m_down->setGeometry(area.left() - left + before, area.top(), left, area.height());
    m_across->setGeometry(area.left() - left, area.bottom() + 1 - after, area.width() + left,
                          m_across->thickness());
    m_down->raise();
    m_across->raise();
    m_down->showGeometry(geometry, 0);
    m_across->showGeometry(geometry, left);
}

const TileSourcePtr &TileView::source() const
{
    return m_loader->source();
}

void TileView::setViewState(const ViewState &state)
{
    m_state = state;
    updateScrollBars();
    updateRulers();
    refreshWanted();
    viewport()->update();
}

void TileView::share(TileView *a, TileView *b)
{
    connect(a, &TileView::viewStateChanged, b, &TileView::setViewState);
    connect(b, &TileView::viewStateChanged, a, &TileView::setViewState);
}

ViewGeometry TileView::geometryNow() const
{
    const TileSource *shown = source().get();
    return {m_state,
            QSizeF(viewport()->size()),
            viewport()->devicePixelRatioF(),
            shown ? shown->rows() : 0,
            shown ? shown->cols() : 0,
            m_mostStretch};
}

void TileView::setMostStretch(double most)
{
    m_mostStretch = most;
    setViewState(m_state);
}

void TileView::moveTo(const ViewState &state)
{
    if (state == m_state)
        return;
    setViewState(state);
    Q_EMIT viewStateChanged(m_state);
}

void TileView::zoomBy(double factor, QPointF anchor)
{
    const ViewGeometry geometry = geometryNow();
    const double to =
        factor > 1 ? zoomStep(geometry.scale(), true) : zoomStep(geometry.scale(), false);
    if (to < geometry.minScale() * 0.999)
        return;
    moveTo(geometry.zoomed(to, anchor));
}

/// About the cell cursor where it is in view, which then stays so.
void TileView::zoomAboutCursor(double factor)
{
    const QRectF area(viewport()->rect());
    const QPointF cursor =
        m_current ? geometryNow().centreOf(m_current->row, m_current->col) : QPointF(-9, -9);
    if (!area.adjusted(-1, -1, 1, 1).contains(cursor)) {
        zoomBy(factor, area.center());
        return;
    }
    zoomBy(factor, cursor);
    if (!m_state.fits())
        moveTo(geometryNow().revealing(m_current->row, m_current->col));
}

void TileView::zoomIn()
{
    zoomAboutCursor(2);
}

void TileView::zoomOut()
{
    zoomAboutCursor(0.5);
}

void TileView::fit()
{
    moveTo(ViewState{});
}

bool TileView::loading() const
{
    return m_loader->busy();
}

void TileView::refreshWanted()
{
    if (!source())
        return;
    const ViewGeometry geometry = geometryNow();
    const TilePainter painter(*m_loader, geometry, *viewport());
    std::vector<TileKey> keys = painter.visibleTiles();
    std::erase_if(keys, [this](const TileKey &key) { return m_loader->find(key) != nullptr; });
    m_loader->want(painter.coarseFirst(std::move(keys)));
}

void TileView::setCurrentCell(std::optional<Cell> cell)
{
    const TileSource *shown = source().get();
    if (cell && (!shown || cell->row >= shown->rows() || cell->col >= shown->cols()))
        cell.reset();
    m_current = cell;
    if (cell && !m_state.fits())
        moveTo(geometryNow().revealing(cell->row, cell->col));
    announceCell();
    viewport()->update();
}

void TileView::announceCell()
{
    const QString text = m_current ? describe(*m_current) : QString();
    if (text == accessibleDescription())
        return;
    setAccessibleDescription(text);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

QString TileView::describe(const Cell &cell) const
{
    if (!source())
        return {};
    const TileKey key{0, cell.row / kTileSide, cell.col / kTileSide};
    const Tile *tile = m_loader->find(key);
    std::size_t index = 0;
    if (tile) {
        index = static_cast<std::size_t>((cell.row % kTileSide) *
                                             static_cast<std::uint64_t>(tile->image.width()) +
                                         cell.col % kTileSide);
    }
    if (m_describe)
        return m_describe(cell, tile, index);
    const QString place = tr("row %1, column %2").arg(cell.row).arg(cell.col);
    const QString text = tile ? source()->cellText(*tile, index) : QString();
    return text.isEmpty() ? place : tr("%1: %2").arg(place, text);
}

QRect TileView::cellRect(const Cell &cell) const
{
    const ViewGeometry geometry = geometryNow();
    const double row = static_cast<double>(cell.row), col = static_cast<double>(cell.col);
    return QRectF(QPointF(geometry.xOf(col), geometry.yOf(row)),
                  QPointF(geometry.xOf(col + 1), geometry.yOf(row + 1)))
        .toAlignedRect();
}

std::optional<Cell> TileView::cellAt(QPoint position) const
{
    const TileSource *shown = source().get();
    if (!shown)
        return std::nullopt;
    const ViewGeometry geometry = geometryNow();
    const double row = geometry.rowAt(position.y()), col = geometry.colAt(position.x());
    if (row < 0 || col < 0 || row >= static_cast<double>(shown->rows()) ||
        col >= static_cast<double>(shown->cols()))
        return std::nullopt;
    return Cell{static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)};
}

void TileView::pickCell(const Cell &cell)
{
    if (m_current == cell)
        return;
    setCurrentCell(cell);
    Q_EMIT currentCellChanged(cell.row, cell.col);
}

void TileView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    const ViewGeometry geometry = geometryNow();
    TilePainter(*m_loader, geometry, *viewport()).paint(painter, m_current, m_hovered, hasFocus());
    if (m_stroking)
        drawStroke(painter);
}

void TileView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
    updateRulers();
    refreshWanted();
}

void TileView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        viewport()->update();
}

} // namespace kernscope::ui

#include "moc_tile_view.cpp"
