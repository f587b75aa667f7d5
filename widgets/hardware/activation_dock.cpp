// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/activation_dock.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/kernels.h"
#include "core/numeric/half.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

#include <qcustomplot.h>

namespace kernscope::ui {

namespace {

constexpr int kSamples = 600; ///< of each of the three parts of the curve
constexpr int kKnots = static_cast<int>(format::ActivationTable::kKnots);

QCPItemStraightLine *verticalLine(QCustomPlot &plot)
{
    auto *line = new QCPItemStraightLine(&plot);
    line->setSelectable(false);
    line->setVisible(false);
    return line;
}

} // namespace

ActivationPlot::ActivationPlot(QWidget *parent)
    : PlotWidget(tr("Activation function over fp16"), parent)
{
    m_inside = plot().addGraph();
    m_left = plot().addGraph();
    m_right = plot().addGraph();
    m_knots = plot().addGraph();
    m_knots->setLineStyle(QCPGraph::lsNone);
    m_low = verticalLine(plot());
    m_high = verticalLine(plot());
    plot().xAxis->setLabel(tr("input"));
    plot().yAxis->setLabel(tr("output"));
    setColumns({{tr("knot"), [](int point) { return point; }},
                {tr("input"), [this](int point) { return keyOf(point); }},
                {tr("output"), [this](int point) { return knot(point); }}});
}

void ActivationPlot::setTable(std::optional<format::ActivationTable> table,
                              format::ActivationArithmetic arithmetic, format::ActivationTail tail)
{
    beginData();
    m_table = std::move(table);
    m_arithmetic = arithmetic;
    m_tail = tail;
    for (QCPGraph *graph : {m_inside, m_left, m_right, m_knots})
        graph->setData({}, {}, true);
    m_low->setVisible(m_table.has_value());
    m_high->setVisible(m_table.has_value());
    if (m_table) {
        const auto low = static_cast<double>(m_table->lowClamp());
        const auto high = static_cast<double>(m_table->highClamp());
        const double margin = (high - low) / 8;
        const auto domain = m_table->domain();
        fill(low - margin, domain.low, m_left, false);
        fill(domain.low, domain.high, m_inside, true);
        fill(domain.high, high + margin, m_right, false);
        QVector<double> keys, values;
        for (int i = 0; i < kKnots; ++i) {
            keys.append(keyOf(i));
            values.append(knot(i));
        }
        m_knots->setData(keys, values, true);
        m_low->point1->setCoords(low, 0);
        m_low->point2->setCoords(low, 1);
        m_high->point1->setCoords(high, 0);
        m_high->point2->setCoords(high, 1);
        plot().rescaleAxes(true);
        plot().yAxis->scaleRange(1.1);
        plot().xAxis->setRange(low - margin, high + margin);
    }
    endData();
}

/// Samples between two inputs, each rounded to fp16 as the engine's inputs are.
void ActivationPlot::fill(double from, double to, QCPGraph *graph, bool inside)
{
    QVector<double> keys, values;
    for (int i = 0; i <= kSamples; ++i) {
        const double input = from + (to - from) * i / kSamples;
        const double value = valueAt(input);
        if (!std::isfinite(value))
            continue;
        // The ends belong to the knots: the parts outside stop short of them.
        if (!inside && (i == 0 || i == kSamples) && m_table &&
            (input == m_table->domain().low || input == m_table->domain().high))
            continue;
        keys.append(input);
        values.append(value);
    }
    graph->setData(keys, values, true);
}

double ActivationPlot::valueAt(double input) const
{
    return static_cast<double>(
        halfToFloat(m_table->evaluate(doubleToHalf(input), m_arithmetic, m_tail)));
}

double ActivationPlot::knot(int point) const
{
    return static_cast<double>(m_table->knot(static_cast<std::size_t>(point)));
}

int ActivationPlot::pointCount() const
{
    return m_table ? kKnots : 0;
}

QString ActivationPlot::pointText(int point) const
{
    return tr("knot %1: %2 at %3").arg(point).arg(valueText(knot(point)), valueText(keyOf(point)));
}

double ActivationPlot::keyOf(int point) const
{
    return m_table ? m_table->knotInput(static_cast<std::size_t>(point)) : 0;
}

int ActivationPlot::pointAt(double key) const
{
    if (!m_table)
        return -1;
    const auto domain = m_table->domain();
    const double at = std::round((key - domain.low) / (domain.high - domain.low) * (kKnots - 1));
    return static_cast<int>(std::clamp(at, 0.0, static_cast<double>(kKnots - 1)));
}

void ActivationPlot::applyColors(bool dark)
{
    const QColor curve = theme::color(Token::KindData, dark);
    const QColor outside = theme::color(Token::KindValues, dark);
    m_inside->setPen(QPen(curve, 2));
    for (QCPGraph *graph : {m_left, m_right})
        graph->setPen(QPen(outside, 2, Qt::DashLine));
    m_knots->setPen(QPen(curve, 1));
    m_knots->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, curve, palette().color(QPalette::Base), 6));
    for (QCPItemStraightLine *line : {m_low, m_high})
        line->setPen(QPen(theme::color(Token::KindHeader, dark), 1, Qt::DotLine));
}

