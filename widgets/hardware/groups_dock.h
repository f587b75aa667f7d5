// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/hardware/group_model.h"

class QAction;
class QLabel;
class QTableView;

namespace kernscope::ui {

class GroupMap;

/// The output-channel groups of the chosen weight: records of a weight section, or the slices that
/// the engine cores of a hardware container load, as a table and as a map of cores and channels.
/// Choosing a group goes to its bytes.
class GroupsDock final : public Dock
{
    Q_OBJECT

public:
    explicit GroupsDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }

    GroupModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    GroupMap &map() { return *m_map; }

Q_SIGNALS:
    void raiseRequested(const QString &dockId);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void showWeight(std::size_t weight);
    QString needed() const;
    QString summaryOf(const Weight &weight, const std::vector<GroupRow> &rows) const;
    void pick(int row);
    void select(int row);

    std::size_t m_weight = kNoIndex;
    bool m_selecting = false;
    QLabel *m_summary = nullptr;
    GroupModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    GroupMap *m_map = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
