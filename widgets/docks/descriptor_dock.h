// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/task_unit.h"
#include "widgets/dock.h"
#include "widgets/models/fact_tree_model.h"

#include <QList>

#include <vector>

class QAction;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QTreeView;

namespace kernscope::ui {

/// A kernel unit of a hardware container: its six sections as a table, and as the listing that
/// chapter 25 gives. One unit a task that loads a kernel.
class DescriptorDock final : public Dock
{
    Q_OBJECT

public:
    explicit DescriptorDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }

    FactTreeModel &model() { return *m_model; }
    QComboBox &chooser() { return *m_chooser; }
    QString listing() const;

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    struct Unit {
        hwx::TaskUnit unit;
        QString title;
        ByteRange task;                ///< of the task in the file
        std::vector<ByteRange> slices; ///< of the lanes, where they are known
    };
    std::vector<Unit> readUnits(const Bundle &bundle) const;
    void showUnit(int number);

    std::vector<Unit> m_units;
    bool m_following = false;
    FactTreeModel *m_model = nullptr;
    QComboBox *m_chooser = nullptr;
    QTreeView *m_view = nullptr;
    QPlainTextEdit *m_listing = nullptr;
    QLabel *m_state = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
