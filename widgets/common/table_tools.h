// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/row_table_model.h"

#include <QHeaderView>
#include <QIcon>
#include <QObject>
#include <QPainter>
#include <QStyleOptionViewItem>
#include <QWidget>

namespace kernscope::ui {

/// The current cell is the selected one, also where keys with Ctrl move it (with Shift they extend
/// the selection). Part of prepareView.
void keepOneChoice(QAbstractItemView *view);
/// What is typed into the cell in focus becomes its value, or is given up where it is none, which
/// is said: before anything is listed, written, or shown in its place.
void finishEditing();

/// Property of a header, a list of numbers: columns that are hidden because no row has them. What
/// the user hides is not among them.
inline constexpr char kAbsentColumns[] = "kernscopeAbsentColumns";

/// Hides the columns of the model that no row has, and shows those again that it hid before. A
/// table without rows shows all that the user has not hidden.
inline void hideAbsentColumns(QHeaderView &header, const RowTableModel &model)
{
    QVariantList absent;
    const QVariantList before = header.property(kAbsentColumns).toList();
    for (int column = 0; column < model.columnCount(); ++column) {
        const bool ours = before.contains(column);
        const bool none = model.rowCount() > 0 && model.isAbsent(column);
        if (none && (ours || !header.isSectionHidden(column)))
            absent << column;
        if (none || ours)
            header.setSectionHidden(column, none);
    }
    header.setProperty(kAbsentColumns, absent);
}

/// Draws the icon of a tree's cell in the margin before it, beside the line that marks the current
/// row: it takes no room from the text. `line`: where the text stands, between its top and bottom.
inline void paintMarginMark(QPainter *painter, const QStyleOptionViewItem &option,
                            const QModelIndex &index, const QRect &line)
{
    const QVariant mark = index.data(Qt::DecorationRole);
    if (!mark.isValid())
        return;
    const QSize size = option.decorationSize;
    const int gap = size.width() / 4;
    QRect place(QPoint(option.rect.left() - size.width() - gap, line.top()),
                QSize(size.width(), line.height()));
    if (option.direction == Qt::RightToLeft)
        place.moveLeft(option.rect.right() + 1 + gap);
    mark.value<QIcon>().paint(painter, place);
}

/// A sentence in the middle of a view as long as it has no row.
void sayWhenEmpty(QAbstractItemView *view, const QString &text);

class FactTreeModel;

/// A tree over facts that stand still, as all docks about hardware containers show them.
QTreeView *factView(QWidget *parent, FactTreeModel *model, const QString &accessibleName);
/// The same without branches, sortable: for facts that are a plain table.
QTreeView *factTable(QWidget *parent, FactTreeModel *model, const QString &accessibleName);

/// The last row of a table, its sums, held below it while the others scroll. Takes its columns'
/// widths and its sideways position from the table, where that row is hidden. The table keeps the
/// keyboard; its model may only be reset.
class TableFoot final : public QWidget
{
    Q_OBJECT

public:
    /// `name`: for screen readers.
    TableFoot(QTableView *table, const QString &name, QWidget *parent);

    QTableView &view() { return *m_view; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void adopt();
    void align();
    void alignColumn(int column, int width);

    QTableView *m_table = nullptr, *m_view = nullptr;
    int m_hidden = -1;           ///< row of the table that is hidden for it
    QWidget *m_corner = nullptr; ///< as wide as the table's scroll bar
};

} // namespace kernscope::ui
