// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/plan_dock.h"

#include "core/assessment/activations.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/verdict.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/words.h"

#include <nlohmann/json.hpp>

namespace kernscope::ui {

namespace {

QDoubleSpinBox *planNumberBox(QWidget *parent, const QString &prefix, const QString &name)
{
    auto *box = new DecimalBox(parent);
    box->setPrefix(prefix);
    box->setAccessibleName(name);
    return box;
}

QComboBox *chooserBox(QWidget *parent, const QString &name,
                      std::initializer_list<std::pair<QString, QString>> items)
{
    auto *box = named(new QComboBox(parent), name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    for (const auto &[text, data] : items)
        box->addItem(text, data);
    return box;
}

QString storedWord(const plan::PlanTotals &totals)
{
    const auto stored = totals.allStored();
    return stored ? bytesWord(*stored) : PlanDock::tr("unknown");
}

/// The engine's time before and after, for each function where a run enters one of several.
QString timesText(const QString &name, const roofline::ProgramTime &before,
                  const roofline::ProgramTime &after)
{
    QString text;
    if (after.alternatives) {
        for (std::size_t i = 0; i < after.dispatches.size() && i < before.dispatches.size(); ++i)
            text += timesText(name + QLatin1Char(' ') + fromUtf8(after.dispatches[i].function),
                              before.dispatches[i], after.dispatches[i]);
        return text;
    }
    if (!before.engineTimeS || !after.engineTimeS)
        return text;
    text = PlanDock::tr("; %1 engine time %2 \u2192 %3")
               .arg(name.toHtmlEscaped(), siWord(*before.engineTimeS, u"s"_s),
                    siWord(*after.engineTimeS, u"s"_s));
    if (!after.dispatchFloorS || *after.engineTimeS >= *after.dispatchFloorS)
        return text;
    const QString floor = siWord(*after.dispatchFloorS, u"s"_s);
    return text +
           (after.launches.value_or(1) == 1
                ? PlanDock::tr(" (a call takes at least %1)").arg(floor)
                : PlanDock::tr(" (%1 calls take at least %2)").arg(*after.launches).arg(floor));
}

} // namespace

/// What the task hands over: all that was judged, and the plan or why there is none.
struct PlanDock::Answer {
    std::shared_ptr<const plan::SurveyOptions> options{};
    std::shared_ptr<const plan::Survey> survey{};
    std::optional<plan::Build> build{};
    std::optional<plan::Plan> plan{}; ///< with a fault the weights as they are
    std::optional<Error> fault{};

    void solve(const plan::Limits &limits)
    {
        auto planned = plan::solve(*survey, limits);
        if (!planned)
            fault = planned.error();
        plan = planned ? std::move(*planned) : plan::asStored(*survey, limits);
    }
};

namespace {

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
    : Dock(session, u"plan"_s, tr("Plan"), parent), m_state(ChipState::of(session))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    buildBars(content, column);
    buildTable(content, column);
    setContent(content, m_table);
    buildActions();
    connect(&m_state, &ChipState::targetChanged, this, [this] {
        fillChips();
        scheduleRefresh();
    });
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
    m_task.whenCancelled([this] { m_told->setText(tr("Cancelled. Plan Again starts anew.")); });
}

void PlanDock::stop()
{
    m_task.stop();
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
    m_task.start(
        tr("Planning"),
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
            answer.survey = std::make_shared<plan::Survey>(std::move(*judged));
            limits.progress = &progress;
            answer.solve(limits);
            if (other) {
                if (auto build = plan::measureBuild(*bundle, *answer.survey, options, *other))
                    answer.build = std::move(*build);
            }
            options.progress = nullptr;
            answer.options = std::make_shared<plan::SurveyOptions>(std::move(options));
            return answer;
        },
        [this](const Answer &answer) { take(answer); });
}

void PlanDock::planAgain()
{
    if (!m_survey) {
        m_again = m_task.running(); // with the limits that hold by then
        if (!m_task.running())
            scheduleRefresh();
        return;
    }
    m_task.start(
        tr("Planning"),
        [survey = m_survey, options = m_options, build = m_build,
         limits = limits()](Progress &progress) mutable {
            limits.progress = &progress;
            Answer answer{options, survey, build};
            answer.solve(limits);
            return answer;
        },
        [this](const Answer &answer) { take(answer); });
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
    m_fault = answer.fault ? fromUtf8(describe(*answer.fault)) : QString();
    m_told->clear();
    if (!m_survey) {
        showMessage(m_fault);
        Q_EMIT planned();
        return;
    }
    showFront();
    showChoice(m_plan->choice, m_plan->after);
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
                             "its slowest chip"));
    bar->addWidget(m_further);
    fillChips();
    // As wide with any number: the fields beside it stay where they are.
    m_further->setMinimumWidth(
        m_further->fontMetrics().horizontalAdvance(tr("and %n more", nullptr, 88)) +
        theme::em(this, 1.8));
    m_goal = chooserBox(content, tr("What is to be least"),
                        {{tr("least time or bytes"), QString()},
                         {tr("least time"), u"time"_s},
                         {tr("least stored bytes"), u"stored"_s},
                         {tr("least bytes moved"), u"moved"_s},
                         {tr("least error"), u"error"_s}});
    m_goal->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_goal->setItemData(0,
                        tr("Least time, or least stored bytes where times are not known or a run "
                           "waits for its calls whatever the forms"),
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
    m_maxBytes->setGroupSeparatorShown(true);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_goal, m_tolerance, m_maxBytes})
        bar->addWidget(widget);
    buildErrors(content, bar);
    m_facts = selectableLabel(content, Qt::RichText);
    laidOut(column, {sharedVerdict(m_state, content), m_facts, fields});
}

