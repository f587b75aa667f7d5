// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/geometry.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"

#include <QStringList>

namespace kernscope::ui {

/// One figure of the assessment of a cell, in words.
struct AssessmentFact {
    QString name, value;
    QString tip = {}; ///< source, condition or what disputes it
};
using AssessmentFacts = std::vector<AssessmentFact>;

/// The facts of one weight on one chip. Every figure comes from the one assessment and from the
/// geometry of its layer; here they only become words.
struct AssessmentWords {
    QString outcome;     ///< with its glyph: "▶ streams"
    QString sentence;    ///< what that means for this weight, with the bytes that are read
    QString basis;       ///< which source decides
    QStringList remarks; ///< notes, and what sources disagree on, marked
    QString change;      ///< the nearest change that makes it stream; may be empty
    QString gateCount;   ///< "7 pass, 1 open"
    AssessmentFacts bytes, speed, memory, geometry, time;
};

/// `layer`: the use of the weight that was assessed. `geometry`: nothing where the extents of its
/// operation are not known.
AssessmentWords assessmentWords(const Bundle &bundle, const roofline::Layer &layer,
                                const roofline::Assessment &assessment,
                                const std::optional<decision::Geometry> &geometry);

/// Columns of the gates that were consulted, as report::reasonTable has them for windows.
enum GateColumn {
    GateState,
    GateName,
    GateOffset,
    GateFound,
    GateNeeded,
    GateSource,
    GateSureness
};

class FactRows;
class PanelSection;

/// The assessment of the chosen cell of the matrix, a weight on a chip: the verdict in a sentence,
/// the nearest change, the gates, bytes, memory, geometry and time. All of it is the one assessment
/// of the core.
class AssessmentDock final : public Dock
{
    Q_OBJECT

public:
    explicit AssessmentDock(Session &session, QWidget *parent = nullptr);

    RowTableModel &gates() { return *m_gates; }
    QLabel &outcome() { return *m_outcome; }
    QLabel &sentence() { return *m_sentence; }
    const AssessmentWords &words() const { return m_words; }
    /// All that is shown, a line each.
    QString text() const;

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
    QString m_cell;              ///< "On chip: weight"
    QLabel *m_program = nullptr; ///< of the chosen chip: not above the figures of another
    QLabel *m_outcome = nullptr, *m_sentence = nullptr, *m_remarks = nullptr, *m_change = nullptr;
    FactRows *m_gateRows = nullptr, *m_bytes = nullptr, *m_speed = nullptr, *m_memory = nullptr,
             *m_geometry = nullptr, *m_time = nullptr;
    PanelSection *m_changeSection = nullptr, *m_gateSection = nullptr, *m_speedSection = nullptr,
                 *m_geometrySection = nullptr;
    const target::Target *m_chip = nullptr;
};

} // namespace kernscope::ui
