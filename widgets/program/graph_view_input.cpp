// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of GraphView.
#include "widgets/program/graph_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace kernscope::ui {

void GraphView::wheelEvent(QWheelEvent *event)
{
    constexpr double kEighthsOfAStep = 120;
    const double steps = event->angleDelta().y() / kEighthsOfAStep;
    if (m_scene && steps != 0)
        setZoom(m_zoom * std::pow(1.2, steps), event->position());
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = true;
    m_dragging = false;
    m_pressedAt = m_draggedTo = event->position().toPoint();
}

void GraphView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    if (!m_pressed) {
        viewport()->setCursor(unitAt(event->position()) == graph::kNone ? Qt::ArrowCursor
                                                                        : Qt::PointingHandCursor);
        return;
    }
    if (!m_dragging && (at - m_pressedAt).manhattanLength() < QApplication::startDragDistance())
        return;
    m_dragging = m_moved = true;
    viewport()->setCursor(Qt::ClosedHandCursor);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - (at - m_draggedTo).x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - (at - m_draggedTo).y());
    m_draggedTo = at;
}

void GraphView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    m_pressed = false;
    viewport()->unsetCursor();
    const std::size_t unit = m_dragging ? graph::kNone : unitAt(event->position());
    m_dragging = false;
    if (unit == graph::kNone)
        return;
    setCurrent(unit);
    Q_EMIT picked(unit);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const std::size_t unit = unitAt(event->position());
    if (event->button() == Qt::LeftButton && unit != graph::kNone)
        Q_EMIT activated(unit);
}

void GraphView::keyPressEvent(QKeyEvent *event)
{
    if (!m_scene || m_scene->boxes.empty())
        return QAbstractScrollArea::keyPressEvent(event);
    QPointF direction;
    switch (event->key()) {
    case Qt::Key_Left: direction = {-1, 0}; break;
    case Qt::Key_Right: direction = {1, 0}; break;
    case Qt::Key_Up: direction = {0, -1}; break;
    case Qt::Key_Down: direction = {0, 1}; break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomIn();
    case Qt::Key_Minus: return zoomOut();
    case Qt::Key_Home: return fit();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current != graph::kNone)
            Q_EMIT activated(m_current);
        return;
    default: return QAbstractScrollArea::keyPressEvent(event);
    }
    if (event->modifiers() & ~Qt::KeypadModifier)
        return QAbstractScrollArea::keyPressEvent(event);
    const std::size_t next = m_current == graph::kNone ? 0 : m_scene->towards(m_current, direction);
    if (next == graph::kNone)
        return;
    setCurrent(next);
    Q_EMIT picked(next);
}

bool GraphView::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const std::size_t unit = unitAt(help->pos());
    if (unit == graph::kNone)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), m_scene->boxes[unit].tip, viewport());
    return true;
}

} // namespace kernscope::ui