void PlanDock::buildTable(QWidget *content, QVBoxLayout *column)
{
    m_model = new PlanModel(this);
    m_table = makeTable(content, tr("Planned forms"), m_model,
                        {9.3, 6, 4.4, 7, 5.6, 4.2, 6.4, 5.6, 5, 16});
    QHeaderView *header = m_table->horizontalHeader();
    header->setStretchLastSection(true);
    header->setSectionResizeMode(m_model->columnOf("to"), QHeaderView::ResizeToContents);
    // What it was stands behind what it gets, which a narrow dock shows.
    header->moveSection(m_model->columnOf("from"),
                        header->visualIndex(m_model->columnOf("time_s")));
    m_plot = new FrontPlot(content);
    m_plot->setMinimumHeight(theme::em(this, 9));
    column->addWidget(parted(Qt::Horizontal, {{m_table, 3}, {m_plot, 1}}), 1);
    auto *bar = new QHBoxLayout;
    m_form = chooserBox(content, tr("Form by hand"), {});
    m_form->setMinimumContentsLength(16);
    m_form->setToolTip(tr("The form of the selected weight; the rest is planned again"));
    m_axis = chooserBox(content, tr("What the error is drawn against"),
                        {{tr("against stored bytes"), {}}, {tr("against time"), {}}});
    m_axis->setMinimumContentsLength(14);
    m_write = new QPushButton(tr("Write\u2026"), content);
    m_told = selectableLabel(content, Qt::RichText);
    m_told->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(m_told, &QLabel::linkActivated, this,
            [this](const QString &what) { Q_EMIT openWanted(m_writtenTo, what == "compare"_L1); });
    laidOut(bar, {{m_form, 2}, {m_told, 3}, {m_axis, 1}, m_write});
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
        const bool own = target == &m_state.target(); // the one that it is planned for anyway
        action->setCheckable(true);
        action->setChecked(own || m_furtherNames.count(target->name) > 0);
        action->setEnabled(!own);
        connect(action, &QAction::toggled, this, [this, name = target->name](bool on) {
            auto names = m_furtherNames;
            if (on)
                names.insert(name);
            else
                names.erase(name);
            m_furtherNames = names;
            countChips();
            scheduleRefresh();
        });
    }
    countChips();
}

void PlanDock::countChips()
{
    const auto more =
        static_cast<int>(m_furtherNames.size() - m_furtherNames.count(m_state.target().name));
    m_further->setText(more == 0 ? tr("one chip") : tr("and %n more", nullptr, more));
}

/// The limit of the whole network, where errors are taken from, and the button for shapes.
void PlanDock::buildErrors(QWidget *content, QLayout *bar)
{
    m_total = planNumberBox(content, tr("error of the network \u2264 "), tr("Total tolerance"));
    m_total->setDecimals(4);
    m_total->setRange(0, 10);
    m_total->setSingleStep(0.005);
    m_total->setSpecialValueText(tr("any error of the network"));
    m_errors = chooserBox(content, tr("What errors are taken from"),
                          {{tr("errors of weights"), {}}, {tr("errors of outputs"), {}}});
    m_errors->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_errors->setItemData(1, tr("Of a layer's outputs, through the engine's reduction; slower"),
                          Qt::ToolTipRole);
    m_shapes = named(new QPushButton(content), tr("Shapes of inputs"));
    m_shapes->hide();
    for (QWidget *widget : std::initializer_list<QWidget *>{m_total, m_errors, m_shapes})
        bar->addWidget(widget);
}

