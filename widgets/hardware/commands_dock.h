// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/fact_tree_model.h"

#include <QList>

namespace kernscope::ui {

/// Header, load commands with their fields, and symbols of a hardware container.
class CommandsDock final : public Dock
{
    Q_OBJECT

public:
    explicit CommandsDock(Session &session, QWidget *parent = nullptr);

    FactTreeModel &commands() { return *m_commands; }
    FactTreeModel &symbols() { return *m_symbols; }
    QTreeView &commandView() { return *m_commandView; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void connectView(QTreeView *view, FactTreeModel *model);
    void buildActions();
    QTreeView *shownView() const;

    bool m_following = false;
    FactTreeModel *m_commands = nullptr, *m_symbols = nullptr;
    QLineEdit *m_filter = nullptr;
    QTabWidget *m_tabs = nullptr;
    QTreeView *m_commandView = nullptr, *m_symbolView = nullptr;
};

} // namespace kernscope::ui