using format::ActivationArithmetic;
using format::ActivationLayout;
using format::ActivationTable;
using format::ActivationTail;

namespace {

/// Sections up to this size are tried by themselves: tables are padded to 128 bytes, or to 2 KiB
/// by newer compilers.
constexpr std::uint64_t kMostUnasked = 2048;

/// The bytes that a record of a container's tables is about: of a kernel section, or of the kernel
/// that a symbol names.
std::optional<ByteRange> kernelOfRecord(const hwx::Container &container, FileOffset offset)
{
    constexpr std::uint64_t kSectionRecord = 80, kSymbolRecord = 16;
    for (const hwx::Segment &segment : container.segments) {
        for (const hwx::SegmentSection &section : segment.sections) {
            if (section.type() == hwx::SectionType::Kernel &&
                ByteRange{section.place, ByteCount(kSectionRecord)}.contains(offset))
                return section.bytes;
        }
    }
    if (!container.symbolTable || offset.value < container.symbolTable->symbolOffset)
        return std::nullopt;
    const std::uint64_t number =
        (offset.value - container.symbolTable->symbolOffset) / kSymbolRecord;
    if (number >= container.symbols.size())
        return std::nullopt;
    for (const hwx::KernelTile &tile : hwx::kernelTiles(container)) {
        if (tile.symbol == number)
            return ByteRange{tile.fileOffset, tile.bytes};
    }
    return std::nullopt;
}

QComboBox *chooser(QWidget *parent, const QString &name, const QStringList &words,
                   const QString &tip)
{
    auto *box = new QComboBox(parent);
    box->addItems(words);
    box->setAccessibleName(name);
    box->setToolTip(tip);
    return box;
}

} // namespace