/// The button for the document's shapes, where the program leaves any open.
void PlanDock::showShapes()
{
    const BundlePtr &bundle = session().bundle();
    const bool bound = bundle && bundle->shapeBindings();
    m_shapes->setVisible(bound || (bundle && !bundle->openInputs().empty()));
    m_shapes->setText(bound ? tr("shapes of inputs given\u2026")
                            : tr("shapes of inputs open\u2026"));
    m_shapes->setToolTip(tr("Times and moved bytes that depend on them are known with them only; "
                            "they hold for the whole window"));
}

plan::Limits PlanDock::limits() const
{
    plan::Limits limits;
    limits.goal = plan::goalFromName(m_goal->currentData().toString().toStdString());
    limits.tolerance = m_tolerance->value();
    if (m_total->value() > 0)
        limits.totalTolerance = m_total->value();
    if (m_maxBytes->value() > 0)
        limits.maxBytes = static_cast<std::uint64_t>(m_maxBytes->value());
    for (const auto &[row, form] : m_forced) {
        if (m_survey && row < m_survey->rows.size())
            limits.forced.emplace_back(m_survey->names[row], form);
    }
    return limits;
}

void PlanDock::showPoint(int number)
{
    if (!m_survey || number < 0 || number >= m_plot->pointCount())
        return;
    m_showsPoint = true;
    m_told->setText(
        m_plot->pointText(number).toHtmlEscaped().replace(QLatin1Char('\n'), "<br>"_L1));
    const plan::FrontPoint &point = m_plot->point(number);
    showChoice(point.choice, point.totals);
}

/// Why each weight has the form that is shown.
PlanModel::Reasons PlanDock::reasons() const
{
    PlanModel::Reasons why = m_plan->why;
    for (std::size_t r = 0; m_showsPoint && r < why.size(); ++r) {
        if (m_survey->rows[r].fixed.empty()) // else the same in every plan
            why[r] = "a point of the front";
    }
    return why;
}

void PlanDock::showChoice(std::vector<std::size_t> choice, const plan::PlanTotals &after)
{
    const std::size_t selected = currentRow();
    m_choice = std::move(choice);
    m_after = after;
    m_write->setEnabled(m_showsPoint || m_fault.isEmpty());
    const int scrolled = m_table->verticalScrollBar()->value();
    m_model->show(m_survey, m_choice, reasons());
    hideAbsentColumns(*m_table->horizontalHeader(), *m_model);
    if (const int row = m_model->rowOf(selected); row >= 0) {
        const QScopedValueRollback guard(m_following, true);
        chooseRow(m_table, m_model->index(row, 0));
    }
    m_table->verticalScrollBar()->setValue(scrolled);
    showFacts();
    fillForms();
}

void PlanDock::showFacts()
{
    const plan::PlanTotals &before = m_plan->before, &after = m_after;
    if (!m_showsPoint && !m_fault.isEmpty()) {
        m_facts->setText(tr("<b>\u2715 No plan keeps these limits:</b> %1<br>Below stands what is "
                            "stored, %2. Loosen a limit, or leave a form to the plan.")
                             .arg(m_fault.toHtmlEscaped(), storedWord(before)));
        m_plot->setPlan(after);
        return;
    }
    QString text = tr("<b>stored %1 \u2192 %2").arg(storedWord(before), storedWord(after));
    for (std::size_t t = 0; t < m_survey->targets.size(); ++t) {
        text +=
            timesText(fromUtf8(m_survey->targets[t]->name), before.programs[t], after.programs[t]);
    }
    text += tr("</b><br>error of the network <b>%1</b>, largest of a layer <b>%2</b>")
                .arg(after.error, 0, 'g', 3)
                .arg(after.largestError, 0, 'g', 3);
    if (!m_showsPoint)
        text += m_plan->proven ? tr("; proven: no other choice is better")
                               : tr("; not proven to be best: %1 against a bound of %2")
                                     .arg(m_plan->cost, 0, 'g', 6)
                                     .arg(m_plan->bound, 0, 'g', 6);
    const plan::Limits limits = this->limits();
    const report::PlanSubject subject{{}, {}, m_survey.get(), &*m_plan, &limits, nullptr, {}};
    for (const std::string &note : report::planNotes(subject))
        text += (text.endsWith(u'.') ? u" "_s : u". "_s) + fromUtf8(note).toHtmlEscaped();
    m_facts->setText(text);
    m_plot->setPlan(after);
}

