// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/timeline_dock.h"

#include "widgets/chips/chip_box.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/timeline_plot.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr char kStored[] = "stored", kBest[] = "best"; ///< beside the names of forms

/// The assessment of the form that was asked for; null where the weight has no such form.
const roofline::Assessment *inForm(const roofline::Placement &placed, const std::string &form)
{
    if (form == kStored)
        return &placed.stored();
    if (form == kBest)
        return &placed.trail[placed.best];
    if (form == "dense")
        return &placed.trail[placed.dense];
    const auto at = std::find_if(placed.trail.begin(), placed.trail.end(),
                                 [&form](const auto &one) { return one.form == form; });
    return at == placed.trail.end() ? nullptr : &*at;
}

} // namespace

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
    m_batch = new QSpinBox(content);
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
            [this](int point) { this->session().goToWeight(m_plot->layer(point).weight, this); });
    connect(m_plot, &PlotWidget::exportFailed, &session, &Session::statusMessage);
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
        showMessage(tr("Open a bundle to see how long its layers take (Ctrl+O)."));
        return;
    }
    const auto roofs = roofline::roofsOf(m_state.target());
    if (!roofs)
        return;
    decision::Judge judge(m_state.choice());
    const auto network =
        roofline::assessNetwork(layersOf(*bundle, weightForms(*bundle)), *roofs, judge,
                                static_cast<std::uint64_t>(m_batch->value()));
    if (!network || network->placements.empty()) {
        showMessage(tr("No operation with a kernel (conv, linear, matmul) reads a weight here."));
        return;
    }
    showNetwork(*network);
    showContent();
    followPlace();
}

void TimelineDock::showNetwork(const roofline::Network &network)
{
    const Bundle &bundle = *session().bundle();
    const std::string form = m_forms->currentData().toString().toStdString();
    std::vector<TimelineLayer> layers;
    std::optional<double> sum = 0.0;
    for (const roofline::Placement &placed : network.placements) {
        TimelineLayer layer;
        layer.name = fromUtf8(placed.layer.label());
        layer.op = fromUtf8(placed.layer.op);
        layer.weight = placed.layer.weight;
        layer.storedS = placed.stored().timeS;
        layer.compiler = compilerEstimate(bundle, placed.layer);
        if (const roofline::Assessment *one = inForm(placed, form)) {
            layer.form = fromUtf8(one->form);
            layer.computeS = one->computeS;
            layer.memoryS = one->memoryS;
            layer.timeS = one->timeS;
            layer.bound = one->bound;
            layer.outcome = one->outcome;
        } else {
            layer.has = false;
        }
        // What has no such form stays as it is stored, in the sum as well.
        const auto &time = layer.has ? layer.timeS : layer.storedS;
        sum = sum && time ? std::optional(*sum + *time) : std::nullopt;
        layers.push_back(std::move(layer));
    }
    const auto missing = std::count_if(layers.begin(), layers.end(),
                                       [](const TimelineLayer &layer) { return !layer.has; });
    QString facts = sum ? tr("All layers %1").arg(siWord(*sum, QStringLiteral("s")))
                        : tr("The times of some layers are not known");
    if (network.program.alternatives)
        facts += tr("; a dispatch enters one of %1 functions: their times do not add up")
                     .arg(network.program.dispatches.size());
    else if (!network.program.dispatches.empty() && network.program.dispatchFloorS)
        facts += tr("; %1 dispatches take %2 at least")
                     .arg(network.program.dispatches.size())
                     .arg(siWord(*network.program.dispatchFloorS, QStringLiteral("s")));
    else if (sum && network.program.dispatchFloorS)
        facts += *sum < *network.program.dispatchFloorS
                     ? tr("; the program waits for its dispatch, %1")
                           .arg(siWord(*network.program.dispatchFloorS, QStringLiteral("s")))
                     : tr("; the program waits for its engine");
    if (missing > 0)
        facts += countedWords(missing, tr("; 1 weight has no such form and stays as it is"),
                              tr("; %1 weights have no such form and stay as they are"));
    m_facts->setText(facts + QLatin1Char('.'));
    if (network.program.alternatives)
        sum.reset();
    m_plot->setContent(std::move(layers), sum, network.roofs.dispatchFloorS);
}

void TimelineDock::follow(const Place &place, QObject *origin)
{
    if (origin != this)
        m_plot->setCurrentPoint(m_plot->pointOfWeight(place.weight));
}

} // namespace kernscope::ui