ActivationDock::ActivationDock(Session &session, QWidget *parent)
    : Dock(session, u"activation"_s, tr("Activation Table"), parent),
      m_model(new ActivationModel(report::activationTable, this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_summary = new QLabel(content);
    m_summary->setWordWrap(true);
    column->addWidget(m_summary);
    buildChoosers(content);
    m_plot = new ActivationPlot(content);
    m_entries =
        makeTable(content, tr("Entries of the activation table"), m_model, {3.5, 7, 4.5, 6, 7});
    m_entries->setSortingEnabled(false);
    m_entries->horizontalHeader()->setStretchLastSection(true);
    column->addWidget(parted(Qt::Horizontal, {{m_plot, 3}, {m_entries, 2}}), 1);
    setContent(content, m_plot);
    buildActions();
    connect(m_plot, &PlotWidget::currentPointChanged, this, [this](int knot) {
        chooseRow(m_entries, m_model->index(knot + 4, 0)); // after the four first entries
    });
    clear();
}

void ActivationDock::buildChoosers(QWidget *parent)
{
    auto *bar = new QWidget(parent);
    auto *flow = new FlowLayout(bar);
    m_layout = chooser(bar, tr("Reading of the record"),
                       {tr("Text: mode flag and scale"), tr("Device: outputs at the clamps")},
                       tr("Entries 2 and 3: a mode flag and the scale (chapter 25), or the outputs "
                          "at the clamps (real H13 tables). Chosen by what the record holds."));
    m_arithmetic =
        chooser(bar, tr("Arithmetic"), {tr("Exact, rounded once"), tr("fp16 after each operation")},
                tr("\u2260 contested: the text has two descriptions of the interpolation"));
    m_tail = chooser(bar, tr("Outside the knots"), {tr("Clamp to the end knots"), tr("Tail lines")},
                     tr("\u2260 contested: clamping is stated, the use of the tail coefficients is "
                        "not. Device tables are linear up to their clamps."));
    for (QComboBox *box : {m_layout, m_arithmetic, m_tail}) {
        flow->addWidget(box);
        connect(box, &QComboBox::activated, this, &ActivationDock::choose);
    }
    parent->layout()->addWidget(bar);
}

void ActivationDock::buildActions()
{
    auto *read = dockAction(this, tr("Read Table at Selection"), {}, [this] { readSelection(); });
    auto *open =
        dockAction(this, tr("Open Activation Table\u2026"),
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T), [this] { askForFile(); });
    auto *copy = copyAction(m_entries, tr("Copy Entries"), m_entries);
    m_actions = {read, open, copy};
    m_actions.append(m_plot->plotActions());
    m_entries->addActions({read, open, copy});
}

void ActivationDock::askForFile()
{
    const auto open = [this](const QString &path) {
        if (const QString fault = openFile(path); !fault.isEmpty())
            Q_EMIT session().statusMessage(fault);
    };
    openPathDialog(OpenDialog::Lists::Files, this, tr("Open Activation Table"), {}, open);
}

QString ActivationDock::openFile(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return tr("%1: %2").arg(QFileInfo(path).fileName(), file.errorString());
    const QByteArray bytes = file.read(static_cast<qint64>(ActivationTable::kBytes));
    const QString fault =
        show(std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))),
             QFileInfo(path).fileName());
    m_ofFile = fault.isEmpty();
    return fault;
}

std::span<const std::byte> ActivationDock::bytesAt(const Place &place, QString &name) const
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle || place.file >= bundle->files().size() || !place.bytes)
        return {};
    const BundleFile &file = bundle->files()[place.file];
    const auto all = file.file->bytes();
    if (place.bytes->offset.value >= all.size())
        return {};
    name = tr("%1+%2").arg(fromUtf8(file.path), hexNumber(place.bytes->offset.value));
    return all.subspan(place.bytes->offset.value);
}

void ActivationDock::readSelection()
{
    QString name;
    const auto bytes = bytesAt(place(), name);
    const QString fault = show(bytes, name);
    m_ofFile = false;
    if (!fault.isEmpty()) {
        clear();
        Q_EMIT session().statusMessage(fault);
    }
}

/// The table of the bundle that a place is of: the weight itself, the run of bytes that holds it
/// (its kernel section), or the symbol that names it. With nothing selected, the first one.
std::size_t ActivationDock::tableAt(const Place &place) const
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle)
        return kNoIndex;
    const auto &weights = bundle->weights();
    std::optional<ByteRange> meant = place.bytes;
    if (const auto &container = bundle->hardware(); container && place.bytes) {
        if (const auto kernel = kernelOfRecord(*container, place.bytes->offset))
            meant = kernel;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i].role != WeightRole::ActivationTable || weights[i].operands().empty())
            continue;
        const OperandPlace &knots = *weights[i].operands().front().place;
        const bool here = meant && knots.file == place.file &&
                          meant->offset.value < knots.range().end() &&
                          knots.dataOffset.value < meant->end();
        if (place.weight == i || here || (!place.bytes && place.weight == kNoIndex))
            return i;
    }
    return kNoIndex;
}

