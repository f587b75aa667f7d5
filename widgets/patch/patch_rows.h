// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

class QFontMetrics;
class QTableView;

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

} // namespace kernscope::ui
