// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/plan_dock.h"

#include "core/assessment/activations.h"
#include "core/base/overlaid_file.h"
#include "core/plan/inputs.h"
#include "widgets/chips/chip_box.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/front_plot.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
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
};

namespace {

QDoubleSpinBox *planNumberBox(QWidget *parent, const QString &prefix, const QString &name)
{
    auto *box = new QDoubleSpinBox(parent);
    box->setPrefix(prefix);
    box->setAccessibleName(name);
    box->setKeyboardTracking(false);
    return box;
}

QComboBox *chooserBox(QWidget *parent, const QString &name,
                      std::initializer_list<std::pair<QString, QString>> items)
{
    auto *box = new QComboBox(parent);
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    for (const auto &[text, data] : items)
        box->addItem(text, data);
    return box;
}

/// Reads the files of what was measured, where there are any.
std::optional<Error> readInputs(const Bundle &bundle, const QString &activations,
                                const QString &sensitivity, plan::SurveyOptions &options)
{
    if (!activations.isEmpty()) {
        const auto arrays = Bundle::open(activations.toStdString());
        if (!arrays)
            return arrays.error();
        auto inputs = readActivations(bundle, **arrays);
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
        m_model->setRows({});
        m_plot->setFront(m_plot->axis(), {});
        m_forced.clear();
        m_activations.clear();
        m_sensitivity.clear();
    });
    connect(m_goal, &QComboBox::activated, this, &PlanDock::planAgain);
    connect(m_tolerance, &QDoubleSpinBox::valueChanged, this, &PlanDock::planAgain);
    connect(m_maxBytes, &QDoubleSpinBox::valueChanged, this, &PlanDock::planAgain);
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

void PlanDock::buildBars(QWidget *content, QVBoxLayout *column)
{
    auto *fields = new QWidget(content);
    auto *bar = new FlowLayout(fields); // a narrow dock has two lines: nothing is cut
    bar->addWidget(sharedChipBox(m_state, content));
    m_chips = new QMenu(tr("Further Chips"), this);
    m_further = new QToolButton(content);
    m_further->setPopupMode(QToolButton::InstantPopup);
    m_further->setMenu(m_chips);
    m_further->setAccessibleName(tr("Further chips"));
    m_further->setToolTip(tr("A form must be one that all of the chips take; a layer counts with "
                             "the chip that is slowest at it"));
    bar->addWidget(m_further);
    fillChips();
    m_goal = chooserBox(content, tr("What is to be least"),
                        {{tr("least time or bytes"), QString()},
                         {tr("least time"), QStringLiteral("time")},
                         {tr("least stored bytes"), QStringLiteral("stored")},
                         {tr("least bytes moved"), QStringLiteral("moved")},
                         {tr("least error"), QStringLiteral("error")}});
    m_goal->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_goal->setItemData(0, tr("Least time, or least stored bytes where times are not known"),
                        Qt::ToolTipRole);
    m_tolerance = planNumberBox(content, tr("error of a layer \u2264 "), tr("Tolerance"));
    m_tolerance->setDecimals(4);
    m_tolerance->setRange(0, 10);
    m_tolerance->setSingleStep(0.005);
    m_tolerance->setValue(0.01);
    m_maxBytes = planNumberBox(content, tr("stored \u2264 "), tr("Most stored bytes"));
    m_maxBytes->setDecimals(0);
    m_maxBytes->setRange(0, 1e15);
    m_maxBytes->setSingleStep(1024);
    m_maxBytes->setSpecialValueText(tr("any stored bytes"));
    m_maxBytes->setSuffix(tr(" B"));
    for (QWidget *widget : std::initializer_list<QWidget *>{m_goal, m_tolerance, m_maxBytes})
        bar->addWidget(widget);
    column->addWidget(fields);
    m_facts = new QLabel(content);
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_facts);
}

