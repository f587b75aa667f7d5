// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/geometry_dock.h"

#include "core/assessment/weight_layers.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

/// Figure 20.1 with the numbers of one layer: output channels, their groups, the cores that they
/// are dealt to, the accumulators of a core, the reduction, the port. Lit cores are filled; the
/// table of the geometry has every number of it.
class DatapathView final : public QWidget
{
    Q_OBJECT

public:
    explicit DatapathView(QWidget *parent = nullptr);

    void setGeometryOf(const decision::LayerOperation &operation,
                       std::optional<decision::Geometry> geometry);
    /// A line a stage, as they are drawn: what a screen reader says.
    QStringList stages() const;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void drawCores(QPainter &painter, const QRectF &row) const;

    decision::LayerOperation m_operation;
    std::optional<decision::Geometry> m_geometry;
};

namespace {

constexpr std::uint64_t kMostCores = 16; ///< drawn one by one; more are said in words
constexpr int kCoresAt = 2;              ///< place of the cores among the stages

/// "Group 2, 128 passes, 4 of 4 cores lit, double-buffered, Winograd eligible: yes."
QString geometrySummary(const decision::Geometry &geometry)
{
    const auto &cores = geometry.cores.value;
    return GeometryDock::tr(
               "Group %1, %2 passes, %3 of %4 cores lit, %5-buffered, Winograd eligible: %6.")
        .arg(groupedNumber(geometry.group), groupedNumber(geometry.passes),
             geometry.lit ? groupedNumber(*geometry.lit) : GeometryDock::tr("?"),
             cores ? groupedNumber(*cores) : GeometryDock::tr("?"),
             fromUtf8(decision::bufferingName(geometry.buffering)),
             yesNoWord(geometry.winograd.eligible));
}

} // namespace

DatapathView::DatapathView(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Datapath of the layer"));
}

void DatapathView::setGeometryOf(const decision::LayerOperation &operation,
                                 std::optional<decision::Geometry> geometry)
{
    m_operation = operation;
    m_geometry = std::move(geometry);
    setAccessibleDescription(stages().join(QLatin1Char('\n')));
    setToolTip(m_geometry ? tr("Figure 20.1 of the engine guide, with this layer's numbers")
                          : QString());
    update();
}

QStringList DatapathView::stages() const
{
    if (!m_geometry)
        return {tr("No geometry: the numbers above are refused.")};
    const decision::Geometry &geometry = *m_geometry;
    const auto known = [](const auto &value) { return value ? groupedNumber(*value) : u"?"_s; };
    return {tr("%1 output channels").arg(groupedNumber(m_operation.outputChannels)),
            tr("groups of %1: %2 passes over the input")
                .arg(groupedNumber(geometry.group), groupedNumber(geometry.passes)),
            tr("channel c on core c mod %1: %2 of %1 cores lit")
                .arg(known(geometry.cores.value), known(geometry.lit)),
            tr("accumulator file, 8 deep: demand %1, %2-buffered, %3 channels a slot")
                .arg(groupedNumber(geometry.demand),
                     fromUtf8(decision::bufferingName(geometry.buffering)))
                .arg(geometry.perAccumulator),
            tr("%1 lanes; tiles of four rounded to fp16").arg(geometry.cycles.lanes),
            tr("wide accumulator of fp32 class over %1 products a channel")
                .arg(groupedNumber(m_operation.inputChannels * geometry.kernel)),
            tr("output port, rounds to fp16")};
}

QSize DatapathView::minimumSizeHint() const
{
    return {theme::em(this, 18), theme::em(this, 18)};
}

