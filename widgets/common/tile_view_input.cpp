// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, keys and scroll bars of TileView.
#include "widgets/common/tile_view.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

/// Steps of a scroll bar at most: a picture may have more cells than an int can count.
constexpr double kBarSteps = 1 << 24;

void setBar(QScrollBar *bar, double first, double seen, double extent)
{
    const double factor = std::min(kBarSteps / extent, 256.0);
    const int steps = seen < extent ? static_cast<int>(std::lround((extent - seen) * factor)) : 0;
    bar->setRange(0, steps);
    if (steps == 0) // or what is out of view is less than a pixel
        return;
    bar->setPageStep(std::max(1, static_cast<int>(seen * factor)));
    bar->setSingleStep(std::max(1, bar->pageStep() / 10));
    bar->setValue(static_cast<int>(std::lround(first * factor)));
}

/// First cell in view that a scroll bar means.
double barCell(const QScrollBar *bar, double seen, double extent)
{
    return bar->maximum() == 0 ? 0 : (extent - seen) * bar->value() / bar->maximum();
}

std::uint64_t stepped(std::uint64_t at, std::int64_t by, std::uint64_t count)
{
    if (by < 0)
        return at - std::min(at, static_cast<std::uint64_t>(-by));
    return std::min(count - 1, at + static_cast<std::uint64_t>(by));
}

} // namespace

QWidget *TileView::createZoomButtons(QWidget *parent) const
{
    auto *box = new QWidget(parent);
    auto *layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(1);
    for (QAction *action : m_actions) {
        auto *button = new QToolButton(box);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setAccessibleName(action->text());
        layout->addWidget(button);
    }
    return box;
}

void TileView::updateScrollBars()
{
    const ViewGeometry geometry = geometryNow();
    const double rows = source() ? static_cast<double>(source()->rows()) : 0;
    const double cols = source() ? static_cast<double>(source()->cols()) : 0;
    // A picture that fits has none, even where the sizes of its cells were rounded up: with a bar
    // it would have another size, by which it needs none.
    const bool fits = m_state.fits();
    const double across = fits ? cols : viewport()->width() / geometry.cellWidth();
    const double down = fits ? rows : viewport()->height() / geometry.cellHeight();
    m_updatingBars = true;
    setBar(horizontalScrollBar(), geometry.colAt(0), across, cols);
    setBar(verticalScrollBar(), geometry.rowAt(0), down, rows);
    m_updatingBars = false;
}

void TileView::scrollContentsBy(int, int)
{
    if (m_updatingBars || !source())
        return;
    const ViewGeometry geometry = geometryNow();
    ViewState next = geometry.state();
    const double across = viewport()->width() / geometry.cellWidth();
    const double down = viewport()->height() / geometry.cellHeight();
    const double cols = static_cast<double>(source()->cols());
    const double rows = static_cast<double>(source()->rows());
    if (across < cols)
        next.centreCol = barCell(horizontalScrollBar(), across, cols) + across / 2;
    if (down < rows)
        next.centreRow = barCell(verticalScrollBar(), down, rows) + down / 2;
    moveTo(next);
}

void TileView::wheelEvent(QWheelEvent *event)
{
    const QPoint angle = event->angleDelta();
    if (event->modifiers() & Qt::ShiftModifier) {
        const int by = angle.x() != 0 ? angle.x() : angle.y();
        moveTo(geometryNow().panned(QPointF(-by / 2.0, 0)));
    } else if (angle.y() != 0) {
        // Touchpads send many small turns: a zoom step takes as much as a notch of a wheel.
        m_wheelRest += angle.y();
        for (; std::abs(m_wheelRest) >= QWheelEvent::DefaultDeltasPerStep;
             m_wheelRest -= (m_wheelRest > 0 ? 1 : -1) * QWheelEvent::DefaultDeltasPerStep)
            zoomBy(m_wheelRest > 0 ? 2 : 0.5, event->position());
    }
    event->accept();
}

void TileView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    if (m_brush && event->button() == Qt::LeftButton) {
        const auto cell = cellAt(event->pos());
        if (cell && brushHasRoom())
            beginStroke(*cell);
        else if (cell)
            Q_EMIT strokeRefused();
        return;
    }
    m_pressed = true;
    m_dragging = false;
    m_pressedAt = m_draggedTo = event->pos();
}

