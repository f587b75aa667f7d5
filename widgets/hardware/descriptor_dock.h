// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/kernels.h"
#include "widgets/common/dock.h"
#include "widgets/models/fact_tree_model.h"

namespace kernscope::ui {

/// A kernel unit: its six sections as a table, and as the listing that chapter 25 gives. Of a
/// weight section, one a core of each weight, as stored; of a hardware container, one a task that
/// loads a kernel, as its registers tell.
class DescriptorDock final : public Dock
{
    Q_OBJECT

public:
    explicit DescriptorDock(Session &session, QWidget *parent = nullptr);

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
        ByteRange place;              ///< of the task, or of the unit's record, in the file
        std::vector<ByteRange> parts; ///< of the lanes' slices, or of the unit's sections
        std::string fault;            ///< why the unit cannot be decoded
    };
    std::vector<Unit> unitsOfTasks(const Bundle &bundle) const;
    std::vector<Unit> unitsOfSection(const Bundle &bundle) const;
    QString needed() const;
    void buildActions();
    void showUnit(int number);

    std::vector<Unit> m_units;
    FactTreeModel *m_model = nullptr;
    QComboBox *m_chooser = nullptr;
    QTreeView *m_view = nullptr;
    QPlainTextEdit *m_listing = nullptr;
    QLabel *m_state = nullptr;
};

} // namespace kernscope::ui
