// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/timeline_dock.h"

#include "core/assessment/weight_layers.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr double kArithmetic = 3, kBytes = 2, kAsStored = 1; ///< lanes, from the top
constexpr double kHalfBox = 0.4;                             ///< of a lane's height, which is 1
constexpr double kFarFloor = 2; ///< times what the layers take: too far out for the axis
constexpr int kMostDrawn = 1024;

QString timeWord(const std::optional<double> &seconds)
{
    return seconds ? siWord(*seconds, u"s"_s) : TimelinePlot::tr("unknown");
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
    const auto at =
        std::ranges::find_if(placed.trail, [&form](const auto &one) { return one.form == form; });
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
    const auto lane = [this](const QString &name) {
        auto *made = new QCPCurve(plot().xAxis, plot().yAxis);
        made->setName(name);
        return made;
    };
    m_compute = lane(tr("binds"));
    m_computeSlack = lane(tr("does not bind"));
    for (QCPCurve **alike : {&m_memory, &m_memorySlack, &m_before}) {
        *alike = lane({});
        (*alike)->removeFromLegend();
    }
    plot().xAxis->setTicker(quantityTicker(u"s"_s));
    plot().xAxis->setLabel(tr("time in a call"));
    plot().yAxis->grid()->setVisible(false);
    plot().xAxis2->setVisible(true); // names of layers
    plot().xAxis2->setTickLabels(true);
    plot().xAxis2->setTickLength(0);
    m_sumLine = makeLine(Qt::AlignRight);
    m_floorLine = makeLine(Qt::AlignLeft);
    connect(&plot(), &QCustomPlot::beforeReplot, this, &TimelinePlot::nameLayers);
    showLegend();
    setColumns(report::timedLayerTable, [this](int point) { return layer(point); });
}

TimelinePlot::Line TimelinePlot::makeLine(Qt::Alignment side)
{
    Line line{new QCPItemStraightLine(&plot()), new QCPItemText(&plot())};
    line.line->setSelectable(false);
    line.text->setSelectable(false);
    line.text->setPositionAlignment(side | Qt::AlignBottom);
    line.text->setPadding(QMargins(2, 0, 2, theme::em(this, 0.3)));
    line.text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
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
    m_starts.assign(1, 0);
    for (const TimelineLayer &one : m_layers)
        m_starts.push_back(m_starts.back() + one.figures->timeS.value_or(0));
    const double layersEnd = std::max({m_starts.back(), fillLanes(), m_sum.value_or(0)});
    const bool far = m_floor && layersEnd > 0 && *m_floor > kFarFloor * layersEnd;
    const double end = std::max(layersEnd, far ? 0 : m_floor.value_or(0));
    plot().xAxis->setRange(0, end > 0 ? end * 1.02 : 1e-6);
    plot().xAxis2->setRange(plot().xAxis->range());
    showLine(m_sumLine, m_sum, m_sum.value_or(0), tr("all layers: %1").arg(timeWord(m_sum)));
    showLine(m_floorLine, m_floor, 0,
             (far ? tr("a call takes at least %1 \u2192") : tr("a call takes at least %1"))
                 .arg(timeWord(m_floor)));
    m_namedAt = -1;
    endData();
}

/// The boxes of a lane stand on one line: they are filled as one shape.
void TimelinePlot::addBox(QCPCurve &lane, double middle, double from, double seconds)
{
    if (seconds <= 0)
        return;
    for (const auto &[x, y] :
         {std::pair(from, middle - kHalfBox), std::pair(from, middle + kHalfBox),
          std::pair(from + seconds, middle + kHalfBox),
          std::pair(from + seconds, middle - kHalfBox)})
        lane.addData(lane.data()->size(), x, y);
}

double TimelinePlot::fillLanes()
{
    for (QCPCurve *lane : {m_compute, m_computeSlack, m_memory, m_memorySlack, m_before})
        lane->data()->clear();
    // Layers thinner than a pixel have one box together.
    const int together = std::max(1, pointCount() / kMostDrawn);
    double before = 0;
    bool differs = false;
    for (int first = 0; first < pointCount(); first += together) {
        double compute = 0, computeSlack = 0, memory = 0, memorySlack = 0, stored = 0;
        for (int i = first; i < std::min(first + together, pointCount()); ++i) {
            const report::TimedLayer &one = figuresOf(i);
            (one.bound == roofline::Bound::Compute ? compute : computeSlack) +=
                one.computeS.value_or(0);
            (one.bound == roofline::Bound::Bandwidth ? memory : memorySlack) +=
                one.memoryS.value_or(0);
            stored += one.storedS.value_or(0);
            differs |= one.storedS != one.timeS;
        }
        const double start = startOf(first);
        addBox(*m_compute, kArithmetic, start, compute);
        addBox(*m_computeSlack, kArithmetic, start + compute, computeSlack);
        addBox(*m_memory, kBytes, start, memory);
        addBox(*m_memorySlack, kBytes, start + memory, memorySlack);
        addBox(*m_before, kAsStored, before, stored);
        before += stored;
    }
    auto lanes = QSharedPointer<QCPAxisTickerText>::create();
    lanes->addTick(kArithmetic, tr("arithmetic"));
    lanes->addTick(kBytes, tr("bytes"));
    if (differs)
        lanes->addTick(kAsStored, tr("as stored"));
    else
        m_before->data()->clear();
    plot().yAxis->setTicker(lanes);
    // Below the lanes stands what the lines say.
    plot().yAxis->setRange((differs ? kAsStored : kBytes) - 1.1, kArithmetic + 0.5);
    return differs ? before : 0;
}

