// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/structure_table.h"
#include "widgets/common/row_table_model.h"
#include "widgets/common/session.h"
#include "widgets/common/task_manager.h"

#include <QList>
#include <QStackedWidget>
#include <QWidget>

#include <memory>
#include <vector>

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

class QAction;

namespace kernscope::ui {

class Segmented;

/// The pages of a comparison: the values, which its owner fills; operations that differ; files,
/// sections, tasks and registers.
class ComparePages : public QStackedWidget
{
    Q_OBJECT

public:
    enum class Page : std::uint8_t { Values, Program, Structure };

    explicit ComparePages(Session &session);
    void setValues(QWidget *values);

    /// Buttons for the pages, and the same as actions.
    Segmented *makeSwitch(QWidget *parent);
    QList<QAction *> actions() const { return m_actions; }
    void showPage(Page page);

    /// What is compared. The rows of the structure are made where they are first on view.
    void setBundles(BundlePtr a, BundlePtr b, std::vector<PairChoice> pairs, bool documentIsB);
    /// What the files say; null: not known yet.
    void showProgram(const std::shared_ptr<const Difference> &files);

    StructureList *program() const { return m_program; }
    StructureList *structure() const { return m_structure; }
    bool working() const { return m_task && !m_task->progress().cancelled(); }

Q_SIGNALS:
    void pageShown(kernscope::ui::ComparePages::Page page);

private:
    void findStructure();
    void goToChange(const ProgramChange &change);

    Session &m_session;
    StructureList *m_program = nullptr, *m_structure = nullptr;
    RowTable<report::ProgramChangeFacts> *m_programModel = nullptr;
    RowTable<report::StructureFacts> *m_structureModel = nullptr;
    QList<QAction *> m_actions;
    BundlePtr m_a, m_b;
    std::vector<PairChoice> m_pairs;
    bool m_documentIsB = false, m_structureKnown = false;
    TaskPtr m_task;
};

} // namespace kernscope::ui
