// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/cell_keys.h"

#include "widgets/common/dock_tools.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QKeyEvent>

#include <algorithm>

namespace kernscope::ui {

namespace {

/// Qt moves the current cell alone where Ctrl is held: the selection follows.
class OneChoice final : public QObject
{
public:
    explicit OneChoice(QAbstractItemView *view) : QObject(view), m_view(view)
    {
        view->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        const auto *press = static_cast<QKeyEvent *>(event);
        if (m_moving || event->type() != QEvent::KeyPress ||
            !(press->modifiers() & Qt::ControlModifier) || !moves(press->key()) ||
            m_view->selectionMode() != QAbstractItemView::ExtendedSelection)
            return false;
        const QModelIndex from = opposite();
        m_moving = true;
        static_cast<QObject *>(m_view)->event(event);
        m_moving = false;
        const QModelIndex now = m_view->currentIndex();
        if (press->modifiers() & Qt::ShiftModifier && from.isValid() &&
            from.parent() == now.parent()) {
            auto how = QItemSelectionModel::SelectionFlags(QItemSelectionModel::ClearAndSelect);
            if (m_view->selectionBehavior() == QAbstractItemView::SelectRows)
                how |= QItemSelectionModel::Rows;
            const auto [top, bottom] = std::minmax({from.row(), now.row()});
            const auto [left, right] = std::minmax({from.column(), now.column()});
            m_view->selectionModel()->select({now.sibling(top, left), now.sibling(bottom, right)},
                                             how);
        } else if (now.isValid()) {
            chooseRow(m_view, now);
        }
        return true;
    }

private:
    static bool moves(int key)
    {
        return key == Qt::Key_Home || key == Qt::Key_End || key == Qt::Key_Up ||
               key == Qt::Key_Down || key == Qt::Key_Left || key == Qt::Key_Right ||
               key == Qt::Key_PageUp || key == Qt::Key_PageDown;
    }
    /// The corner of the selection that Shift holds: the one that the current cell is not at.
    QModelIndex opposite() const
    {
        const QModelIndex now = m_view->currentIndex();
        for (const QItemSelectionRange &range : m_view->selectionModel()->selection()) {
            const bool rows = m_view->selectionBehavior() == QAbstractItemView::SelectRows;
            if (range.contains(now))
                return now.sibling(now.row() == range.top() ? range.bottom() : range.top(),
                                   rows                           ? now.column()
                                   : now.column() == range.left() ? range.right()
                                                                  : range.left());
        }
        return now;
    }

    QAbstractItemView *m_view;
    bool m_moving = false;
};

} // namespace

void keepOneChoice(QAbstractItemView *view)
{
    new OneChoice(view);
}

void finishEditing()
{
    QWidget *editor = QApplication::focusWidget();
    QWidget *viewport = editor ? editor->parentWidget() : nullptr;
    auto *view = viewport ? qobject_cast<QAbstractItemView *>(viewport->parentWidget()) : nullptr;
    if (view && view->viewport() == viewport)
        view->setFocus();
}

} // namespace kernscope::ui