int TimelinePlot::pointAt(double key) const
{
    if (m_layers.empty() || key < 0 || key >= m_starts.back())
        return -1;
    return static_cast<int>(std::upper_bound(m_starts.begin(), m_starts.end(), key) -
                            m_starts.begin()) -
           1;
}

/// Above the lanes, of those layers that are wide enough.
void TimelinePlot::nameLayers()
{
    const QCPAxisRect &axes = *plot().axisRect();
    const int width = plot().width() - axes.outerRect().width() + axes.width();
    if (width == std::exchange(m_namedAt, width) || !m_bundle)
        return;
    const double scale = width / plot().xAxis->range().size();
    const QFontMetrics metrics(font());
    const auto room = [&](int i) {
        return static_cast<int>((startOf(i + 1) - startOf(i)) * scale) - theme::em(this, 0.3);
    };
    QStringList names;
    std::vector<int> named;
    for (int i = 0; i < pointCount(); ++i) {
        if (room(i) >= theme::em(this, 2.5)) {
            names += fromUtf8(layerName(m_bundle->weights()[at(i).weight], at(i).consumer));
            named.push_back(i);
        }
    }
    const QStringList parts = shortNames(names);
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (std::size_t n = 0; n < named.size(); ++n)
        ticker->addTick(keyOf(named[n]), fittingName(metrics, names[qsizetype(n)],
                                                     parts[qsizetype(n)], room(named[n])));
    plot().xAxis2->setTicker(ticker);
}

void TimelinePlot::showLine(const Line &line, const std::optional<double> &seconds, double textAt,
                            const QString &text)
{
    line.line->setVisible(seconds.has_value());
    line.text->setVisible(seconds.has_value());
    if (!seconds)
        return;
    line.line->point1->setCoords(*seconds, 0);
    line.line->point2->setCoords(*seconds, 1);
    line.text->position->setCoords(textAt, 1);
    line.text->setText(text);
}

int TimelinePlot::pointOfWeight(std::size_t weight) const
{
    const auto at =
        std::ranges::find_if(m_layers, [weight](const auto &one) { return one.weight == weight; });
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
    const auto paint = [&](QCPCurve *lane, Token token, bool binds) {
        const QColor color = theme::color(token, dark);
        lane->setPen(QPen(binds ? ground : color, 1)); // a line between two full ones
        lane->setBrush(binds ? QBrush(color) : QBrush(color, Qt::BDiagPattern));
    };
    paint(m_compute, Token::KindData, true);
    paint(m_computeSlack, Token::KindData, false);
    paint(m_memory, Token::KindMask, true);
    paint(m_memorySlack, Token::KindMask, false);
    paint(m_before, Token::OutDense, true);
    plot().xAxis2->setBasePen(Qt::NoPen);
    plot().xAxis2->setTickPen(Qt::NoPen);
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
    : Dock(session, u"timeline"_s, tr("Timeline"), parent), m_state(ChipState::of(session))
{
    auto *content = new QWidget(this);
    auto *bar = new QHBoxLayout;
    m_forms = named(new QComboBox(content), tr("Form of the weights"));
    m_forms->setToolTip(tr("The times with the weights in this form"));
    fillForms();
    connect(m_forms, &QComboBox::activated, this, &TimelineDock::scheduleRefresh);
    m_batch = integerBox(content, tr("Batch"), 1, 65536, tr("batch "));
    connect(m_batch, &QSpinBox::valueChanged, this, &TimelineDock::scheduleRefresh);
    m_facts = selectableLabel(content);
    laidOut(bar, {sharedChipBox(m_state, content), m_forms, m_batch, {m_facts, 1}});
    m_plot = new TimelinePlot(content);
    m_plot->setMinimumHeight(theme::em(this, 9));
    laidOut(contentColumn(content), {bar, {m_plot, 1}});
    setContent(content, m_plot);
    m_actions = m_plot->plotActions();
    connect(&m_state, &ChipState::targetChanged, this, &TimelineDock::scheduleRefresh);
    connect(m_plot, &PlotWidget::currentPointChanged, this,
            [this](int point) { this->session().goToWeight(m_plot->weightOf(point), this); });
    connect(&session, &Session::bundleChanged, this, &TimelineDock::forget);
    m_task.whenCancelled([this] {
        showMessage(tr("The times were not worked out: the work was cancelled. Change the chip or "
                       "the batch to work them out."));
    });
}

void TimelineDock::fillForms()
{
    m_forms->addItem(tr("stored forms"), QString::fromLatin1(kStored));
    m_forms->addItem(tr("dense fp16"), u"dense"_s);
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
    if (shown->weights().size() <= kMostPlacedAtOnce)
        return showPlaced(shown, place(*shown, *roofs, m_state.choice(), batch, form, nullptr));
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
                        ? tr("All layers %1").arg(siWord(*program.engineTimeS, u"s"_s))
                        : tr("The times of some layers are not known");
    if (program.launches.value_or(1) != 1 && program.dispatchFloorS)
        return facts + tr("; %1 calls take %2 at least")
                           .arg(*program.launches)
                           .arg(siWord(*program.dispatchFloorS, u"s"_s));
    if (program.bound == roofline::ProgramTime::Bound::Dispatch)
        return facts + tr("; the program takes the least time of a call, %1")
                           .arg(siWord(*program.dispatchFloorS, u"s"_s));
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
    if (placed.layers.empty())
        return showMessage(noLayersText(*bundle));
    std::vector<TimelineLayer> &layers = placed.layers;
    const roofline::ProgramTime &program = placed.program;
    const auto missing = std::ranges::count_if(
        layers, [](const TimelineLayer &layer) { return !layer.figures->has; });
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
