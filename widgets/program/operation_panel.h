// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/program_model.h"
#include "widgets/models/task_manager.h"
#include "widgets/weight/inspector_dock.h"

namespace kernscope::ui {

/// Where an operation is chosen: its statement, with the weight that it reads foremost. Of what
/// makes a weight, and where the statement's place is not known, the weight alone; nothing where
/// there is neither.
std::optional<Place> placeOfOperation(const ProgramTree &tree, std::size_t row);

/// What the inspector says of an operation of the program: what goes in (links), its attributes,
/// what comes out, and what reads that (links).
class OperationPanel final : public InspectorPanel
{
    Q_OBJECT

public:
    explicit OperationPanel(Session &session, QWidget *parent = nullptr);

    /// False of a place that is no whole statement, and until the program is read.
    bool showPlace(const BundlePtr &bundle, const Place &place) override;
    QString title() const override { return m_title; }
    std::size_t weight() const override { return m_weight; }
    bool working() const override { return m_job.running(); }
    void clear() override;

    QString text() const; ///< what is shown, a line each: "x: y_1"

private:
    void showRow(std::size_t row);
    void addHeading(const QString &text);
    QLabel *addLine(const QString &name, const QString &rich, const QString &plain);

    Session &m_session;
    std::shared_ptr<const ProgramTree> m_tree;
    BundlePtr m_bundle; ///< whose program is read or being read
    Job m_job{m_session.tasks()};
    std::size_t m_row = ProgramTree::kNone, m_weight = kNoIndex;
    QString m_title;
    QStringList m_lines;
    QPointer<QWidget> m_body;
    QGridLayout *m_rows = nullptr;
};

} // namespace kernscope::ui
