// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QTableView;

namespace kernscope::ui {

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