void PlanDock::showFront()
{
    const bool time = m_axis->currentIndex() == 1;
    const auto axis = time ? FrontPlot::Axis::Time : FrontPlot::Axis::Stored;
    m_plot->setFront(axis,
                     !m_plan ? std::vector<plan::FrontPoint>()
                     : time  ? m_plan->timeFront
                             : m_plan->storedFront,
                     m_survey ? fromUtf8(report::timedChips(*m_survey)) : QString());
    m_plot->setOther(m_build ? fromUtf8(m_build->name) : QString(),
                     m_build ? std::optional(m_build->totals) : std::nullopt);
}

std::size_t PlanDock::currentRow() const
{
    const QModelIndex current = m_table->currentIndex();
    return current.isValid() ? m_model->sourceRow(current.row()) : kNoIndex;
}

/// The forms that the selected weight may have, with bytes and errors.
void PlanDock::fillForms()
{
    m_form->clear();
    const std::size_t number = currentRow();
    const bool any =
        m_survey && number < m_survey->rows.size() && m_survey->rows[number].candidates != nullptr;
    m_form->setEnabled(any);
    if (!any) {
        m_form->addItem(tr("Select a planned weight"));
        return;
    }
    const plan::Row &row = m_survey->rows[number];
    m_form->addItem(tr("form by the plan"), QString());
    const auto forced = m_forced.find(number);
    for (const plan::Candidate &candidate : *row.candidates) {
        if (!candidate->refused.empty() && candidate->name != plan::kKeep)
            continue;
        const QString name = candidate->name == plan::kKeep
                                 ? tr("keep %1").arg(fromUtf8(row.stored))
                                 : fromUtf8(candidate->name);
        const plan::ChipFigures &chip = candidate->chips[0]; // the main one
        QString words = tr("%1 %2: %3 B, error %4")
                            .arg(theme::glyph(outcomeToken(chip.outcome)), name,
                                 groupedNumber(candidate->stored))
                            .arg(plan::layerError(row, candidate), 0, 'g', 3);
        if (chip.timeS)
            words += tr(", %1").arg(siWord(*chip.timeS, u"s"_s));
        m_form->addItem(words, rawFromUtf8(candidate->name));
        if (forced != m_forced.end() && forced->second == candidate->name)
            m_form->setCurrentIndex(m_form->count() - 1);
    }
}

void PlanDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_survey)
        return;
    m_following = true; // the place stays as it is
    // Rows are all weights, in their order.
    chooseRow(m_table, m_model->index(m_model->rowOf(place.weight), 0));
    m_following = false;
}

void PlanDock::buildActions()
{
    auto *again =
        dockAction(this, tr("Plan Again"), Qt::CTRL | Qt::Key_Return, [this] { start(); });
    auto *form = dockAction(this, tr("Form by Hand"), Qt::Key_F2, [this] {
        m_form->setFocus(Qt::ShortcutFocusReason);
        m_form->showPopup();
    });
    auto *release = dockAction(this, tr("Leave All Forms to the Plan"), {}, [this] {
        m_forced.clear();
        planAgain();
    });
    auto *back = dockAction(this, tr("Show the Plan Again"), {}, [this] {
        m_showsPoint = false;
        if (m_survey && m_plan)
            showChoice(m_plan->choice, m_plan->after);
    });
    auto *activations = dockAction(this, tr("Statistics of Activations\u2026"), {}, [this] {
        askForFile(tr("Mean Squares of Input Channels"), tr("NumPy archives (*.npz)"),
                   m_activations);
    });
    auto *sensitivity = dockAction(this, tr("Sensitivities\u2026"), {}, [this] {
        askForFile(tr("Sensitivities of Weights"), tr("Tables (*.csv)"), m_sensitivity);
    });
    auto *write = dockAction(this, tr("Write Planned Bundle\u2026"),
                             Qt::CTRL | Qt::SHIFT | Qt::Key_W, [this] { askAndWrite(); });
    auto *report =
        dockAction(this, tr("Save Report of the Plan\u2026"), {}, [this] { askAndReport(); });
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *save = exportAction(this, session(), tr("Export Planned Forms\u2026"), *m_model, "plan");
    m_actions = {again, form, release, back, activations, sensitivity, write, report, copy, save};
    m_table->addActions(m_actions);
    m_actions += m_plot->plotActions();
}

