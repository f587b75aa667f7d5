// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QList>

class QAction;
class QPlainTextEdit;
class QSplitter;
class QTableView;

namespace kernscope::ui {

class EditLine;
class PatchListModel;
class PatchRows;

/// What was changed, and the bytes it became; a line to add an edit by its text.
class PatchesDock : public Dock
{
    Q_OBJECT

public:
    explicit PatchesDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    /// Puts the cursor into the line for a new edit of that kind, begun with the cell that is
    /// selected.
    void beginEdit(Edit::Kind kind = Edit::Kind::Set);
    /// Begins an edit that takes the values of the chosen weight from a file, and asks for it.
    void importValues();
    /// Writes the active patches as a file for other copies of the bundle; a task.
    void exportTo(const QString &path);

Q_SIGNALS:
    /// Undo or redo: the undo stack is to go to this index. Large steps take time, so that the
    /// document does it.
    void stepWanted(int index);
    /// The edit of this row of Session::patches() is to be switched.
    void switchWanted(std::size_t row, bool on);
    void noteWritten(std::size_t row, const QString &note);

protected:
    void refresh() override;

private:
    QWidget *buildList();
    void buildActions();
    void showPatches();
    void showBytes();
    void jump();
    void copyText(const QString &text, const QString &what);
    void editNote();
    void askAndExport();

    PatchListModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    PatchRows *m_rows = nullptr;
    QPlainTextEdit *m_bytes = nullptr;
    EditLine *m_line = nullptr;
    QAction *m_copy = nullptr, *m_jump = nullptr, *m_copyCommand = nullptr, *m_copyScript = nullptr,
            *m_export = nullptr, *m_note = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
