// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/dock.h"

#include <QList>

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QTableView;

namespace kernscope::ui {

class FormatsModel;

/// The kernel-format enum as a table: searchable, with every column of the facts, and the rule that
/// refuses a format on the chosen descriptor version. It needs no bundle.
class FormatsDock final : public Dock
{
    Q_OBJECT

public:
    explicit FormatsDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    FormatsModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    QLineEdit &filter() { return *m_filter; }
    QSpinBox &version() { return *m_version; }
    QString explanation() const;

protected:
    void refresh() override;

private:
    void buildChoosers(QWidget *parent);
    void buildActions();
    void choose();
    void explain();

    FormatsModel *m_model = nullptr;
    QLineEdit *m_filter = nullptr;
    QSpinBox *m_version = nullptr, *m_vector = nullptr, *m_codebooks = nullptr;
    QComboBox *m_e4m3 = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_rules = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
