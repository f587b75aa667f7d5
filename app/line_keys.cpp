// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/line_keys.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QUndoStack>

namespace kernscope::app {

LineKeys::LineKeys(QUndoStack &stack, QObject *parent) : QObject(parent), m_stack(stack)
{
    QCoreApplication::instance()->installEventFilter(this);
    connect(&stack, &QUndoStack::indexChanged, this, [this] { m_edited = nullptr; });
}

bool LineKeys::belongsToDocument(const QLineEdit &line, bool redo) const
{
    const bool ofLine = redo ? line.isRedoAvailable() : line.isUndoAvailable();
    const bool ofDocument = redo ? m_stack.canRedo() : m_stack.canUndo();
    return ofDocument && (!ofLine || m_edited != &line);
}

void LineKeys::onEdited()
{
    m_edited = qobject_cast<const QLineEdit *>(sender());
}

bool LineKeys::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::FocusIn)
        return false;
    const auto *line = qobject_cast<const QLineEdit *>(watched);
    if (line == nullptr)
        return false;
    // By what becomes of the text, not by keys: those of copying or leaving change nothing.
    connect(line, &QLineEdit::textEdited, this, &LineKeys::onEdited, Qt::UniqueConnection);
    if (event->type() == QEvent::FocusIn)
        return false;
    const auto *key = static_cast<QKeyEvent *>(event);
    const bool undo = key->matches(QKeySequence::Undo), redo = key->matches(QKeySequence::Redo);
    const bool ofDocument = (undo || redo) && belongsToDocument(*line, redo);
    const bool ofWindow = QApplication::activeModalWidget() == nullptr &&
                          key->modifiers() == Qt::ControlModifier &&
                          (key->key() == Qt::Key_E || key->key() == Qt::Key_K);
    if (!ofDocument && !ofWindow)
        return false;
    // Not the line's: the window's action follows.
    event->ignore();
    return true;
}

} // namespace kernscope::app

#include "moc_line_keys.cpp"