void PlanDock::askForFile(const QString &title, const QString &kinds, QString &path)
{
    const auto take = [this, &path](const QString &chosen) {
        path = chosen;
        start();
    };
    openPathDialog(OpenDialog::Lists::Files, this, title, kinds, take, path);
}

void PlanDock::askAndWrite()
{
    if (!m_survey || m_choice.empty() || !m_write->isEnabled())
        return;
    const auto &source = session().bundle()->path();
    const QString path = askSavePath(this, tr("Write the Planned Bundle"),
                                     fromUtf8(source.stem().string()) + u"-planned"_s +
                                         fromUtf8(source.extension().string()));
    if (!path.isEmpty())
        writeTo(path);
}

void PlanDock::writeTo(const QString &path)
{
    const BundlePtr bundle = session().bundle();
    if (!bundle || !m_survey || m_choice.empty())
        return;
    m_task.stop();
    plan::Limits limits = this->limits();
    if (m_showsPoint) {
        // Exactly the forms that are shown, whatever the limits are.
        limits.forced.clear();
        limits.maxBytes.reset();
        limits.totalTolerance.reset();
        for (std::size_t r = 0; r < m_choice.size(); ++r) {
            const plan::Row &row = m_survey->rows[r];
            if (row.candidates)
                limits.forced.emplace_back(m_survey->names[r],
                                           (*row.candidates)[m_choice[r]]->name);
        }
    }
    m_told->setText(tr("Writing\u2026"));
    m_task.start(
        tr("Writing the planned bundle"),
        [bundle, survey = m_survey, options = *m_options, limits,
         path](Progress &progress) mutable {
            options.progress = &progress;
            limits.progress = &progress;
            auto planned = plan::solve(*survey, limits);
            if (!planned)
                return fromUtf8(describe(planned.error()));
            const auto made =
                plan::carryOut(*bundle, options, *survey, limits, std::move(*planned));
            if (!made)
                return fromUtf8(describe(made.error()));
            const CopyOptions copy{false, bundle->path()}; // other files, links, permissions
            const auto saved =
                saveCopy(*made->bundle, std::filesystem::path(path.toStdString()), &progress, copy);
            return saved ? QString() : fromUtf8(describe(saved.error()));
        },
        [this, path](const QString &fault) {
            const QString words =
                fault.isEmpty() ? tr("Written, decoded and assessed again: %1").arg(path) : fault;
            m_told->setToolTip(words);
            m_writtenTo = fault.isEmpty() ? path : QString();
            m_told->setText(fault.isEmpty()
                                ? tr("%1 is written \u00B7 <a href=\"open\">Open</a> \u00B7 <a "
                                     "href=\"compare\">Compare with the original</a>")
                                      .arg(QFileInfo(path).fileName().toHtmlEscaped())
                                : fault.toHtmlEscaped());
            Q_EMIT session().statusMessage(words);
            Q_EMIT written(path, fault);
        });
}

QString PlanDock::saveReport(const QString &path) const
{
    if (!m_survey || m_choice.empty())
        return tr("There is no plan to report.");
    plan::Plan shown = *m_plan;
    if (m_showsPoint) {
        shown.choice = m_choice;
        shown.after = m_after;
        shown.why.assign(m_choice.size(), "a point of the front");
        shown.proven = false;
    }
    const plan::Limits limits = this->limits();
    report::PlanSubject subject;
    subject.bundle = session().bundle()->name();
    subject.survey = m_survey.get();
    subject.plan = &shown;
    subject.limits = &limits;
    if (m_build)
        subject.builds.push_back(*m_build);
    subject.verdict = m_state.verdict();
    const QString ending = u"."_s + QFileInfo(path).suffix().toLower();
    const std::string text = report::planReport(ending.toStdString(), subject);
    return writeTextFile(path, QString::fromStdString(text));
}

void PlanDock::askAndReport()
{
    if (!m_survey)
        return;
    const QString path =
        askSavePath(this, tr("Save Report of the Plan"), u"plan.html"_s,
                    tr("Web page (*.html);;Markdown (*.md);;JSON (*.json);;Table (*.csv)"));
    if (path.isEmpty())
        return;
    const QString fault = saveReport(path);
    Q_EMIT session().statusMessage(fault.isEmpty() ? tr("Saved: %1").arg(path) : fault);
}

} // namespace kernscope::ui

#include "moc_plan_dock.cpp"
