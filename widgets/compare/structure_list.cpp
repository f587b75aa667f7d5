// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/structure_list.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

namespace kernscope::ui {

StructureList::StructureList(Session &session, RowTableModel *model, const QString &name,
                             const QString &fileName, QWidget *parent)
    : QWidget(parent), m_model(model)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::em(this, 0.3));
    m_table = new QTableView(this);
    m_table->setAccessibleName(name);
    m_table->setModel(model);
    prepareTable(m_table);
    m_filter = filterBox(this, tr("Filter by any word"), m_table);
    m_filter->setFixedWidth(theme::em(this, 16));
    m_note = new QLabel(this);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *row = new QHBoxLayout;
    row->setSpacing(theme::em(this, 0.6));
    row->addWidget(m_filter);
    row->addWidget(m_note, 1);
    column->addLayout(row);
    column->addWidget(m_table, 1);
    auto *copy = dockAction(m_table, tr("Copy Rows"), QKeySequence::Copy,
                            [this] { copySelection(*m_table); });
    m_table->addActions(
        {copy, exportAction(this, session, tr("Export Table\u2026"), *model, fileName)});
    connect(m_filter, &QLineEdit::textChanged, model, &RowTableModel::setFilter);
    setFocusProxy(m_table);
}

void StructureList::setNote(const QString &text)
{
    m_note->setText(text);
}

QString StructureList::note() const
{
    return m_note->text();
}

} // namespace kernscope::ui

#include "moc_structure_list.cpp"
