// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

class QLineEdit;
class QUndoStack;

namespace kernscope::app {

/// Whose Ctrl+Z is it while a line of text has the focus? A line takes the keys of undo and redo
/// for its own text, also where it has nothing to undo, or where a step of the document came after
/// the last letter. This gives them to whichever changed last.
class UndoKeys final : public QObject
{
    Q_OBJECT

public:
    /// Watches the whole application.
    UndoKeys(QUndoStack &stack, QObject *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool belongsToDocument(const QLineEdit &line, bool redo) const;

    QUndoStack &m_stack;
    QPointer<const QLineEdit> m_typed; ///< since the document's last step
};

} // namespace kernscope::app
