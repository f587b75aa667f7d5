// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/plan_dock.h"

#include "core/assessment/activations.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/patch/interrupted_save.h"
#include "core/plan/inputs.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/front_plot.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace kernscope::ui {

/// What the task hands over: all that was judged, and the plan or why there is none.
struct PlanDock::Answer {
    std::shared_ptr<const plan::SurveyOptions> options;
    std::shared_ptr<const plan::Survey> survey;
    std::optional<plan::Plan> plan;
    std::optional<plan::Build> build;
    std::optional<Error> fault;
    plan::PlanTotals before = {}; ///< the weights as they are
};

namespace {

plan::PlanTotals totalsBefore(const plan::Survey &survey)
{
    return plan::totalsOf(survey, std::vector<std::size_t>(survey.rows.size(), 0));
}

/// Reads the files of what was measured, where there are any.
std::optional<Error> readInputs(const Bundle &bundle, const QString &activations,
                                const QString &sensitivity, plan::SurveyOptions &options)
{
    if (!activations.isEmpty()) {
        const auto arrays = openForReading(activations.toStdString());
        if (!arrays.bundle || arrays.fault() != nullptr)
            return arrays.bundle ? *arrays.fault() : arrays.bundle.error();
        auto inputs = readActivations(bundle, **arrays.bundle);
        if (!inputs)
            return inputs.error();
        options.inputs = std::move(*inputs);
    }
    if (!sensitivity.isEmpty()) {
        const auto file = OverlaidFile::open(sensitivity.toStdString(), sensitivity.toStdString());
        if (!file)
            return file.error();
        const auto bytes = (*file)->bytes();
        auto numbers = plan::readSensitivity(
            bundle, {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
            sensitivity.toStdString());
        if (!numbers)
            return numbers.error();
        options.sensitivity = std::move(*numbers);
    }
    return std::nullopt;
}

} // namespace

PlanDock::PlanDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("plan"), tr("Plan"), parent), m_state(ChipState::of(session))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    buildBars(content, column);
    buildTable(content, column);
    setContent(content);
    content->setFocusProxy(m_table);
    buildActions();
    connect(&m_state, &ChipState::targetChanged, this, &PlanDock::scheduleRefresh);
    connect(&session, &Session::otherChanged, this, &PlanDock::scheduleRefresh);
    connect(&session, &Session::bundleChanged, this, [this] {
        stop();
        m_model->clear();
        m_plot->setFront(m_plot->axis(), {});
        m_forced.clear();
        m_activations.clear();
        m_sensitivity.clear();
    });
    connect(m_goal, &QComboBox::activated, this, &PlanDock::planAgain);
    for (QDoubleSpinBox *limit : {m_tolerance, m_total, m_maxBytes})
        connect(limit, &QDoubleSpinBox::valueChanged, this, &PlanDock::planAgain);
    connect(m_errors, &QComboBox::activated, this, &PlanDock::start);
    connect(m_shapes, &QPushButton::clicked, this, &PlanDock::shapesAsked);
    connect(m_axis, &QComboBox::activated, this, &PlanDock::showFront);
    connect(m_form, &QComboBox::activated, this, [this](int index) {
        force(currentRow(), m_form->itemData(index).toString().toStdString());
    });
    connect(m_plot, &PlotWidget::currentPointChanged, this, &PlanDock::showPoint);
    connect(m_plot, &PlotWidget::exportFailed, &session, &Session::statusMessage);
    connect(&session.tasks(), &TaskManager::changed, this, [this] {
        if (m_task && m_task->progress().cancelled()) {
            m_task = nullptr;
            m_told->setText(tr("Cancelled. Plan Again starts anew."));
        }
    });
}

void PlanDock::stop()
{
    if (m_task)
        m_task->cancel();
    m_task = nullptr;
    m_survey = nullptr;
    m_plan.reset();
    m_build.reset();
    m_choice.clear();
    m_showsPoint = false;
}

void PlanDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle || bundle->weights().empty()) {
        stop();
        showMessage(bundle ? tr("This file has no weights to plan forms for.")
                           : tr("Open a bundle to plan the forms of its weights (Ctrl+O)."));
        return;
    }
    if (bundle->programFile() == kNoIndex) {
        stop();
        showMessage(tr("A plan needs a program beside the weights: open a bundle that has one."));
        return;
    }
    start();
}

