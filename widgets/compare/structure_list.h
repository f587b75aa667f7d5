// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/row_table_model.h"
#include "widgets/common/session.h"

#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;
class QTableView;

namespace kernscope::ui {

/// A page of the comparison beside the values: what differs as a table, under a filter and a line
/// that says how much there is.
class StructureList : public QWidget
{
    Q_OBJECT

public:
    StructureList(Session &session, RowTableModel *model, const QString &name,
                  const QString &fileName, QWidget *parent = nullptr);

    void setNote(const QString &text);
    QString note() const;
    QTableView *table() const { return m_table; }
    QLineEdit *filter() const { return m_filter; }

private:
    RowTableModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QLineEdit *m_filter = nullptr;
    QLabel *m_note = nullptr;
};

} // namespace kernscope::ui
