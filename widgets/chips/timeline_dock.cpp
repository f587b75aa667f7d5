// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/timeline_dock.h"

#include "core/assessment/weight_layers.h"
#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/models/theme.h"
#include "widgets/models/words.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include <qcustomplot.h>

namespace kernscope::ui {

namespace {

constexpr double kBar = 0.38, kMostNamed = 24; ///< width of a bar; names of more layers overprint
constexpr int kMostNumbers = 20;               ///< along the axis, where layers are not named
constexpr int kMostDrawn = 1024;               ///< groups of bars

QString timeWord(const std::optional<double> &seconds)
{
    return seconds ? siWord(*seconds, QStringLiteral("s")) : TimelinePlot::tr("unknown");
}

QString bindsWord(roofline::Bound bound)
{
    switch (bound) {
    case roofline::Bound::Compute: return TimelinePlot::tr("the arithmetic binds");
    case roofline::Bound::Bandwidth: return TimelinePlot::tr("the bytes bind");
    case roofline::Bound::Unknown: break;
    }
    return TimelinePlot::tr("what binds is not known");
}

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

TimelinePlot::TimelinePlot(QWidget *parent) : PlotWidget(tr("Timeline"), parent)
{
    const auto bars = [this](const QString &name) {
        auto *made = new QCPBars(plot().xAxis, plot().yAxis);
        made->setWidth(kBar);
        made->setName(name);
        return made;
    };
    m_compute = bars(tr("arithmetic"));
    m_memory = bars(tr("bytes"));
    m_computeSlack = bars(tr("arithmetic, does not bind"));
    m_memorySlack = bars(tr("bytes, do not bind"));
    plot().yAxis->setScaleType(QCPAxis::stLogarithmic);
    plot().yAxis->setTicker(logQuantityTicker(QStringLiteral("s")));
    plot().yAxis->setLabel(tr("time"));
    plot().xAxis->setLabel(tr("layers in the order of the program"));
    m_sumLine = makeLine();
    m_floorLine = makeLine();
    showLegend();
}

TimelinePlot::Line TimelinePlot::makeLine()
{
    Line line{new QCPItemStraightLine(&plot()), new QCPItemText(&plot())};
    line.line->setSelectable(false);
    line.text->setSelectable(false);
    line.text->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
    line.text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    return line;
}

void TimelinePlot::setContent(BundlePtr bundle, std::vector<TimelineLayer> layers,
                              std::optional<double> sumS, std::optional<double> floorS)
{
    beginData();
    m_bundle = std::move(bundle);
    m_layers = std::move(layers);
    m_sum = sumS && *sumS > 0 ? sumS : std::nullopt;
    m_floor = floorS && *floorS > 0 ? floorS : std::nullopt;
    fitRange();
    fillBars();
    nameLayers();
    showLine(m_sumLine, m_sum, tr("all layers: %1").arg(timeWord(m_sum)));
    showLine(m_floorLine, m_floor, tr("a call takes at least %1").arg(timeWord(m_floor)));
    endData();
}

void TimelinePlot::fillBars()
{
    for (QCPBars *bars : {m_compute, m_memory, m_computeSlack, m_memorySlack}) {
        bars->data()->clear();
        bars->setBaseValue(plot().yAxis->range().lower);
    }
    // Bars thinner than a pixel stand in each other: of those of one kind the highest is seen.
    const int together = std::max(1, pointCount() / kMostDrawn);
    for (int first = 0; first < pointCount(); first += together) {
        std::map<QCPBars *, std::pair<double, double>> highest; // value, place
        const auto include = [&highest](QCPBars *bars, double place,
                                        const std::optional<double> &seconds) {
            if (!seconds || *seconds <= 0)
                return;
            auto &[value, at] = highest[bars];
            if (*seconds > value)
                value = *seconds, at = place;
        };
        for (int i = first; i < std::min(first + together, pointCount()); ++i) {
            const report::TimedLayer &one = figuresOf(i);
            include(one.bound == roofline::Bound::Compute ? m_compute : m_computeSlack,
                    i - kBar / 2, one.computeS);
            include(one.bound == roofline::Bound::Bandwidth ? m_memory : m_memorySlack,
                    i + kBar / 2, one.memoryS);
        }
        for (const auto &[bars, bar] : highest)
            bars->addData(bar.second, bar.first);
    }
}

void TimelinePlot::fitRange()
{
    double low = 0, high = 0;
    const auto include = [&](const std::optional<double> &seconds) {
        if (!seconds || *seconds <= 0)
            return;
        low = low > 0 ? std::min(low, *seconds) : *seconds;
        high = std::max(high, *seconds);
    };
    for (const TimelineLayer &one : m_layers) {
        include(one.figures->computeS);
        include(one.figures->memoryS);
    }
    include(m_sum);
    include(m_floor);
    if (low <= 0)
        low = 1e-6, high = 1e-3;
    plot().yAxis->setRange(low / 3, high * 6);
    plot().xAxis->setRange(-0.7, std::max(0.7, pointCount() - 0.3));
}

void TimelinePlot::nameLayers()
{
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const bool each = pointCount() <= kMostNamed;
    QStringList names;
    for (int i = 0; each && i < pointCount(); ++i)
        names += fromUtf8(layer(i).name);
    const QStringList parts = shortNames(names);
    const QFontMetrics metrics(font());
    int step = each ? 1 : 10; // 10, 20, 50, 100, …: as many numbers as have room
    for (int next = 0; !each && pointCount() / step > kMostNumbers; ++next)
        step = step / (next % 3 == 1 ? 2 : 1) * (next % 3 == 1 ? 5 : 2);
    for (int i = 0; i < pointCount(); i += step)
        ticker->addTick(i, each ? elidedName(metrics, parts[i], theme::em(this, 7))
                                : QString::number(i));
    plot().xAxis->setTicker(ticker);
    plot().xAxis->setTickLabelRotation(each && pointCount() > 4 ? -20 : 0);
}

void TimelinePlot::showLine(const Line &line, const std::optional<double> &seconds,
                            const QString &text)
{
    line.line->setVisible(seconds.has_value());
    line.text->setVisible(seconds.has_value());
    if (!seconds)
        return;
    line.line->point1->setCoords(0, *seconds);
    line.line->point2->setCoords(1, *seconds);
    line.text->position->setCoords(0.01, *seconds);
    line.text->setText(text);
}

QStringList TimelinePlot::lineTexts() const
{
    QStringList texts;
    for (const Line &line : {m_sumLine, m_floorLine}) {
        if (line.text->visible())
            texts += line.text->text();
    }
    return texts;
}

int TimelinePlot::pointOfWeight(std::size_t weight) const
{
    const auto at = std::find_if(m_layers.begin(), m_layers.end(),
                                 [weight](const auto &one) { return one.weight == weight; });
    return at == m_layers.end() ? -1 : static_cast<int>(at - m_layers.begin());
}

report::TimedLayer TimelinePlot::layer(int point) const
{
    const TimelineLayer &one = at(point);
    report::TimedLayer whole = *one.figures;
    const std::string &name = layerName(m_bundle->weights()[one.weight], one.consumer);
    whole.name = whole.function.empty() ? name : whole.function + "/" + name;
    whole.compiler = compilerEstimate(*m_bundle, one.weight, one.consumer).toStdString();
    return whole;
}

QString TimelinePlot::pointText(int point) const
{
    const report::TimedLayer one = layer(point);
    if (!one.has)
        return tr("%1 (%2): its weight has no such form").arg(fromUtf8(one.name), fromUtf8(one.op));
    QString text =
        tr("%1 (%2, %3): arithmetic %4, bytes %5: %6, %7")
            .arg(fromUtf8(one.name), fromUtf8(one.op), fromUtf8(one.form), timeWord(one.computeS),
                 timeWord(one.memoryS), bindsWord(one.bound), timeWord(one.timeS));
    if (one.timeS && m_sum)
        text += tr("\n%1 % of all layers").arg(100 * *one.timeS / *m_sum, 0, 'g', 3);
    if (one.storedS && one.timeS && *one.storedS != *one.timeS)
        text += tr("; as stored %1").arg(timeWord(one.storedS));
    if (!one.compiler.empty())
        text += tr("\nthe compiler estimates %1").arg(fromUtf8(one.compiler));
    return text;
}

void TimelinePlot::applyColors(bool dark)
{
    const QColor ground = palette().color(QPalette::Base);
    const QColor text = palette().color(QPalette::Text);
    const auto paint = [&](QCPBars *bars, Token token, bool binds) {
        const QColor color = theme::color(token, dark);
        bars->setPen(QPen(color, 1));
        bars->setBrush(binds ? QBrush(color) : QBrush(color, Qt::BDiagPattern));
    };
    paint(m_compute, Token::KindData, true);
    paint(m_computeSlack, Token::KindData, false);
    paint(m_memory, Token::KindMask, true);
    paint(m_memorySlack, Token::KindMask, false);
    const QColor floor = theme::color(Token::OutFolds, dark);
    m_floorLine.line->setPen(QPen(floor, 1.4, Qt::DashLine));
    m_sumLine.line->setPen(QPen(text, 1, Qt::DotLine));
    for (const Line &line : {m_sumLine, m_floorLine}) {
        line.text->setColor(text);
        line.text->setFont(font());
        line.text->setBrush(ground);
    }
}

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
    m_forms = named(new QComboBox(content), tr("Form of the weights"));
    m_forms->setToolTip(tr("The times with the weights in this form"));
    fillForms();
    connect(m_forms, &QComboBox::activated, this, &TimelineDock::scheduleRefresh);
    m_batch = new IntegerBox(content);
    m_batch->setRange(1, 65536);
    m_batch->setPrefix(tr("batch "));
    m_batch->setAccessibleName(tr("Batch"));
    connect(m_batch, &QSpinBox::valueChanged, this, &TimelineDock::scheduleRefresh);
    m_facts = selectableLabel(content);
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
    m_task.whenCancelled([this] {
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
        m_task.stop();
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
    m_task.stop();
    if (shown->weights().size() <= kMostPlacedAtOnce) {
        showPlaced(shown, place(*shown, *roofs, m_state.choice(), batch, form, nullptr));
        return;
    }
    if (shown != m_placed.lock())
        showMessage(tr("Working out the times of %1 weights\u2026")
                        .arg(groupedNumber(shown->weights().size())));
    m_task.start(
        tr("Working out times"),
        [shown, roofs = *roofs, choice = m_state.choice(), batch, form](Progress &progress) {
            const BundleReadLock lock(*shown);
            return place(*shown, roofs, choice, batch, form, &progress);
        },
        [this, shown](Placed placed) { showPlaced(shown, std::move(placed)); });
}

/// What all layers take, and how it compares with the floor of a dispatch.
QString TimelineDock::timesFact(const roofline::ProgramTime &program)
{
    if (program.alternatives)
        return tr("A call runs one of %1 functions: their times do not add up")
            .arg(program.dispatches.size());
    QString facts = program.engineTimeS
                        ? tr("All layers %1").arg(siWord(*program.engineTimeS, QStringLiteral("s")))
                        : tr("The times of some layers are not known");
    if (program.launches.value_or(1) != 1 && program.dispatchFloorS)
        return facts + tr("; %1 calls take %2 at least")
                           .arg(*program.launches)
                           .arg(siWord(*program.dispatchFloorS, QStringLiteral("s")));
    if (program.bound == roofline::ProgramTime::Bound::Dispatch)
        return facts + tr("; the program takes the least time of a call, %1")
                           .arg(siWord(*program.dispatchFloorS, QStringLiteral("s")));
    if (program.bound == roofline::ProgramTime::Bound::Engine)
        facts += tr("; the engine takes longer than a call must");
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
