// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/judge_content.h"
#include "core/plan/write_plan.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/chip_models.h"

namespace kernscope::ui {

class FrontPlot;

/// A plan for the whole network: the form of every weight, what it costs before and after, and the
/// front of plans. Forms may be asked for by hand; the rest is planned again. Writes the bundle.
class PlanDock final : public Dock
{
    Q_OBJECT

public:
    explicit PlanDock(Session &session, QWidget *parent = nullptr);

    PlanModel &model() { return *m_model; }
    FrontPlot &plot() { return *m_plot; }
    QDoubleSpinBox &tolerance() { return *m_tolerance; }
    QDoubleSpinBox &maxBytes() { return *m_maxBytes; }
    QDoubleSpinBox &totalTolerance() { return *m_total; }
    /// Errors of weights, or of outputs.
    QComboBox &errorBox() { return *m_errors; }
    QPushButton &shapesButton() { return *m_shapes; }
    QComboBox &goal() { return *m_goal; }
    QLabel &facts() { return *m_facts; }
    /// The current plan; null while it is made and where there is none.
    const plan::Plan *plan() const { return m_plan && m_fault.isEmpty() ? &*m_plan : nullptr; }
    const plan::Survey *survey() const { return m_survey ? m_survey.get() : nullptr; }
    /// The form of each weight that the table shows: that of the plan, or of a point of the front.
    const std::vector<std::size_t> &shownChoice() const { return m_choice; }

    /// Asks for a form by hand; an empty one leaves it to the plan again.
    void force(std::size_t row, const std::string &form);
    /// Fills the table with a plan of the front.
    void showPoint(int point);
    /// Writes the bundle in the forms that are shown, decoded and assessed again.
    void writeTo(const QString &path);
    /// Saves a report of what is shown: .html, .md, .json or .csv by the name. What went wrong.
    QString saveReport(const QString &path) const;

Q_SIGNALS:
    void shapesAsked(); ///< the document has the shapes of inputs: its dialog is to open
    void planned();     ///< a plan was made, or it is known that there is none
    void written(const QString &path, const QString &fault); ///< `fault` is empty where it worked
    /// What was written; `beside`: beside what is open, to be compared with it.
    void openWanted(const QString &path, bool beside);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    struct Answer; ///< of the task that plans
    void buildBars(QWidget *content, QVBoxLayout *column);
    void buildErrors(QWidget *content, QLayout *bar);
    void buildTable(QWidget *content, QVBoxLayout *column);
    void buildActions();
    void fillChips();
    void countChips();
    void showShapes();
    plan::Limits limits() const;
    plan::SurveyOptions surveyOptions() const;
    void start();     ///< judges all forms, then plans
    void planAgain(); ///< with the forms as they were judged
    void take(const Answer &answer);
    void showChoice(std::vector<std::size_t> choice, const plan::PlanTotals &after);
    PlanModel::Reasons reasons() const;
    void showFacts();
    void showFront();
    void fillForms();
    std::size_t currentRow() const;
    void askForFile(const QString &title, const QString &kinds, QString &path);
    void askAndWrite();
    void askAndReport();
    void stop();

    ChipState &m_state;
    PlanModel *m_model = nullptr;
    FrontPlot *m_plot = nullptr;
    QTableView *m_table = nullptr;
    QComboBox *m_goal = nullptr, *m_axis = nullptr, *m_form = nullptr;
    QComboBox *m_errors = nullptr;
    QDoubleSpinBox *m_tolerance = nullptr, *m_total = nullptr, *m_maxBytes = nullptr;
    QToolButton *m_further = nullptr;
    QMenu *m_chips = nullptr;
    QLabel *m_facts = nullptr, *m_told = nullptr;
    QString m_fault;     ///< why there is no plan
    QString m_writtenTo; ///< what the links of m_told are about
    QPushButton *m_write = nullptr, *m_shapes = nullptr;
    Job m_task{session().tasks(), this};

    std::set<std::string> m_furtherNames;
    QString m_activations, m_sensitivity;        ///< files; empty: none
    std::map<std::size_t, std::string> m_forced; ///< by row
    std::shared_ptr<const plan::SurveyOptions> m_options;
    std::shared_ptr<const plan::Survey> m_survey;
    std::optional<plan::Plan> m_plan;   ///< where there is none, the weights as they are
    std::optional<plan::Build> m_build; ///< of the bundle that is open beside
    std::vector<std::size_t> m_choice;  ///< shown, by row
    plan::PlanTotals m_after;           ///< of the weights as they are shown
    bool m_again = false;               ///< limits changed while the forms were judged
    bool m_showsPoint = false;          ///< a plan of the front
};

} // namespace kernscope::ui
