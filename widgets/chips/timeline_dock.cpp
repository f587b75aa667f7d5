// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/timeline_dock.h"

#include "core/assessment/layer_times.h"
#include "core/assessment/prediction_note.h"
#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"
#include "widgets/chips/chip_box.h"
#include "widgets/chips/chip_network.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/timeline_plot.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/number_field.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr char kStored[] = "stored", kBest[] = "best"; ///< beside the names of forms

/// The assessment of the form that was asked for; null where the weight has no such form.
const roofline::Assessment *inForm(const roofline::Placement &placed, const std::string &form)
{
    if (form == kStored)
        return &placed.stored();
    if (form == kBest)
        return placed.bestForm();
    if (form == "dense")
        return &placed.trail[placed.dense];
    const auto at = std::find_if(placed.trail.begin(), placed.trail.end(),
                                 [&form](const auto &one) { return one.form == form; });
    return at == placed.trail.end() ? nullptr : &*at;
}

/// What the plot shows of a layer without its name.
report::TimedLayer timedLayer(const roofline::Placement &figures, const std::string &form)
{
    report::TimedLayer layer;
    layer.op = figures.layer.op;
    if (figures.layer.ofSeveral)
        layer.function = figures.layer.function;
    layer.storedS = figures.stored().timeS;
    const roofline::Assessment *one = inForm(figures, form);
    layer.has = one != nullptr;
    if (one == nullptr)
        return layer;
    layer.form = one->form;
    layer.computeS = one->computeS;
    layer.memoryS = one->memoryS;
    layer.timeS = one->timeS;
    layer.bound = one->bound;
    layer.outcome = one->outcome;
    return layer;
}

/// Gives layers of the same placement the same figures. Remembers as many as the placements that
/// are made once.
class SharedFigures
{
public:
    explicit SharedFigures(const std::string &form) : m_form(form) {}

    std::shared_ptr<const report::TimedLayer>
    of(const std::shared_ptr<const roofline::Placement> &placement)
    {
        if (m_known.size() >= kMostPlacements)
            m_known.clear();
        Known &known = m_known[placement.get()];
        if (!known.figures)
            known = {placement,
                     std::make_shared<const report::TimedLayer>(timedLayer(*placement, m_form))};
        return known.figures;
    }

private:
    struct Known {
        std::shared_ptr<const roofline::Placement> placement; ///< keeps its address its own
        std::shared_ptr<const report::TimedLayer> figures;
    };
    const std::string &m_form;
    std::unordered_map<const roofline::Placement *, Known> m_known;
};

} // namespace

struct TimelineDock::Placed {
    std::vector<TimelineLayer> layers;
    roofline::ProgramTime program;
    std::optional<double> floorS;
};

TimelineDock::TimelineDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("timeline"), tr("Timeline"), parent),
      m_state(ChipState::of(session))
{
    auto *content = new QWidget(this);
    auto *bar = new QHBoxLayout;
    m_forms = new QComboBox(content);
    m_forms->setAccessibleName(tr("Form of the weights"));
    m_forms->setToolTip(tr("The times with the weights in this form"));
    fillForms();
    connect(m_forms, &QComboBox::activated, this, &TimelineDock::scheduleRefresh);
    m_batch = new IntegerBox(content);
    m_batch->setRange(1, 65536);
    m_batch->setPrefix(tr("batch "));
    m_batch->setAccessibleName(tr("Batch"));
    connect(m_batch, &QSpinBox::valueChanged, this, &TimelineDock::scheduleRefresh);
    m_facts = new QLabel(content);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setWordWrap(true);
    bar->addWidget(sharedChipBox(m_state, content));
    bar->addWidget(m_forms);
    bar->addWidget(m_batch);
    bar->addWidget(m_facts, 1);
    m_plot = new TimelinePlot(content);
    m_plot->setMinimumHeight(theme::em(this, 9));
    QVBoxLayout *column = contentColumn(content);
    column->addLayout(bar);
    column->addWidget(m_plot, 1);
    setContent(content);
    content->setFocusProxy(m_plot);
    m_actions = m_plot->plotActions();
    connect(&m_state, &ChipState::targetChanged, this, &TimelineDock::scheduleRefresh);
    connect(m_plot, &PlotWidget::currentPointChanged, this,
            [this](int point) { this->session().goToWeight(m_plot->weightOf(point), this); });
    connect(m_plot, &PlotWidget::exportFailed, &session, &Session::statusMessage);
    connect(&session, &Session::bundleChanged, this, &TimelineDock::forget);
    connect(&session.tasks(), &TaskManager::changed, this, [this] {
        if (!m_task || !m_task->progress().cancelled())
            return;
        m_task.reset();
        showMessage(tr("The times were not worked out: the work was cancelled. Change the chip or "
                       "the batch to work them out."));
    });
}

void TimelineDock::fillForms()
{
    m_forms->addItem(tr("stored forms"), QString::fromLatin1(kStored));
    m_forms->addItem(tr("dense fp16"), QStringLiteral("dense"));
    for (const std::string_view form : roofline::candidateForms())
        m_forms->addItem(fromUtf8(form), fromUtf8(form));
    m_forms->addItem(tr("fastest form of each"), QString::fromLatin1(kBest));
}

void TimelineDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle) {
        if (m_task)
            m_task->cancel();
        m_task.reset();
        m_placed.reset();
        showMessage(tr("Open a bundle to see how long its layers take (Ctrl+O)."));
        return;
    }
    const auto roofs = roofline::roofsOf(m_state.target());
    if (!roofs)
        return;
    const BundlePtr shown = bundle;
    const auto batch = static_cast<std::uint64_t>(m_batch->value());
    const std::string form = m_forms->currentData().toString().toStdString();
    if (m_task)
        m_task->cancel();
    m_task.reset();
    if (shown->weights().size() <= kMostPlacedAtOnce) {
        showPlaced(shown, place(*shown, *roofs, m_state.choice(), batch, form, nullptr));
        return;
    }
    if (shown != m_placed.lock())
        showMessage(tr("Working out the times of %1 weights\u2026")
                        .arg(groupedNumber(shown->weights().size())));
    m_task = session().tasks().start(
        this, tr("Working out times"),
        [shown, roofs = *roofs, choice = m_state.choice(), batch, form](Progress &progress) {
            const BundleReadLock lock(*shown);
            return place(*shown, roofs, choice, batch, form, &progress);
        },
        [this, shown](Placed placed) {
            m_task.reset();
            showPlaced(shown, std::move(placed));
        });
}

/// What all layers take, and how it compares with the floor of a dispatch.
QString TimelineDock::timesFact(const roofline::ProgramTime &program)
{
    if (program.alternatives)
        return tr("A dispatch enters one of %1 functions: their times do not add up")
            .arg(program.dispatches.size());
    QString facts = program.engineTimeS
                        ? tr("All layers %1").arg(siWord(*program.engineTimeS, QStringLiteral("s")))
                        : tr("The times of some layers are not known");
    if (program.launches.value_or(1) != 1 && program.dispatchFloorS)
        return facts + tr("; %1 dispatches take %2 at least")
                           .arg(*program.launches)
                           .arg(siWord(*program.dispatchFloorS, QStringLiteral("s")));
    if (program.bound == roofline::ProgramTime::Bound::Dispatch)
        return facts + tr("; the program waits for its dispatch, %1")
                           .arg(siWord(*program.dispatchFloorS, QStringLiteral("s")));
    if (program.bound == roofline::ProgramTime::Bound::Engine)
        facts += tr("; the program waits for its engine");
    return facts;
}

TimelineDock::Placed TimelineDock::place(const Bundle &bundle, const roofline::Roofs &roofs,
                                         const target::TargetChoice &choice, std::uint64_t batch,
                                         const std::string &form, Progress *progress)
{
    Placed made;
    std::vector<TimelineLayer> &layers = made.layers;
    roofline::LayerTimes times;
    SharedFigures figures(form);
    const auto add = [&](const ChipLayer &placed) {
        auto shared = figures.of(placed.figures);
        // What has no such form stays as it is stored, in the sum as well.
        const roofline::Assessment *one = inForm(*placed.figures, form);
        times.add(placed.figures->layer, one != nullptr ? *one : placed.figures->stored());
        layers.push_back({placed.weight, placed.consumer, std::move(shared)});
    };
    if (!forEachPlacement(bundle, roofs, choice, batch, KeptForms::All, progress, add))
        return {};
    layers.shrink_to_fit();
    made.program = times.total(roofs);
    made.floorS = roofs.dispatchFloorS;
    return made;
}

void TimelineDock::showPlaced(const BundlePtr &bundle, Placed placed)
{
    m_placed = bundle;
    if (placed.layers.empty()) {
        showMessage(tr("No operation with a kernel (conv, linear, matmul) reads a weight here."));
        return;
    }
    std::vector<TimelineLayer> &layers = placed.layers;
    const roofline::ProgramTime &program = placed.program;
    const auto missing =
        std::count_if(layers.begin(), layers.end(),
                      [](const TimelineLayer &layer) { return !layer.figures->has; });
    QString facts = timesFact(program);
    if (missing > 0)
        facts += countedWords(static_cast<std::size_t>(missing),
                              tr("; 1 weight has no such form and stays as it is"),
                              tr("; %1 weights have no such form and stay as they are"));
    facts += QLatin1Char('.');
    for (const std::string &note : roofline::programNotes(program))
        facts += QLatin1Char(' ') + fromUtf8(note);
    facts += QLatin1Char(' ') + fromUtf8(roofline::predictionNote(m_state.target()));
    m_facts->setText(facts);
    m_plot->setContent(bundle, std::move(layers), program.engineTimeS, placed.floorS);
    showContent();
    followPlace();
}

/// Another document: what is shown is of the one before, which this must not keep open.
void TimelineDock::forget()
{
    m_placed.reset();
    if (m_plot->bundle())
        m_plot->setContent(nullptr, {}, {}, {});
}

void TimelineDock::follow(const Place &place, QObject *origin)
{
    if (origin != this)
        m_plot->setCurrentPoint(m_plot->pointOfWeight(place.weight));
}

} // namespace kernscope::ui

#include "moc_timeline_dock.cpp"
