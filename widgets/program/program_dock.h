// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/program_model.h"
#include "widgets/models/task_manager.h"

#include <filesystem>
#include <memory>
#include <vector>

class QAction;
class QLabel;
class QLineEdit;

namespace kernscope::ui {

class ProgramView;

/// The program as text: functions and blocks fold, a value leads to the row that makes it, a weight
/// to its values; a row tells who reads what it makes.
class ProgramDock final : public Dock
{
    Q_OBJECT

public:
    explicit ProgramDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    ProgramModel &model() { return *m_model; }
    ProgramView &view() { return *m_view; }
    QLineEdit &findBox() { return *m_find; }
    QLabel &found() { return *m_found; }
    /// Where a row leads: what it reads, and the rows that read what it makes.
    struct Link {
        QString text;
        ProgramSpan to;
    };
    std::vector<Link> linksOf(const QModelIndex &index) const;
    static constexpr std::size_t kFoundAtOnce = 1'000; ///< rows: more are searched by a task

Q_SIGNALS:
    void raiseRequested(const QString &dock);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;

private:
    void buildActions();
    void connectParts();
    void showTree(std::shared_ptr<const ProgramTree> tree);
    void onCurrent(const QModelIndex &index);
    void showRow(std::size_t node);
    void followLink(const ProgramSpan &link);
    void popLinks();
    void goBackHere();
    void find(bool forward);
    void goToFound(std::size_t row, const QString &words);
    void countFound();
    void stopFinding();
    void showInHex();

    ProgramModel *m_model = nullptr;
    ProgramView *m_view = nullptr;
    QLineEdit *m_find = nullptr;
    QLabel *m_found = nullptr;
    TaskPtr m_task, m_finding, m_counting;
    std::filesystem::path m_shownPath;  ///< of the bundle whose program is on view
    std::vector<std::size_t> m_visited; ///< rows from which links were followed
    bool m_following = false;
    QAction *m_again = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