void TileView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_stroking) {
        if (const auto cell = cellAt(event->pos()))
            extendStroke(*cell);
        return;
    }
    if (m_pressed) {
        const bool far =
            (event->pos() - m_pressedAt).manhattanLength() >= QApplication::startDragDistance();
        if (!m_dragging && far) {
            m_dragging = true;
            viewport()->setCursor(Qt::ClosedHandCursor);
        }
        if (m_dragging) {
            moveTo(geometryNow().panned(QPointF(m_draggedTo - event->pos())));
            m_draggedTo = event->pos();
        }
        return;
    }
    const std::optional<Cell> cell = cellAt(event->pos());
    if (cell == m_hovered)
        return;
    m_hovered = cell;
    viewport()->update();
    if (cell)
        Q_EMIT cellHovered(cell->row, cell->col);
    else
        Q_EMIT hoverLeft();
}

void TileView::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_stroking && event->button() == Qt::LeftButton) {
        endStroke(true);
        return;
    }
    const bool click = m_pressed && !m_dragging && event->button() == Qt::LeftButton;
    m_pressed = m_dragging = false;
    viewport()->setCursor(m_brush ? Qt::CrossCursor : Qt::ArrowCursor);
    if (!click)
        return;
    if (const auto cell = cellAt(event->pos())) {
        pickCell(*cell);
        Q_EMIT cellClicked(cell->row, cell->col);
    }
}

void TileView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const auto cell = cellAt(event->pos());
    if (!cell || event->button() != Qt::LeftButton)
        return;
    pickCell(*cell);
    Q_EMIT cellActivated(cell->row, cell->col);
}

bool TileView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave && m_hovered) {
        m_hovered.reset();
        viewport()->update();
        Q_EMIT hoverLeft();
    }
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        if (const auto cell = cellAt(help->pos()))
            QToolTip::showText(help->globalPos(), describe(*cell), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

bool TileView::moveCursor(QKeyEvent *event)
{
    const std::uint64_t rows = source()->rows(), cols = source()->cols();
    if (rows == 0 || cols == 0)
        return false;
    Cell cell = m_current.value_or(Cell{});
    const bool far = event->modifiers() & Qt::ControlModifier;
    const auto page = static_cast<std::int64_t>(
        std::clamp(viewport()->height() / geometryNow().cellHeight(), 1.0, 1e15));
    switch (event->key()) {
    case Qt::Key_Left: cell.col = m_current ? stepped(cell.col, -1, cols) : 0; break;
    case Qt::Key_Right: cell.col = m_current ? stepped(cell.col, 1, cols) : 0; break;
    case Qt::Key_Up: cell.row = m_current ? stepped(cell.row, -1, rows) : 0; break;
    case Qt::Key_Down: cell.row = m_current ? stepped(cell.row, 1, rows) : 0; break;
    case Qt::Key_PageUp: cell.row = stepped(cell.row, -page, rows); break;
    case Qt::Key_PageDown: cell.row = stepped(cell.row, page, rows); break;
    case Qt::Key_Home:
        cell.col = 0;
        cell.row = far ? 0 : cell.row;
        break;
    case Qt::Key_End:
        cell.col = cols - 1;
        cell.row = far ? rows - 1 : cell.row;
        break;
    default: return false;
    }
    pickCell(cell);
    return true;
}

bool TileView::panByKey(QKeyEvent *event)
{
    const double step = 40;
    switch (event->key()) {
    case Qt::Key_Left: moveTo(geometryNow().panned({-step, 0})); return true;
    case Qt::Key_Right: moveTo(geometryNow().panned({step, 0})); return true;
    case Qt::Key_Up: moveTo(geometryNow().panned({0, -step})); return true;
    case Qt::Key_Down: moveTo(geometryNow().panned({0, step})); return true;
    default: return false;
    }
}

void TileView::keyPressEvent(QKeyEvent *event)
{
    if (!source()) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    if (m_stroking && event->key() == Qt::Key_Escape) {
        endStroke(false);
        return;
    }
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    bool used = shift ? panByKey(event) : moveCursor(event);
    if (!used && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_current) {
        Q_EMIT cellActivated(m_current->row, m_current->col);
        used = true;
    }
    if (!used && (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)) {
        zoomIn(); // '+' without Shift on layouts where it shares a key with '='
        used = true;
    }
    if (!used)
        QAbstractScrollArea::keyPressEvent(event);
}

} // namespace kernscope::ui
