// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QStyledItemDelegate>

namespace kernscope::ui {

class PatchListModel;

/// Rows of the list of patches: a place, a note or an edit that is too long for its column goes on
/// in a second line, and such a row is higher than the others.
class PatchRows final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    /// Puts itself into the columns of `table` that hold texts.
    PatchRows(const PatchListModel &model, QTableView *table);

    /// What is shown of a text in a column `width` pixels wide: one line or two. Of an edit the
    /// second line begins with the index, of a place with the offset.
    static QStringList linesOf(const QString &text, std::string_view key,
                               const QFontMetrics &metrics, int width);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    /// A note is longer than its column: the line to edit it goes on over the columns beside it.
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                              const QModelIndex &index) const override;

    /// Heights of the rows, for the widths that the columns have now. Whether one changed.
    bool fitRows();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    int roomOf(int column) const;
    bool needsTwoLines(int row) const;
    void fitSoon();
    void fitInView();

    const PatchListModel &m_model;
    QTableView *m_table;
    QList<int> m_columns;
    bool m_fitting = false;
};

class EditLine;

/// What was changed, and the bytes it became; a line to add an edit by its text.
class PatchesDock : public Dock
{
    Q_OBJECT

public:
    explicit PatchesDock(Session &session, QWidget *parent = nullptr);

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
};

} // namespace kernscope::ui
