// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

class QLineEdit;
class QUndoStack;

namespace kernscope::app {

/// Whose key is it while a line of text has the focus? A line takes the keys of undo and redo for
/// its own text, also where it has nothing to undo, or where a step of the document came after the
/// last letter: this gives them to whichever changed last. On X11 it takes Ctrl+E and Ctrl+K as
/// well, to move to its end and to delete up to it, which the menus have for patching and for the
/// search: these are the window's, unless a dialog is open.
class LineKeys final : public QObject
{
    Q_OBJECT

public:
    /// Watches the whole application.
    LineKeys(QUndoStack &stack, QObject *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void onEdited(); ///< of the line that sends
    /// Ctrl+Z (or the keys of redo): the document has a step, and the line none that came later.
    bool belongsToDocument(const QLineEdit &line, bool redo) const;

    QUndoStack &m_stack;
    QPointer<const QLineEdit> m_edited; ///< since the document's last step
};

} // namespace kernscope::app