void DatapathView::drawCores(QPainter &painter, const QRectF &row) const
{
    const std::uint64_t cores = m_geometry->cores.value.value_or(0);
    if (cores == 0 || cores > kMostCores)
        return;
    const bool dark = theme::isDark(palette());
    const double width = row.width() / double(cores);
    for (std::uint64_t core = 0; core < cores; ++core) {
        const QRectF box(row.left() + double(core) * width + 1, row.top(), width - 2, row.height());
        const bool lit = m_geometry->lit && core < *m_geometry->lit;
        painter.setBrush(lit ? QBrush(theme::color(Token::KindData, dark)) : Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Mid), 1, lit ? Qt::SolidLine : Qt::DashLine));
        painter.drawRoundedRect(box, 3, 3);
        const std::uint64_t channels = m_operation.outputChannels;
        const std::uint64_t mine = channels > core ? (channels - core - 1) / cores + 1 : 0;
        painter.setPen(lit ? theme::textOn(Token::KindData, dark)
                           : palette().color(QPalette::Text));
        const QString text = width > theme::em(this, 5)
                                 ? tr("core %1\n%2 ch").arg(core).arg(groupedNumber(mine))
                                 : QString::number(core);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void DatapathView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QStringList lines = stages();
    const double margin = theme::em(this, 0.5), arrow = theme::em(this, 0.9);
    const int extra = m_geometry ? 1 : 0; // the cores themselves, below their line
    const double count = double(lines.size() + extra);
    const double height = std::min((this->height() - 2 * margin - (count - 1) * arrow) / count,
                                   double(theme::em(this, 2.6)));
    double top = margin;
    for (int i = 0; i < lines.size(); ++i) {
        const QRectF box(margin, top, width() - 2 * margin, height);
        painter.setPen(palette().color(QPalette::Mid));
        painter.setBrush(palette().brush(QPalette::AlternateBase));
        painter.drawRoundedRect(box, 3, 3);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(box.adjusted(margin, 0, -margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         lines[i]);
        top += height;
        if (i == kCoresAt && extra > 0) {
            drawCores(painter, {margin, top + arrow / 2, width() - 2 * margin, height});
            top += height + arrow / 2;
        }
        if (i + 1 < lines.size()) {
            const double middle = width() / 2.0;
            painter.setPen(QPen(palette().color(QPalette::Text), 1.2));
            painter.drawLine(QPointF(middle, top + 1), QPointF(middle, top + arrow - 2));
            painter.drawLine(QPointF(middle - 3, top + arrow - 6),
                             QPointF(middle, top + arrow - 2));
            painter.drawLine(QPointF(middle + 3, top + arrow - 6),
                             QPointF(middle, top + arrow - 2));
        }
        top += arrow;
    }
}

/// The operations of a bundle and, last, the numbers that are typed in. There may be fifty
/// thousand: a line is written when it is shown.
class GeometryDock::OperationList final : public QAbstractListModel
{
public:
    using QAbstractListModel::QAbstractListModel;

    void setChoices(BundlePtr bundle, std::vector<Choice> choices)
    {
        beginResetModel();
        m_bundle = std::move(bundle);
        m_choices = std::move(choices);
        endResetModel();
    }
    const std::vector<Choice> &choices() const { return m_choices; }

    int rowCount(const QModelIndex &parent) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_choices.size());
    }
    QVariant data(const QModelIndex &index, int role) const override
    {
        const auto row = static_cast<std::size_t>(index.row());
        if (!index.isValid() || row >= m_choices.size() ||
            (role != Qt::DisplayRole && role != Qt::EditRole))
            return {};
        const Choice &choice = m_choices[row];
        if (choice.weight == kNoIndex)
            return GeometryDock::tr("Numbers typed in");
        const Weight &weight = m_bundle->weights()[choice.weight];
        return GeometryDock::tr("%1 in %2")
            .arg(fromUtf8(weight.findableName()), fromUtf8(weight.consumers[choice.consumer].op));
    }

private:
    BundlePtr m_bundle;
    std::vector<Choice> m_choices;
};

