// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/engine_docks.h"

#include "core/codec/decode/decoder.h"
#include "core/numeric/half.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

using report::HalShown;
using report::TargetFact;
using target::Target;

/// A fact that is no field of the table; empty: not known.
HalShown shownAs(const QString &text, const Target &target)
{
    HalShown shown;
    shown.source = target.source;
    shown.confidence = target.confidence;
    if (text.isEmpty())
        return shown;
    shown.text = text.toStdString();
    shown.scope = target.name;
    return shown;
}

QString claimText(const Target &target, const char *fact, const std::string &own)
{
    QString text = fromUtf8(own);
    for (const target::Claim &claim : target::claims(target, fact)) {
        if (!claim.byDefault)
            text += TargetsDock::tr(" \u2260 %1 (%2)")
                        .arg(fromUtf8(claim.value), fromUtf8(claim.source));
    }
    return own.empty() && !text.isEmpty() ? TargetsDock::tr("unknown") + text : text;
}

std::string numberText(const std::optional<unsigned> &value)
{
    return value ? std::to_string(*value) : std::string();
}

/// Facts of the chip itself, a row each.
std::vector<TargetFact> targetRows(const Target &a, const Target &b)
{
    struct Fact {
        QString name;
        const char *claim;
        std::string a, b;
    };
    const auto names = [](const Target &target) {
        std::string all;
        for (const std::string &alias : target.aliases)
            all += (all.empty() ? "" : ", ") + alias;
        return all;
    };
    const auto bucket = [](const Target &target) {
        const auto *found = target.cores ? target::deviceBucket(*target.cores) : nullptr;
        return found ? std::to_string(found->bucket) +
                           (found->peak ? ", peak " + std::to_string(*found->peak) : "")
                     : std::string();
    };
    using T = TargetsDock;
    const std::vector<Fact> facts{
        {T::tr("names"), "", names(a), names(b)},
        {T::tr("silicon"), "", a.silicon, b.silicon},
        {T::tr("product"), "product", a.product, b.product},
        {T::tr("family"), "family", a.family, b.family},
        {T::tr("hardware version"), "hardware_version", numberText(a.hardwareVersion),
         numberText(b.hardwareVersion)},
        {T::tr("cpu subtype"), "cpusubtype", numberText(a.cpuSubtype), numberText(b.cpuSubtype)},
        {T::tr("descriptor version"), "descriptor_version", numberText(a.descriptorVersion),
         numberText(b.descriptorVersion)},
        {T::tr("cores"), "cores", numberText(a.cores), numberText(b.cores)},
        {T::tr("device bucket (chapter 36)"), "", bucket(a), bucket(b)},
    };
    std::vector<TargetFact> rows;
    for (const Fact &fact : facts) {
        TargetFact row;
        row.table = T::tr("chip").toStdString();
        row.name = fact.name.toStdString();
        row.value = shownAs(claimText(a, fact.claim, fact.a), a);
        row.other = shownAs(claimText(b, fact.claim, fact.b), b);
        if (target::isContested(a, fact.claim) || target::isContested(b, fact.claim))
            row.value.confidence = row.other->confidence = format::Confidence::Contested;
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Facts of the build, which hold for one chip or for each.
std::vector<TargetFact> buildRows(const Target &a, const Target &b)
{
    std::vector<TargetFact> rows;
    for (const target::ChipFact &fact : target::chipFacts()) {
        const auto of = [&fact](const Target &target) {
            HalShown shown;
            shown.source = fact.source;
            shown.confidence = fact.confidence;
            if (fact.target == "*" || fact.target == target.name) {
                shown.text = fact.value;
                shown.scope = fact.target;
            }
            return shown;
        };
        TargetFact row;
        row.table = TargetsDock::tr("build").toStdString();
        row.offset = fact.place;
        row.name = fact.name;
        row.value = of(a);
        row.other = of(b);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

TargetsDock::TargetsDock(Session &session, QWidget *parent)
    : Dock(session, u"targets"_s, tr("Targets and Gates"), parent), m_state(ChipState::of(session))
{
    m_model = new RowTable<TargetFact>(report::targetFactTable, this);
    auto *content = new QWidget(this);
    m_table =
        makeTable(content, tr("Hardware-abstraction table"), m_model, {7, 5, 22, 11, 11, 18, 9});
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_filter = filterBox(content, tr("Search offset, name, value or source"), m_table);
    m_first = sharedChipBox(m_state, content);
    m_first->setAccessibleName(tr("First chip"));
    m_second = named(new ChipBox(content), tr("Second chip"));
    m_second->setTarget(target::comparedTarget());
    m_onlyDifferent = new QCheckBox(tr("Differences only"), content);
    m_onlyKnown = new QCheckBox(tr("Known only"), content);
    m_onlyKnown->setChecked(true);
    auto *bar = laidOut(new QHBoxLayout,
                        {{m_filter, 2}, {m_first, 1}, {m_second, 1}, m_onlyDifferent, m_onlyKnown});
    m_facts = new QLabel(content);
    m_facts->setWordWrap(true);
    m_facts->setText(
        tr("A blank of the sources is unknown and is never read as 0. \u2260 marks what "
           "sources disagree about: the chapters' value comes first."));
    laidOut(contentColumn(content), {bar, m_facts, {m_table, 1}});
    setContent(content, m_table);
    buildActions();
    connect(m_filter, &QLineEdit::textChanged, m_model, &RowTableModel::setFilter);
    connect(m_second, &ChipBox::targetChosen, this, &TargetsDock::scheduleRefresh);
    connect(&m_state, &ChipState::targetChanged, this, &TargetsDock::scheduleRefresh);
    for (QCheckBox *box : {m_onlyDifferent, m_onlyKnown})
        connect(box, &QCheckBox::toggled, this, &TargetsDock::scheduleRefresh);
}

void TargetsDock::buildActions()
{
    auto *find = findAction(this, tr("Search Targets"), m_filter);
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *save = exportAction(this, session(), tr("Export Table…"), *m_model, "targets");
    m_actions = {find, copy, save};
    m_table->addActions(m_actions);
}

void TargetsDock::refresh()
{
    const Target &a = m_first->target();
    const Target &b = m_second->target();
    m_model->setTitle("first", fromUtf8(a.name));
    m_model->setTitle("second", fromUtf8(b.name));
    std::vector<TargetFact> rows = targetRows(a, b);
    const auto add = [&](std::vector<TargetFact> more, bool compared) {
        for (TargetFact &row : more) {
            const bool known = !row.value.scope.empty() || !row.other->scope.empty();
            const bool same = row.value.text == row.other->text;
            if ((!known && m_onlyKnown->isChecked()) ||
                (same && compared && m_onlyDifferent->isChecked()))
                continue;
            rows.push_back(std::move(row));
        }
    };
    add(report::halRows(a, &b), true);
    add(buildRows(a, b), false);
    m_model->setRows(std::move(rows));
    showContent();
}

namespace {

/// The parts of "2 x 4", "2x4", "2,4".
QStringList numberParts(QString text)
{
    static const QRegularExpression times(u"(?<![0-9])([1-9][0-9]*)x"_s);
    static const QRegularExpression separator(u"[\\s,\u00D7]+(x[\\s]+)?"_s);
    return text.replace(times, u"\\1 "_s).split(separator, Qt::SkipEmptyParts);
}

QString listFault(const QStringList &parts)
{
    for (const QString &part : parts) {
        if (const QString why = NumberRule{true, true, 0}.fault(part); !why.isEmpty())
            return why;
    }
    return {};
}

/// None where one of them is no number: the core says what is missing.
std::vector<std::uint64_t> numbers(const QString &text)
{
    std::vector<std::uint64_t> list;
    const QStringList parts = numberParts(text);
    for (const QString &part : listFault(parts).isEmpty() ? parts : QStringList())
        list.push_back(static_cast<std::uint64_t>(typedInteger(part).value_or(0)));
    return list;
}

} // namespace

CollectiveDock::CollectiveDock(Session &session, QWidget *parent)
    : Dock(session, u"collective"_s, tr("Collective"), parent), m_state(ChipState::of(session))
{
    m_model = new EngineFactModel(report::collectiveFactTable, this);
    auto *content = new QWidget(this);
    auto *predicted =
        new QLabel(tr("%1 <b>Predicted, not measured.</b> The compiler holds this layer decoded "
                      "but gated off: "
                      "its enable byte is 0 on all 28 targets and every register setter is a stub.")
                       .arg(theme::glyph(Token::MarkAssumed)),
                   content);
    predicted->setTextFormat(Qt::RichText);
    predicted->setWordWrap(true);
    QWidget *inputs = buildInputs(content);
    m_table = makeTable(content, tr("Figures of the collective layer"), m_model, {21, 8, 24, 14});
    m_table->setSortingEnabled(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_tabs = new QTabWidget(content);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_table, tr("Figures"));
    addRows(tr("Setters"), report::ccdmaSetterTable, decision::ccdmaSetters());
    addRows(tr("Members and rules"), report::collectiveNoteTable, decision::collectiveNotes());
    laidOut(contentColumn(content),
            {predicted, {parted(Qt::Horizontal, {inputs, {m_tabs, 1}}), 1}});
    setContent(content, m_table);
    auto *copy = dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] {
        copySelection(*qobject_cast<QTableView *>(m_tabs->currentWidget()));
    });
    m_actions = {copy};
    for (int i = 0; i < m_tabs->count(); ++i)
        m_tabs->widget(i)->addActions(m_actions);
    connect(&m_state, &ChipState::targetChanged, this, &CollectiveDock::scheduleRefresh);
}

/// A page of rows that no chip changes.
template <class Row>
void CollectiveDock::addRows(const QString &name, const report::TableOf<Row> &table,
                             std::span<const Row> rows)
{
    auto *model = new RowTable<Row>(table, this);
    model->setRows({rows.begin(), rows.end()});
    auto *view = makeTable(m_tabs, name, model);
    view->resizeColumnsToContents();
    view->horizontalHeader()->setStretchLastSection(true);
    m_tabs->addTab(view, name);
}

QWidget *CollectiveDock::buildInputs(QWidget *content)
{
    auto *inputs = new QWidget(content);
    auto *form = new QFormLayout(inputs);
    form->addRow(tr("Chip"), sharedChipBox(m_state, inputs));
    m_extents = field(inputs, tr("Mesh extents"), u"2 x 4"_s);
    form->addRow(tr("Mesh extents"), m_extents);
    m_dieAxis = spin(inputs, tr("Die axis"), 1, 64);
    form->addRow(tr("Die axis"), m_dieAxis);
    m_engines = spin(inputs, tr("Engines a die"), 4, 1'000'000);
    form->addRow(tr("Engines a die"), m_engines);
    m_device = field(inputs, tr("Device"), u"1, 2"_s);
    form->addRow(tr("Device"), m_device);
    m_index = spin(inputs, tr("Engine index"), 6, 1'000'000'000);
    form->addRow(tr("Engine index"), m_index);
    m_tensor = field(inputs, tr("Tensor"), u"64, 128"_s);
    form->addRow(tr("Tensor"), m_tensor);
    m_axes = field(inputs, tr("Sharded over mesh axes"), u"0, 1"_s);
    form->addRow(tr("Mesh axis of each tensor axis"), m_axes);
    m_reduction = spin(inputs, tr("Reduction type"), 1, 255);
    form->addRow(tr("Reduction type"), m_reduction);
    m_dataType = spin(inputs, tr("Atomic data type"), 3, 0xffffff);
    form->addRow(tr("Atomic data type"), m_dataType);
    return inputs;
}

QLineEdit *CollectiveDock::field(QWidget *parent, const QString &name, const QString &text)
{
    auto *edit = named(new QLineEdit(text, parent), name);
    connect(edit, &QLineEdit::textChanged, this, &CollectiveDock::scheduleRefresh);
    showFaults(edit, [this, edit](const QString &typed) {
        // A tensor axis that is not sharded has nothing, or a dash, between its commas.
        const QStringList axes = QString(typed).remove(QLatin1Char('-')).split(QLatin1Char(','));
        return listFault(edit == m_axes ? axes : numberParts(typed));
    });
    return edit;
}

QSpinBox *CollectiveDock::spin(QWidget *parent, const QString &name, int value, int most)
{
    auto *box = integerBox(parent, name, 0, most);
    box->setValue(value);
    connect(box, &QSpinBox::valueChanged, this, &CollectiveDock::scheduleRefresh);
    return box;
}

report::CollectiveAsked CollectiveDock::asked() const
{
    report::CollectiveAsked asked;
    asked.mesh = {numbers(m_extents->text()), static_cast<std::size_t>(m_dieAxis->value()),
                  static_cast<std::uint64_t>(m_engines->value())};
    asked.device = numbers(m_device->text());
    asked.index = static_cast<std::uint64_t>(m_index->value());
    asked.tensor = numbers(m_tensor->text());
    for (const QString &part : m_axes->text().split(QLatin1Char(','))) {
        const auto axis = typedInteger(part);
        asked.axes.push_back(axis && *axis >= 0 ? std::optional<std::size_t>(*axis) : std::nullopt);
    }
    asked.reduction = static_cast<std::uint32_t>(m_reduction->value());
    asked.dataType = static_cast<std::uint32_t>(m_dataType->value());
    return asked;
}

void CollectiveDock::refresh()
{
    m_model->setRows(report::collectiveFacts(asked(), m_state.target()));
    showContent();
}

namespace {

/// Sixteen times B, -B and 1: how many of the ones survive.
QString triplesOf(int base)
{
    return QStringList(16, u"%1 -%1 1"_s.arg(base)).join(u' ');
}

QString secondReading(const codec::ReductionTrace &trace)
{
    QString text =
        ReductionDock::tr(" \u2260 A second reading gives %1 at the port, %2 in the accumulator")
            .arg(static_cast<double>(halfToFloat(trace.aligned.port)), 0, 'g', 9)
            .arg(static_cast<double>(trace.aligned.accumulator), 0, 'g', 9);
    for (const format::Reading &reading : format::readingsOf("reduction_tile")) {
        if (!reading.taken)
            text += u": %1 [%2]"_s.arg(fromUtf8(reading.text), fromUtf8(reading.source));
    }
    return text + u'.';
}

} // namespace

ReductionPlot::ReductionPlot(QWidget *parent) : PlotWidget(tr("Rounding by position"), parent)
{
    const auto graph = [this](const QString &name) {
        QCPGraph *made = plot().addGraph();
        made->setName(name);
        made->setAdaptiveSampling(true);
        return made;
    };
    m_half = graph(tr("an accumulator of fp16"));
    m_aligned = graph(tr("contested: the second reading (12 aligned bits)"));
    m_engine = graph(tr("the engine"));
    m_contested = graph(tr("contested: a partial sum of 2048 to 4095"));
    m_half->setLineStyle(QCPGraph::lsStepLeft);
    m_aligned->setLineStyle(QCPGraph::lsStepLeft);
    m_engine->setLineStyle(QCPGraph::lsStepLeft);
    m_contested->setLineStyle(QCPGraph::lsNone);
    plot().xAxis->setLabel(tr("tile of four values"));
    plot().xAxis->setTicker(countTicker());
    plot().yAxis->setLabel(tr("sum so far, minus the exact one"));
    showLegend();
    setColumns(report::tileTable, [this](int point) {
        return report::TileFacts{static_cast<std::size_t>(point), tile(point)};
    });
}

void ReductionPlot::setTrace(codec::ReductionTrace trace)
{
    beginData();
    m_trace = std::move(trace);
    for (QCPGraph *graph : {m_engine, m_half, m_aligned, m_contested})
        graph->data()->clear();
    double low = 0, high = 0;
    const auto add = [&](QCPGraph *graph, int at, double value) {
        if (!std::isfinite(value))
            return;
        graph->addData(at, value);
        low = std::min(low, value);
        high = std::max(high, value);
    };
    for (int i = 0; i < pointCount(); ++i) {
        const double engine = static_cast<double>(tile(i).accumulator) - tile(i).exact;
        add(m_engine, i, engine);
        add(m_half, i, static_cast<double>(tile(i).everyStep) - tile(i).exact);
        add(m_aligned, i, static_cast<double>(tile(i).alignedAccumulator) - tile(i).exact);
        if (tile(i).contested)
            add(m_contested, i, engine);
    }
    const double margin = high > low ? 0.08 * (high - low) : 1;
    m_aligned->setVisible(m_trace.readingsDiffer());
    if (m_trace.readingsDiffer())
        m_aligned->addToLegend();
    else
        m_aligned->removeFromLegend();
    plot().yAxis->setRange(low - margin, high + margin);
    plot().xAxis->setRange(-0.5, std::max(0.5, pointCount() - 0.5));
    endData();
}

QString ReductionPlot::pointText(int point) const
{
    const auto &one = tile(point);
    QString text = tr("tile %1: sum %2; accumulator %3, exact %4, of fp16 %5")
                       .arg(point)
                       .arg(static_cast<double>(one.sum))
                       .arg(static_cast<double>(one.accumulator))
                       .arg(one.exact)
                       .arg(static_cast<double>(one.everyStep));
    if (m_trace.readingsDiffer())
        text += tr("\n\u2260 by the second reading: sum %1; accumulator %2")
                    .arg(static_cast<double>(one.alignedSum))
                    .arg(static_cast<double>(one.alignedAccumulator));
    if (one.contested)
        text += tr("\n\u2260 a partial sum of 2048 to 4095: text and model disagree");
    return text;
}

void ReductionPlot::applyColors(bool dark)
{
    m_engine->setPen(QPen(theme::color(Token::KindData, dark), 2));
    m_aligned->setPen(QPen(theme::color(Token::MarkContested, dark), 1.4, Qt::DotLine));
    m_half->setPen(QPen(theme::color(Token::OutFolds, dark), 1.4, Qt::DashLine));
    m_contested->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCross,
                        QPen(theme::color(Token::MarkContested, dark), 1.6), Qt::NoBrush, 8));
}

ReductionDock::ReductionDock(Session &session, QWidget *parent)
    : Dock(session, u"reduction"_s, tr("Reduction"), parent)
{
    setShowsFiles(false);
    auto *content = new QWidget(this);
    m_values = clearableLine(content, tr("Values to add"),
                             tr("Values, as 4096 or 1*1024 (a value and how often)"));
    m_examples = named(new QComboBox(content), tr("Published cases"));
    fillExamples();
    m_result = named(selectableLabel(content), tr("Result"));
    m_plot = new ReductionPlot(content);
    m_plot->setMinimumHeight(theme::em(this, 9));
    auto *bar = laidOut(new QHBoxLayout, {{m_values, 1}, m_examples});
    m_narrow = named(new QComboBox(content), tr("Narrow the port to"));
    m_narrow->setToolTip(tr("What an fp8 output holds of the port, by what is beyond its range"));
    m_narrow->addItem(tr("fp16 port"));
    m_narrow->addItem(tr("to E4M3"), u"e4m3"_s);
    m_narrow->addItem(tr("to E5M2"), u"e5m2"_s);
    bar->addWidget(m_narrow);
    connect(m_narrow, &QComboBox::activated, this, &ReductionDock::scheduleRefresh);
    laidOut(contentColumn(content), {bar, m_result, {m_plot, 1}});
    setContent(content, m_values);
    m_values->setText(m_examples->itemData(1).toString());
    connect(m_values, &QLineEdit::textChanged, this, &ReductionDock::scheduleRefresh);
    connect(m_examples, &QComboBox::activated, this, [this](int example) {
        if (const QString values = m_examples->itemData(example).toString(); !values.isEmpty())
            m_values->setText(values);
    });
    m_actions = m_plot->plotActions();
}

void ReductionDock::fillExamples()
{
    m_examples->addItem(tr("Published cases\u2026"));
    m_examples->addItem(tr("4096 and 1024 ones: 5116"), u"4096 1*1024"_s);
    m_examples->addItem(tr("16 triples of 1024: all survive"), triplesOf(1024));
    m_examples->addItem(tr("16 triples of 4096: four survive"), triplesOf(4096));
    m_examples->addItem(tr("16 triples of 2600: contested"), triplesOf(2600));
}

void ReductionDock::refresh()
{
    std::vector<std::string> texts;
    for (const QString &word : m_values->text().replace(u',', u' ').split(u' ', Qt::SkipEmptyParts))
        texts.push_back(word.toStdString());
    const auto values = codec::parseReductionValues(texts);
    if (!values) {
        m_plot->setTrace({});
        m_result->setText(
            tr("\u201C%1\u201D cannot be read. Expected: %2.")
                .arg(fromUtf8(values.error().found), fromUtf8(values.error().expected)));
    } else if (values->empty()) {
        m_plot->setTrace({});
        m_result->setText(tr("Type the values that one output of a layer adds up."));
    } else {
        codec::ReductionTrace trace = codec::traceReduction(*values);
        QString text =
            tr("%1 values in %2 tiles. Accumulator %3, output port %4 (fp16 %5); exact %6; an "
               "accumulator of fp16 would give %7.")
                .arg(groupedNumber(values->size()), groupedNumber(trace.tiles.size()))
                .arg(static_cast<double>(trace.whole.accumulator), 0, 'g', 9)
                .arg(static_cast<double>(halfToFloat(trace.whole.port)), 0, 'g', 9)
                .arg(hexNumber(trace.whole.port, 4))
                .arg(trace.exact, 0, 'g', 12)
                .arg(static_cast<double>(trace.everyStep), 0, 'g', 9);
        if (trace.whole.isContested())
            text += tr(" \u2260 %1 tiles hold a partial sum of 2048 to 4095, where chapter 20 has "
                       "every unit survive and this order of additions loses some.")
                        .arg(groupedNumber(trace.whole.contested));
        if (trace.whole.isContested() || trace.readingsDiffer())
            text += secondReading(trace);
        const std::string type = m_narrow->currentData().toString().toStdString();
        for (const report::NarrowedPort &one : report::narrowedPort(trace, type, {})) {
            const bool infinite = type == "e5m2" && one.mode == "nan";
            text += QLatin1Char('\n') +
                    tr("As %1, overflow %2: %3 (%4).")
                        .arg(fromUtf8(type), infinite ? tr("infinite") : fromUtf8(one.mode))
                        .arg(static_cast<double>(one.value), 0, 'g', 9)
                        .arg(hexNumber(one.code, 2));
        }
        m_result->setText(text);
        m_plot->setTrace(std::move(trace));
    }
    showContent();
}

} // namespace kernscope::ui

#include "moc_engine_docks.cpp"