bool ActivationDock::showTableOf(std::size_t weight)
{
    const Bundle &bundle = *session().bundle();
    const BundleReadLock lock(bundle);
    const OperandPlace &knots = *bundle.weights()[weight].operands().front().place;
    const auto bytes = bundle.files()[knots.file].file->bytes();
    if (knots.dataOffset.value >= bytes.size())
        return false;
    m_ofFile = false;
    return show(bytes.subspan(knots.dataOffset.value), fromUtf8(bundle.weights()[weight].name))
        .isEmpty();
}

void ActivationDock::follow(const Place &place, QObject *)
{
    if (const std::size_t table = tableAt(place); table != kNoIndex && showTableOf(table))
        return;
    QString name;
    const auto bytes = bytesAt(place, name);
    const bool likely = place.bytes && place.bytes->bytes.value >= ActivationTable::kBytes &&
                        place.bytes->bytes.value <= kMostUnasked;
    if (likely && show(bytes, name).isEmpty())
        m_ofFile = false;
    else if (!m_ofFile)
        clear();
}

void ActivationDock::refresh()
{
    if (m_table && m_ofFile)
        display();
    else
        followPlace();
}

QString ActivationDock::show(std::span<const std::byte> bytes, const QString &name)
{
    auto table = ActivationTable::parse(bytes);
    if (!table)
        return tr("No activation table: %1").arg(fromUtf8(describe(table.error())));
    m_table = std::move(*table);
    m_name = name;
    m_layout->setCurrentIndex(m_table->layout() == ActivationLayout::Device ? 1 : 0);
    display();
    return {};
}

void ActivationDock::choose()
{
    if (!m_table)
        return;
    m_table->setLayout(m_layout->currentIndex() == 1 ? ActivationLayout::Device
                                                     : ActivationLayout::Text);
    display();
}

void ActivationDock::display()
{
    m_model->setRows(report::activationEntries(*m_table));
    m_plot->setTable(m_table,
                     m_arithmetic->currentIndex() == 0 ? ActivationArithmetic::Exact
                                                       : ActivationArithmetic::Half,
                     m_tail->currentIndex() == 0 ? ActivationTail::Clamp : ActivationTail::Linear);
    m_tail->setEnabled(m_table->layout() == ActivationLayout::Text);
    const auto domain = m_table->domain();
    QString text = tr("%1: knots from %2 to %3, clamps %4 and %5")
                       .arg(m_name, valueText(domain.low), valueText(domain.high),
                            valueText(static_cast<double>(m_table->lowClamp())),
                            valueText(static_cast<double>(m_table->highClamp())));
    if (domain.assumed)
        text += tr(" (~ assumed: the ends of the knots are where the tail lines meet them)");
    m_summary->setText(text);
    showContent();
}

/// What would make the dock show something.
QString ActivationDock::needed() const
{
    QStringList tables;
    if (const BundlePtr &bundle = session().bundle()) {
        for (const Weight &weight : bundle->weights()) {
            if (weight.role == WeightRole::ActivationTable && tables.size() < 3)
                tables += fromUtf8(weight.name);
        }
        if (!tables.isEmpty())
            return tr("Select an activation table of %1, its kernel section or its symbol:\n%2")
                .arg(fromUtf8(bundle->name()), tables.join(u'\n'));
    }
    return tr("Select the 86 bytes of an activation table in Bytes or Sections, or open a file "
              "that begins with one (View, Docks).");
}

void ActivationDock::clear()
{
    m_table.reset();
    m_ofFile = false;
    m_model->setRows({});
    m_plot->setTable(std::nullopt, ActivationArithmetic::Exact, ActivationTail::Clamp);
    showMessage(needed());
}

} // namespace kernscope::ui

#include "moc_activation_dock.cpp"