void PlanDock::buildTable(QWidget *content, QVBoxLayout *column)
{
    m_model = new PlanModel(report::plannedWeightTable(), this);
    m_model->setLook([](const report::PlannedWeight &row, std::string_view key, int role) {
        if (role != Qt::FontRole || key != "to" || row.choice == 0)
            return QVariant();
        QFont font;
        font.setBold(true);
        return QVariant(font);
    });
    auto *splitter = new QSplitter(Qt::Horizontal, content);
    splitter->setChildrenCollapsible(false);
    m_table = new QTableView(splitter);
    m_table->setAccessibleName(tr("Planned forms"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    setColumnWidths(m_table->horizontalHeader(), {12, 5, 9, 6, 6, 5, 6, 7, 16});
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_plot = new FrontPlot(splitter);
    m_plot->setMinimumHeight(theme::em(this, 9));
    splitter->addWidget(m_table);
    splitter->addWidget(m_plot);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter, 1);
    auto *bar = new QHBoxLayout;
    m_form = chooserBox(content, tr("Form by hand"), {});
    m_form->setMinimumContentsLength(16);
    m_form->setToolTip(tr("The form of the selected weight; the rest is planned again"));
    m_axis = chooserBox(content, tr("What the error is drawn against"),
                        {{tr("against stored bytes"), {}}, {tr("against time"), {}}});
    m_axis->setMinimumContentsLength(14);
    m_write = new QPushButton(tr("Write\u2026"), content);
    m_told = new QLabel(content);
    m_told->setWordWrap(true);
    m_told->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bar->addWidget(m_form, 2);
    bar->addWidget(m_told, 3);
    bar->addWidget(m_axis, 1);
    bar->addWidget(m_write);
    column->addLayout(bar);
    connect(m_write, &QPushButton::clicked, this, &PlanDock::askAndWrite);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        fillForms();
        if (!m_following && m_survey && currentRow() < m_survey->rows.size())
            session().goToWeight(m_survey->rows[currentRow()].weight, this);
    });
}

void PlanDock::fillChips()
{
    m_chips->clear();
    for (const target::Target *target : allTargets()) {
        QAction *action = m_chips->addAction(
            fromUtf8(target->name + (target->silicon.empty() ? "" : " (" + target->silicon + ")")));
        action->setCheckable(true);
        action->setChecked(m_furtherNames.count(target->name) > 0);
        connect(action, &QAction::toggled, this, [this, name = target->name](bool on) {
            auto names = m_furtherNames;
            if (on)
                names.insert(name);
            else
                names.erase(name);
            m_furtherNames = names;
            m_further->setText(names.empty() ? tr("one chip")
                                             : tr("and %n more", nullptr, int(names.size())));
            scheduleRefresh();
        });
    }
    m_further->setText(m_furtherNames.empty()
                           ? tr("one chip")
                           : tr("and %n more", nullptr, int(m_furtherNames.size())));
}

void PlanDock::setFurtherChips(const std::set<std::string> &names)
{
    m_furtherNames = names;
    fillChips();
    scheduleRefresh();
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
        showMessage(tr("Open a bundle to plan the forms of its weights (Ctrl+O)."));
        return;
    }
    if (bundle->programFile() == kNoIndex) {
        stop();
        showMessage(tr("A plan needs a program beside the weights: open a bundle that has one."));
        return;
    }
    start();
}

void PlanDock::start()
{
    stop();
    const BundlePtr bundle = session().bundle();
    if (!bundle)
        return;
    plan::SurveyOptions options;
    options.targets = {&m_state.target()};
    for (const target::Target *target : allTargets()) {
        if (m_furtherNames.count(target->name) > 0 && target != &m_state.target())
            options.targets.push_back(target);
    }
    options.choice = m_state.choice();
    m_told->setText(tr("Trying every form of every weight\u2026"));
    m_write->setEnabled(false);
    showContent();
    m_task = session().tasks().start(
        this, tr("Planning"),
        [bundle, other = session().other(), options, limits = limits(), activations = m_activations,
         sensitivity = m_sensitivity](Progress &progress) mutable {
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
            auto planned = plan::solve(*judged, limits);
            if (planned)
                answer.plan = std::move(*planned);
            else
                answer.fault = planned.error();
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
        [survey = m_survey, options = m_options, build = m_build,
         limits = limits()](Progress &progress) mutable {
            limits.progress = &progress;
            Answer answer{options, survey, std::nullopt, build, std::nullopt};
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
    showChoice(m_plan ? m_plan->choice : std::vector<std::size_t>(m_survey->rows.size(), 0));
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