plan::SurveyOptions PlanDock::surveyOptions() const
{
    plan::SurveyOptions options;
    options.targets = {&m_state.target()};
    for (const target::Target *target : allTargets()) {
        if (m_furtherNames.count(target->name) > 0 && target != &m_state.target())
            options.targets.push_back(target);
    }
    options.choice = m_state.choice();
    if (m_errors->currentIndex() == 1)
        options.model = plan::ErrorModel::Outputs;
    return options;
}

void PlanDock::start()
{
    stop();
    const BundlePtr bundle = session().bundle();
    if (!bundle)
        return;
    showShapes();
    m_told->setText(tr("Trying every form of every weight\u2026"));
    m_write->setEnabled(false);
    showContent();
    m_task = session().tasks().start(
        this, tr("Planning"),
        [bundle, other = session().other(), options = surveyOptions(), limits = limits(),
         activations = m_activations, sensitivity = m_sensitivity](Progress &progress) mutable {
            Answer answer;
            answer.fault = readInputs(*bundle, activations, sensitivity, options);
            if (answer.fault)
                return answer;
            options.progress = &progress;
            auto judged = plan::survey(*bundle, options);
            if (!judged) {
                answer.fault = judged.error();
                return answer;
            }
            limits.progress = &progress;
            auto planned = plan::solve(*judged, limits);
            if (planned)
                answer.plan = std::move(*planned);
            else
                answer.fault = planned.error();
            answer.before = totalsBefore(*judged);
            if (other) {
                if (auto build = plan::measureBuild(*bundle, *judged, options, *other))
                    answer.build = std::move(*build);
            }
            options.progress = nullptr;
            answer.options = std::make_shared<plan::SurveyOptions>(std::move(options));
            answer.survey = std::make_shared<plan::Survey>(std::move(*judged));
            return answer;
        },
        [this](const Answer &answer) {
            m_task = nullptr;
            take(answer);
        });
}

void PlanDock::planAgain()
{
    if (!m_survey) {
        m_again = m_task != nullptr; // with the limits of then
        if (!m_task)
            scheduleRefresh();
        return;
    }
    if (m_task)
        m_task->cancel();
    m_task = session().tasks().start(
        this, tr("Planning"),
        [survey = m_survey, options = m_options, build = m_build, before = m_before,
         limits = limits()](Progress &progress) mutable {
            limits.progress = &progress;
            Answer answer{options, survey, std::nullopt, build, std::nullopt, before};
            auto planned = plan::solve(*survey, limits);
            if (planned)
                answer.plan = std::move(*planned);
            else
                answer.fault = planned.error();
            return answer;
        },
        [this](const Answer &answer) {
            m_task = nullptr;
            take(answer);
        });
}

void PlanDock::take(const Answer &answer)
{
    m_options = answer.options;
    m_survey = answer.survey;
    m_plan = answer.plan;
    m_build = answer.build;
    m_before = answer.before;
    m_showsPoint = false;
    if (m_again && m_survey) {
        m_again = false;
        planAgain();
        return;
    }
    m_told->setText(answer.fault ? fromUtf8(describe(*answer.fault)) : QString());
    if (!m_survey) {
        showMessage(answer.fault ? fromUtf8(describe(*answer.fault)) : QString());
        Q_EMIT planned();
        return;
    }
    showFront();
    if (m_plan)
        showChoice(m_plan->choice, m_plan->after);
    else
        showChoice(std::vector<std::size_t>(m_survey->rows.size(), 0), m_before);
    m_write->setEnabled(m_plan.has_value());
    showContent();
    followPlace();
    Q_EMIT planned();
}

void PlanDock::force(std::size_t row, const std::string &form)
{
    if (!m_survey || row >= m_survey->rows.size())
        return;
    if (form.empty())
        m_forced.erase(row);
    else
        m_forced[row] = form;
    planAgain();
}

} // namespace kernscope::ui

#include "moc_plan_dock.cpp"
