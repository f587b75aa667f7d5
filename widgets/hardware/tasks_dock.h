// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/hardware/hardware_facts.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

class ListSplitter;

/// The task descriptors of a hardware container: a list, and of the chosen one its registers by
/// block, its words, and what differs from another task.
class TasksDock final : public Dock
{
    Q_OBJECT

public:
    explicit TasksDock(Session &session, QWidget *parent = nullptr);

    TaskListModel &list() { return *m_list; }
    FactTreeModel &registers() { return *m_registers; }
    FactTreeModel &words() { return *m_words; }
    FactTreeModel &differences() { return *m_differences; }
    QTreeView &registerView() { return *m_registerView; }
    QTableView &table() { return *m_table; }
    QSpinBox &otherTask() { return *m_other; }
    /// The task shown, as read; kNoIndex where none is.
    std::size_t task() const { return m_task; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void fitList(std::size_t tasks);
    QWidget *buildList(QWidget *parent);
    QWidget *buildDetail(QWidget *parent);
    QTreeView *buildTree(QWidget *parent, FactTreeModel *model, const QString &name);
    void buildActions();
    void readTasks();
    void clear();
    void showTask(std::size_t task);
    void compareWithOther();
    void askForValue();
    void pick(const FactTreeModel &model, const QModelIndex &index);
    void select(QTreeView *view, const QModelIndex &index);
    TaskRow rowOf(std::size_t task) const;

    Job m_job{session().tasks(), this};
    BundlePtr m_shown;
    std::size_t m_task = kNoIndex;
    TaskListModel *m_list = nullptr;
    FactTreeModel *m_registers = nullptr, *m_words = nullptr, *m_differences = nullptr;
    QLineEdit *m_filter = nullptr, *m_detailFilter = nullptr;
    ListSplitter *m_splitter = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_summary = nullptr, *m_answer = nullptr;
    QTabWidget *m_tabs = nullptr;
    QTreeView *m_registerView = nullptr, *m_wordView = nullptr, *m_differenceView = nullptr;
    QSpinBox *m_other = nullptr;
    QAction *m_again = nullptr;
};

} // namespace kernscope::ui
