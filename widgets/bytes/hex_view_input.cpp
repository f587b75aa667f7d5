// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

// Mouse, wheel and keys of the hex view.
namespace kernscope::ui {

std::optional<std::uint64_t> HexView::byteAt(const QPoint &pos) const
{
    const double y = pos.y() - headerHeight();
    const auto hit = m_layout.exactHitAt(pos.x() + horizontalScrollBar()->value());
    if (y < 0 || !hit)
        return std::nullopt;
    const std::uint64_t row = m_topRow + static_cast<std::uint64_t>(y / m_layout.rowHeight());
    const std::uint64_t offset =
        row * static_cast<std::uint64_t>(m_bytesPerRow) + static_cast<std::uint64_t>(hit->column);
    return row < rows() && offset < size() ? std::optional(offset) : std::nullopt;
}

/// For dragging: the byte of the nearest cell, also of the rows just outside.
std::uint64_t HexView::nearestByte(const QPoint &pos)
{
    const double row = std::floor((pos.y() - headerHeight()) / m_layout.rowHeight());
    const auto hit = m_layout.hitAt(pos.x() + horizontalScrollBar()->value());
    if (!m_dragging)
        m_inText = hit.text;
    const auto below = static_cast<std::uint64_t>(std::max(row, 0.0));
    const auto above = static_cast<std::uint64_t>(std::max(-row, 0.0));
    std::uint64_t at = m_topRow + std::min(below, visibleRows());
    at = std::min(at - std::min(at, above), rows() - 1);
    const std::uint64_t offset =
        at * static_cast<std::uint64_t>(m_bytesPerRow) + static_cast<std::uint64_t>(hit.column);
    return std::min(offset, size() - 1);
}

void HexView::mousePressEvent(QMouseEvent *event)
{
    if (size() == 0 || event->position().y() < headerHeight())
        return;
    // The menu of a right click means the selection that is there.
    const auto under = byteAt(event->position().toPoint());
    const bool keep =
        event->button() == Qt::RightButton && under && selection().contains(FileOffset(*under));
    if (event->button() == Qt::MiddleButton || keep)
        return;
    const std::uint64_t offset = nearestByte(event->position().toPoint());
    m_dragging = event->button() == Qt::LeftButton;
    moveCursor(offset, event->modifiers() & Qt::ShiftModifier);
}

void HexView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_dragging)
        moveCursor(nearestByte(event->position().toPoint()), true);
}

void HexView::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_dragging || event->button() != Qt::LeftButton)
        return;
    m_dragging = false;
    m_rest.stop();
    Q_EMIT picked(selection());
}

void HexView::wheelEvent(QWheelEvent *event)
{
    if (std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y())) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    m_wheelRest += event->angleDelta().y() / 120.0 * 3;
    const double whole = std::trunc(m_wheelRest);
    m_wheelRest -= whole;
    const auto by = static_cast<std::uint64_t>(std::abs(whole));
    scrollToRow(whole < 0 ? m_topRow + by : m_topRow - std::min(m_topRow, by));
    event->accept();
}

bool HexView::moveByKey(QKeyEvent *event)
{
    const auto perRow = static_cast<std::uint64_t>(m_bytesPerRow);
    const std::uint64_t last = size() - 1, column = m_cursor % perRow;
    const std::uint64_t page = visibleRows() * perRow;
    const bool whole = event->modifiers() & Qt::ControlModifier;
    const auto ahead = [this, last](std::uint64_t by) {
        return by <= last - m_cursor ? m_cursor + by : last;
    };
    std::uint64_t to = m_cursor;
    switch (event->key()) {
    case Qt::Key_Left: to = m_cursor > 0 ? m_cursor - 1 : 0; break;
    case Qt::Key_Right: to = ahead(1); break;
    case Qt::Key_Up: to = m_cursor >= perRow ? m_cursor - perRow : m_cursor; break;
    case Qt::Key_Down: to = m_cursor / perRow < last / perRow ? ahead(perRow) : m_cursor; break;
    case Qt::Key_PageUp:
        to = m_cursor >= page ? m_cursor - page : column;
        scrollToRow(m_topRow - std::min(m_topRow, visibleRows()));
        break;
    case Qt::Key_PageDown:
        to = ahead(page);
        scrollToRow(m_topRow + visibleRows());
        break;
    case Qt::Key_Home: to = whole ? 0 : m_cursor - column; break;
    case Qt::Key_End: to = whole ? last : ahead(perRow - 1 - column); break;
    default: return false;
    }
    moveCursor(to, event->modifiers() & Qt::ShiftModifier);
    m_rest.start();
    return true;
}

void HexView::keyPressEvent(QKeyEvent *event)
{
    const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
    const bool plain = !(modifiers & (Qt::AltModifier | Qt::MetaModifier));
    if (size() == 0 || !plain) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        m_rest.stop();
        Q_EMIT picked(selection());
    } else if (event->matches(QKeySequence::SelectAll)) {
        selectAll();
    } else if (event->key() == Qt::Key_Escape && m_anchor != m_cursor) {
        moveCursor(m_cursor, false);
    } else if (!moveByKey(event)) {
        if (!event->text().isEmpty() && event->text().front().isLetterOrNumber() &&
            !(modifiers & Qt::ControlModifier))
            Q_EMIT typed(event->text().front());
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    event->accept();
}

bool HexView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const auto offset = byteAt(help->pos());
        QToolTip::showText(help->globalPos(), offset ? tipAt(*offset) : QString(), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace kernscope::ui
