// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/assessment_facts.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"

#include <QList>

class QLabel;

namespace kernscope::ui {

class FactRows;
class GateRows;
class PanelSection;

/// The assessment of the chosen cell of the matrix, a weight on a chip: the verdict in a sentence,
/// the nearest change, the gates, bytes, memory, geometry and time. All of it is the one assessment
/// of the core.
class AssessmentDock final : public Dock
{
    Q_OBJECT

public:
    explicit AssessmentDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    RowTableModel &gates() { return *m_gates; }
    QLabel &outcome() { return *m_outcome; }
    QLabel &sentence() { return *m_sentence; }
    const AssessmentWords &words() const { return m_words; }
    /// All that is shown, a line each.
    QString text() const;

Q_SIGNALS:
    /// The user followed a link: the dock of this id should come to the front.
    void raiseRequested(const QString &dockId);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override { return m_state.working(); }

private:
    void buildSections(QWidget *content);
    QLabel *buildLinks(QWidget *parent);
    void buildActions();
    void showCell();
    void showNothing(const QString &why);
    void copy();
    void showSections();

    ChipState &m_state;
    RowTable<decision::Reason> *m_gates = nullptr;
    AssessmentWords m_words;
    QString m_cell; ///< "weight on chip"
    QLabel *m_outcome = nullptr, *m_sentence = nullptr, *m_remarks = nullptr, *m_change = nullptr;
    GateRows *m_gateRows = nullptr;
    FactRows *m_bytes = nullptr, *m_speed = nullptr, *m_memory = nullptr, *m_geometry = nullptr,
             *m_time = nullptr;
    PanelSection *m_changeSection = nullptr, *m_gateSection = nullptr, *m_speedSection = nullptr,
                 *m_geometrySection = nullptr;
    QList<QAction *> m_actions;
    const target::Target *m_chip = nullptr;
};

} // namespace kernscope::ui
