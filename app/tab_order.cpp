// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tab_order.h"

#include "widgets/common/dock.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>

namespace kernscope::app {

namespace {

/// Its dock stands behind the tab of another: what lies there is not seen.
bool standsBehind(const QWidget *widget)
{
    for (; widget; widget = widget->parentWidget()) {
        if (const auto *dock = qobject_cast<const ui::Dock *>(widget))
            return !dock->onView();
    }
    return false;
}

/// Which link of a text is marked, as far as one can tell.
int linkOf(const QWidget *widget)
{
    const auto *label = qobject_cast<const QLabel *>(widget);
    return label && label->hasSelectedText() ? label->selectionStart() : -1;
}

} // namespace

TabOrder::TabOrder(QWidget *window) : QObject(window), m_window(window)
{
    qApp->installEventFilter(this);
}

bool TabOrder::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress || m_handling)
        return false;
    auto *key = static_cast<QKeyEvent *>(event);
    if (key->key() != Qt::Key_Tab && key->key() != Qt::Key_Backtab)
        return false;
    auto *widget = qobject_cast<QWidget *>(watched);
    if (!widget || widget != QApplication::focusWidget() || widget->window() != m_window)
        return false;
    m_handling = true;
    handle(widget, key);
    m_handling = false;
    return true;
}

void TabOrder::handle(QWidget *widget, QKeyEvent *event) const
{
    const bool forward = event->key() == Qt::Key_Tab;
    const int link = linkOf(widget);
    QCoreApplication::sendEvent(widget, event);
    QWidget *now = QApplication::focusWidget();
    if (!now || now->window() != m_window)
        return;
    const bool stays =
        now == widget && !forward && qobject_cast<QLabel *>(now) != nullptr && linkOf(now) == link;
    if (stays || (now != widget && standsBehind(now)))
        moveOn(now, forward);
}

bool TabOrder::takes(const QWidget *widget) const
{
    return (widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus && !widget->focusProxy() &&
           widget->isVisibleTo(m_window) && widget->isEnabled() && widget->window() == m_window &&
           !standsBehind(widget);
}

void TabOrder::moveOn(QWidget *from, bool forward) const
{
    const auto after = [forward](QWidget *widget) {
        return forward ? widget->nextInFocusChain() : widget->previousInFocusChain();
    };
    for (QWidget *next = after(from); next && next != from; next = after(next)) {
        if (takes(next)) {
            next->setFocus(forward ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return;
        }
    }
}

} // namespace kernscope::app

#include "moc_tab_order.cpp"