GeometryDock::GeometryDock(Session &session, QWidget *parent)
    : Dock(session, u"geometry"_s, tr("Geometry"), parent), m_state(ChipState::of(session))
{
    m_model = new EngineFactModel(report::geometryFactTable, this);
    auto *content = new QWidget(this);
    auto *bar = new QHBoxLayout;
    m_chooser = narrowChooser(content, tr("Operation"), 16);
    m_operations = new OperationList(this);
    m_chooser->setModel(m_operations);
    laidOut(
        bar,
        {{m_chooser, 3}, {sharedChipBox(m_state, content), 2}, sharedCoresBox(m_state, content)});
    m_summary = selectableLabel(content);
    m_table = makeTable(content, tr("Figures of the geometry"), m_model, {14, 10, 24, 14, 9});
    m_table->setSortingEnabled(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    QVBoxLayout *column = laidOut(contentColumn(content), {bar, buildFields(content), m_summary});
    m_datapath = new DatapathView(content);
    auto *tabs = new QTabWidget(content);
    tabs->setDocumentMode(true);
    tabs->addTab(m_table, tr("Figures"));
    tabs->addTab(m_datapath, tr("Datapath"));
    column->addWidget(tabs, 1);
    setContent(content, m_table);
    buildActions();
    connect(m_chooser, &QComboBox::activated, this, [this] {
        takeOperation();
        const auto at = static_cast<std::size_t>(m_chooser->currentIndex());
        const std::vector<Choice> &choices = m_operations->choices();
        if (at < choices.size() && choices[at].weight != kNoIndex)
            this->session().goToWeight(choices[at].weight, this);
    });
    connect(&m_state, &ChipState::targetChanged, this, &GeometryDock::scheduleRefresh);
}

void GeometryDock::buildActions()
{
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *save = exportAction(this, this->session(), tr("Export Geometry…"), *m_model, "geometry");
    m_actions = {copy, save};
    m_table->addActions(m_actions);
}

QWidget *GeometryDock::buildFields(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *fields = new FlowLayout(box);
    const auto addField = [fields, box](const QString &name, QWidget *field) {
        auto *pair = new QWidget(box);
        auto *column = withoutMargins(new QVBoxLayout(pair), 0);
        auto *label = new QLabel(name, pair);
        label->setBuddy(field);
        laidOut(column, {label, field});
        fields->addWidget(pair);
    };
    const std::array<QString, Fields> names{tr("channels in"), tr("channels out"), tr("kernel w"),
                                            tr("kernel h"),    tr("output w"),     tr("output h"),
                                            tr("stride"),      tr("weight bits")};
    for (std::size_t i = 0; i < Fields; ++i) {
        auto *spin = integerBox(box, names[i], 0, i == Bits ? 16 : 1'000'000);
        spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
        connect(spin, &QSpinBox::valueChanged, this, &GeometryDock::typed);
        m_fields[i] = spin;
        addField(names[i], spin);
    }
    m_density = decimalBox(box, tr("Density"), {3, -0.01, 1, 0.05, -0.01});
    m_density->setSpecialValueText(tr("unknown"));
    connect(m_density, &QDoubleSpinBox::valueChanged, this, &GeometryDock::typed);
    m_mode = named(new QComboBox(box), tr("Source mode"));
    m_mode->addItems({tr("by shape"), tr("tiny"), tr("small"), tr("default"), tr("other")});
    m_reading = named(new QComboBox(box), tr("Reading of the group size"));
    m_reading->addItems({tr("listing"), tr("formula")});
    m_activation = named(new QComboBox(box), tr("Activation type"));
    for (const std::uint32_t code : {3U, 1U, 2U, 12U}) {
        const auto *row = format::find(format::TensorFormat(code));
        m_activation->addItem(row == nullptr ? QString::number(code) : fromUtf8(row->name), code);
    }
    m_workUnit = named(new QComboBox(box), tr("Work-unit mode"));
    m_workUnit->addItems({tr("0"), tr("1"), tr("2")});
    m_workUnit->setToolTip(tr("Modes 1 and 2 raise the work that Winograd asks for to 32"));
    for (QComboBox *combo : {m_mode, m_reading})
        connect(combo, &QComboBox::activated, this, &GeometryDock::compute);
    for (QComboBox *combo : {m_activation, m_workUnit})
        connect(combo, &QComboBox::activated, this, &GeometryDock::takeModes);
    addField(tr("density"), m_density);
    addField(tr("source mode"), m_mode);
    addField(tr("reading"), m_reading);
    addField(tr("activation"), m_activation);
    addField(tr("work unit"), m_workUnit);
    return box;
}

/// What no bundle says of an operation: of the layer as well, which stays the bundle's.
void GeometryDock::takeModes()
{
    const auto set = [this](decision::LayerOperation &operation) {
        operation.tensorFormat = m_activation->currentData().toUInt();
        operation.workUnitMode = static_cast<unsigned>(m_workUnit->currentIndex());
    };
    set(m_operation);
    if (m_layer)
        set(*m_layer->operation);
    compute();
}

void GeometryDock::fillChooser()
{
    const BundlePtr &bundle = session().bundle();
    m_shown = bundle;
    const QSignalBlocker quiet(m_chooser);
    std::vector<Choice> choices;
    for (std::size_t i = 0; bundle && i < bundle->weights().size(); ++i) {
        const Weight &weight = bundle->weights()[i];
        for (std::size_t c = 0; c < weight.consumers.size(); ++c) {
            // Whether it is one does not depend on the weight's form.
            if (operationOf(weight, weight.consumers[c], {}))
                choices.push_back({i, c});
        }
    }
    choices.push_back({});
    m_operations->setChoices(bundle, std::move(choices));
    m_chooser->setCurrentIndex(0);
    takeOperation();
}

void GeometryDock::takeOperation()
{
    const auto at = static_cast<std::size_t>(std::max(m_chooser->currentIndex(), 0));
    const BundlePtr &bundle = session().bundle();
    m_layer.reset();
    const std::vector<Choice> &choices = m_operations->choices();
    if (at < choices.size() && choices[at].weight != kNoIndex && bundle) {
        m_layer = layerOf(choices[at]);
        m_operation = m_layer ? *m_layer->operation : decision::LayerOperation();
    } else if (m_operation.outputChannels == 1 && m_operation.inputChannels == 1) {
        m_operation.inputChannels = m_operation.outputChannels = 256;
        m_operation.kernelWidth = m_operation.kernelHeight = 3;
        m_operation.outputWidth = m_operation.outputHeight = 32;
        m_operation.inputElements = decision::paddedInputElements(m_operation).value_or(0);
        m_operation.paddedZero = decision::samePaddedZero(m_operation);
    }
    showOperation();
    compute();
}

/// Writes the operation into the fields. A weight that folds reaches the array as fp16: its width
/// is that of the array, and the stored one is said beside.
void GeometryDock::showOperation()
{
    const QScopedValueRollback<bool> filling(m_filling, true);
    const std::array<std::uint64_t, Fields> values{
        m_operation.inputChannels, m_operation.outputChannels, m_operation.kernelWidth,
        m_operation.kernelHeight,  m_operation.outputWidth,    m_operation.outputHeight,
        m_operation.strideX,       m_operation.weightBits};
    for (std::size_t i = 0; i < Fields; ++i)
        m_fields[i]->setValue(static_cast<int>(std::min<std::uint64_t>(values[i], 1'000'000)));
    m_density->setValue(m_operation.density.value_or(-0.01));
    m_activation->setCurrentIndex(std::max(m_activation->findData(m_operation.tensorFormat), 0));
    m_workUnit->setCurrentIndex(static_cast<int>(m_operation.workUnitMode));
    const unsigned stored = m_layer ? m_layer->operation->weightBits : m_operation.weightBits;
    m_fields[Bits]->setToolTip(
        stored == m_operation.weightBits
            ? tr("Bits of a weight as the array reads it")
            : tr("Bits of a weight as the array reads it: stored in %1, folded to %2 on this chip")
                  .arg(stored)
                  .arg(m_operation.weightBits));
}

void GeometryDock::typed()
{
    if (m_filling)
        return;
    m_layer.reset();
    const auto value = [this](Field field) {
        return static_cast<std::uint64_t>(m_fields[field]->value());
    };
    m_operation.inputChannels = value(In);
    m_operation.outputChannels = value(Out);
    m_operation.kernelWidth = value(KernelW);
    m_operation.kernelHeight = value(KernelH);
    m_operation.outputWidth = value(OutputW);
    m_operation.outputHeight = value(OutputH);
    m_operation.outputKnown = true;
    m_operation.strideX = m_operation.strideY = value(Stride);
    if (const auto bits = static_cast<unsigned>(value(Bits)); bits != m_operation.weightBits)
        roofline::setWeightBits(m_operation, bits);
    m_operation.density = m_density->value() < 0 ? std::nullopt : std::optional(m_density->value());
    m_operation.inputElements = decision::paddedInputElements(m_operation).value_or(0);
    m_operation.paddedZero = decision::samePaddedZero(m_operation);
    const QSignalBlocker quiet(m_chooser);
    m_chooser->setCurrentIndex(m_chooser->count() - 1);
    compute();
}

/// The layer of a consumer. The table of decisions has one a weight; others are looked for.
std::optional<roofline::Layer> GeometryDock::layerOf(const Choice &choice) const
{
    const auto fits = [&choice](const roofline::Layer &layer) {
        return layer.weight == choice.weight && layer.consumer == choice.consumer &&
               layer.operation;
    };
    const auto &table = m_state.table();
    if (table && choice.weight < table->rows() && fits(table->layer(choice.weight)))
        return table->layer(choice.weight);
    const Bundle &bundle = *session().bundle();
    const LayerReader reader(bundle);
    for (roofline::Layer &layer : reader.layers(choice.weight, reader.form(choice.weight))) {
        if (fits(layer))
            return std::move(layer);
    }
    // Read by the same operation again: its layer is that of the first operand.
    const Weight &weight = bundle.weights()[choice.weight];
    roofline::Layer layer;
    layer.form = weightForm(bundle, weight);
    layer.operation = operationOf(weight, weight.consumers[choice.consumer], layer.form);
    return layer.operation ? std::optional(std::move(layer)) : std::nullopt;
}

/// Of a layer of the bundle: the operation becomes what the array is given on this chip.
Result<decision::Geometry> GeometryDock::geometry(const decision::GeometryOptions &options)
{
    const target::Target &target = m_state.target();
    const auto roofs = m_layer ? roofline::roofsOf(target) : Result<roofline::Roofs>();
    if (!m_layer || !roofs)
        return decision::computeGeometry(target, m_operation, options);
    decision::Judge judge(options.choice);
    const auto assessment = roofline::assess(*m_layer, m_layer->form, *roofs, judge);
    m_operation = roofline::arrayOperation(*m_layer, assessment);
    return roofline::geometryOf(*m_layer, assessment, target, options);
}

void GeometryDock::compute()
{
    decision::GeometryOptions options;
    options.choice = m_state.choice();
    if (m_mode->currentIndex() > 0)
        options.mode = static_cast<decision::SourceMode>(m_mode->currentIndex() - 1);
    options.reading = m_reading->currentIndex() == 0 ? decision::OcgReading::Listing
                                                     : decision::OcgReading::Formula;
    const auto geometry = this->geometry(options);
    if (m_layer)
        showOperation();
    if (!geometry) {
        m_summary->setText(fromUtf8(describe(geometry.error())));
        m_model->setRows({});
        m_datapath->setGeometryOf(m_operation, {});
        return;
    }
    m_datapath->setGeometryOf(m_operation, *geometry);
    m_summary->setText(
        tr("On %1: %2").arg(fromUtf8(m_state.target().name), geometrySummary(*geometry)));
    m_model->setRows(report::geometryFacts(m_operation, *geometry));
}

void GeometryDock::refresh()
{
    if (m_shown != session().bundle() || m_operations->choices().empty()) {
        fillChooser();
        followPlace();
    } else {
        compute();
    }
    showContent();
}

void GeometryDock::follow(const Place &place, QObject *origin)
{
    if (origin == this)
        return;
    const std::vector<Choice> &choices = m_operations->choices();
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i].weight == place.weight && place.weight != kNoIndex) {
            const QSignalBlocker quiet(m_chooser);
            m_chooser->setCurrentIndex(static_cast<int>(i));
            takeOperation();
            return;
        }
    }
}

} // namespace kernscope::ui

#include "geometry_dock.moc"
#include "moc_geometry_dock.cpp"
