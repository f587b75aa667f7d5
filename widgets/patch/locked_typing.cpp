// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/locked_typing.h"

#include "widgets/models/session.h"

#include <QAbstractItemView>
#include <QCoreApplication>
#include <QKeyEvent>

namespace kernscope::ui {

namespace {

struct LockedWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::LockedTyping)
};

} // namespace

LockedTyping::LockedTyping(QAbstractItemView &view, Session &session)
    : QObject(&view), m_session(session)
{
    view.installEventFilter(this);
}

bool LockedTyping::eventFilter(QObject *, QEvent *event)
{
    if (event->type() != QEvent::KeyPress || m_session.patchingEnabled())
        return false;
    const auto *press = static_cast<QKeyEvent *>(event);
    const bool typed = !press->text().isEmpty() && press->text().front().isPrint() &&
                       !(press->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    if (!typed && press->key() != Qt::Key_F2)
        return false;
    Q_EMIT m_session.statusMessage(
        LockedWords::tr("Locked: enable patching to change values (Ctrl+E)."));
    return true;
}

} // namespace kernscope::ui
