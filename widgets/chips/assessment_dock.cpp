// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/assessment_dock.h"

#include "core/assessment/calibrate.h"
#include "core/bundle/bundle.h"
#include "core/report/decision_table.h"
#include "widgets/chips/verdict.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

using decision::Outcome;

QString stateGlyph(const std::optional<bool> &passes)
{
    return passes ? (*passes ? u"\u2713"_s : u"\u2715"_s) : u"?"_s;
}

QString secondsWord(const std::optional<double> &time)
{
    return time ? siWord(*time, u"s"_s) : Words::tr("unknown");
}

QString exactBytes(std::uint64_t bytes)
{
    return Words::tr("%1 B").arg(groupedNumber(bytes));
}

QString knownBytes(const std::optional<std::uint64_t> &bytes)
{
    return bytes ? exactBytes(*bytes) : Words::tr("unknown");
}

QString contested(const QString &other)
{
    return u" %1 %2"_s.arg(theme::glyph(Token::MarkContested), other);
}

QString sentenceOf(const Weight &weight, const roofline::Assessment &assessment)
{
    const decision::Decision &decision = assessment.decision;
    const QString moved =
        decision.bytesMoved ? exactBytes(*decision.bytesMoved) : Words::tr("unknown bytes");
    switch (decision.outcome()) {
    case Outcome::Streams:
        if (!assessment.weight.storedBytes)
            return Words::tr(
                "The engine reads its stored bytes; how many is not known: not all of them can be "
                "read here.");
        return Words::tr("The engine reads its stored bytes: %1 per call, %2 of dense "
                         "fp16.")
            .arg(moved, ratioText(weight.ratio()));
    case Outcome::Folds:
        return Words::tr("It is made dense fp16 before the call: the engine reads %1, and "
                         "the stored form saves none of them.")
            .arg(moved);
    case Outcome::Dense:
        return Words::tr("It is dense already: the engine reads %1 at every call.").arg(moved);
    case Outcome::Rejected:
        return decision.verdict->refusedBy.empty()
                   ? Words::tr("The compiler refuses it for this chip.")
                   : Words::tr("The compiler refuses it for this chip: %1.")
                         .arg(fromUtf8(decision.verdict->refusedBy));
    case Outcome::Unknown: break;
    }
    return Words::tr("A byte that decides is not known for this chip; unknown is not 0.");
}

QString gateCounts(const std::vector<decision::Reason> &reasons)
{
    const auto count = [&](std::optional<bool> state) {
        return std::ranges::count(reasons, state, &decision::Reason::passes);
    };
    QStringList words;
    if (const auto pass = count(true))
        words += Words::tr("%1 pass").arg(pass);
    if (const auto fail = count(false))
        words += Words::tr("%1 fail").arg(fail);
    if (const auto open = count(std::nullopt))
        words += Words::tr("%1 open").arg(open);
    return words.join(u", "_s);
}

AssessmentFacts bytesFacts(const roofline::Assessment &assessment)
{
    AssessmentFacts facts{{Words::tr("stored"), knownBytes(assessment.weight.storedBytes)},
                          {Words::tr("as dense fp16"), exactBytes(assessment.weight.denseBytes)}};
    facts.push_back({Words::tr("read per call"), knownBytes(assessment.decision.bytesMoved)});
    return facts;
}

AssessmentFacts speedFacts(const roofline::Assessment &assessment)
{
    AssessmentFacts facts;
    if (assessment.predictedSpeedup)
        facts.push_back(
            {Words::tr("predicted"),
             Words::tr("%1 \u00d7").arg(*assessment.predictedSpeedup, 0, 'f', 2),
             Words::tr("Against the same values stored dense, by the roofs of the chip; "
                       "not measured")});
    if (assessment.predictedCallSpeedup)
        facts.push_back(
            {Words::tr("predicted, of a call"),
             Words::tr("%1 \u00d7").arg(*assessment.predictedCallSpeedup, 0, 'f', 2),
             Words::tr("A call that runs the layer alone, with what it takes beside the "
                       "layer, against the same with the values stored dense")});
    if (assessment.predictedOverUnpruned && assessment.weight.density.value_or(1) < 1)
        facts.push_back({Words::tr("predicted, before pruning"),
                         Words::tr("%1 \u00d7").arg(*assessment.predictedOverUnpruned, 0, 'f', 2),
                         Words::tr("Against dense weights without zeros, by the roofs of the chip; "
                                   "not measured")});
    if (const auto &speedup = assessment.speedup)
        facts.push_back({Words::tr("measured"), Words::tr("%1 \u00d7").arg(speedupWord(*speedup)),
                         u"%1 \u00b7 %2 \u00b7 %3"_s.arg(fromUtf8(speedup->condition),
                                                         fromUtf8(speedup->source),
                                                         confidenceWord(speedup->confidence))});
    for (const decision::Measurement &measured : assessment.measured) {
        const QString figure = speedupWord({measured.low, measured.high, {}, {}, {}});
        facts.push_back(
            {Words::tr("published %1\u00a0\u00d7").arg(figure),
             measured.holds()
                 ? (*measured.holds() ? Words::tr("holds here") : Words::tr("not here"))
                 : Words::tr("open here"),
             u"%1 \u00b7 %2"_s.arg(fromUtf8(measured.condition), fromUtf8(measured.source))});
        for (const decision::Condition &condition : measured.conditions)
            facts.push_back(
                {u"   %1 %2"_s.arg(stateGlyph(condition.holds), fromUtf8(condition.name)),
                 condition.holds.value_or(false)
                     ? fromUtf8(condition.found)
                     : Words::tr("%1, needs %2")
                           .arg(fromUtf8(condition.found), fromUtf8(condition.required)),
                 u"%1 \u00b7 %2"_s.arg(fromUtf8(condition.source),
                                       confidenceWord(condition.confidence))});
    }
    return facts;
}

AssessmentFacts memoryFacts(const decision::KernelMemory &memory)
{
    const QString source = u"%1, %2 \u00b7 %3"_s.arg(fromUtf8(target::halOffsetText(memory.offset)),
                                                     fromUtf8(target::halLayoutName(memory.layout)),
                                                     fromUtf8(memory.source));
    AssessmentFacts facts{
        {Words::tr("a core holds"),
         (memory.atMost && memory.demand ? u"\u2264 "_s : QString()) + knownBytes(memory.demand),
         memory.replicated ? Words::tr("A copy on each core")
         : memory.atMost   ? Words::tr("At most: how its cores share it is not known")
                           : QString()},
        {Words::tr("limit"), knownBytes(memory.cap), source},
        {Words::tr("fits"), yesNoWord(memory.fits)}};
    if (memory.replicated)
        facts.push_back({Words::tr("copies"), Words::tr("one on each core")});
    if (memory.otherDemand)
        facts.push_back({Words::tr("contested"),
                         contested(exactBytes(*memory.otherDemand)).trimmed(),
                         Words::tr("Where each core holds its share")});
    if (memory.sublayers)
        facts.push_back({Words::tr("parts"), groupedNumber(*memory.sublayers),
                         Words::tr("Number of parts that the weight is split into")});
    return facts;
}

AssessmentFacts geometryFacts(const decision::Geometry &geometry)
{
    const auto withOther = [](std::uint64_t value, std::uint64_t other) {
        return groupedNumber(value) +
               (value == other ? QString() : contested(groupedNumber(other)));
    };
    const QString readings = Words::tr("By the %1; behind \u2260 the other reading")
                                 .arg(fromUtf8(decision::ocgReadingName(geometry.reading)));
    AssessmentFacts facts{
        {Words::tr("output-channel group"), withOther(geometry.group, geometry.otherGroup),
         readings},
        {Words::tr("passes"), withOther(geometry.passes, geometry.otherPasses), readings}};
    const QString cores =
        geometry.cores.value ? groupedNumber(*geometry.cores.value) : Words::tr("unknown");
    facts.push_back(
        {Words::tr("cores lit"),
         geometry.lit
             ? Words::tr("%1 of %2")
                   .arg(withOther(*geometry.lit, geometry.litMeasured.value_or(*geometry.lit)),
                        cores)
             : Words::tr("unknown"),
         fromUtf8(geometry.cores.source)});
    facts.push_back(
        {Words::tr("buffering"), fromUtf8(decision::bufferingName(geometry.buffering))});
    facts.push_back({Words::tr("Winograd eligible"), yesNoWord(geometry.winograd.eligible),
                     Words::tr("Whether every condition of table 20.4 holds")});
    for (const std::string &line : geometry.disagreements)
        facts.push_back({theme::glyph(Token::MarkContested), fromUtf8(line)});
    return facts;
}

AssessmentFacts timeFacts(const Bundle &bundle, const roofline::Layer &layer,
                          const roofline::Assessment &assessment)
{
    const auto held = [](const QString &what, const roofline::LayerRoof *roof) {
        return roof != nullptr ? what + QLatin1Char('\n') + roofWords(*roof) : what;
    };
    AssessmentFacts facts{
        {Words::tr("arithmetic"), secondsWord(assessment.computeS),
         held(Words::tr("At the roof of such a layer"), assessment.computeRoof)},
        {Words::tr("bytes"), secondsWord(assessment.memoryS),
         held(Words::tr("Of the weight, and of activations larger than the working set"),
              assessment.weightRoof)},
        {Words::tr("bound by"),
         assessment.bound == roofline::Bound::Compute     ? Words::tr("arithmetic")
         : assessment.bound == roofline::Bound::Bandwidth ? Words::tr("bandwidth")
                                                          : Words::tr("unknown")},
        {Words::tr("predicted time"), secondsWord(assessment.timeS),
         fromUtf8(roofline::predictionNote(*assessment.decision.verdict->target))}};
    if (assessment.intensity)
        facts.push_back({Words::tr("intensity"), siWord(*assessment.intensity, u"FLOP/B"_s)});
    if (const auto &energy = assessment.energy; energy && (energy->lowJ || energy->highJ)) {
        const auto joules = [](const std::optional<double> &value) {
            return value ? siWord(*value, u"J"_s) : u"?"_s;
        };
        facts.push_back({Words::tr("energy"),
                         Words::tr("%1 to %2").arg(joules(energy->lowJ), joules(energy->highJ)),
                         Words::tr("Derived: %1 \u00b7 %2")
                             .arg(fromUtf8(energy->basis), fromUtf8(energy->source))});
    }
    if (const QString own = compilerEstimate(bundle, layer.weight, layer.consumer); !own.isEmpty())
        facts.push_back({Words::tr("the compiler's own estimate"), own,
                         Words::tr("Written in the program beside the operation")});
    return facts;
}

} // namespace

AssessmentWords assessmentWords(const Bundle &bundle, const roofline::Layer &layer,
                                const roofline::Assessment &assessment,
                                const std::optional<decision::Geometry> &geometry)
{
    const decision::Verdict &verdict = *assessment.decision.verdict;
    AssessmentWords words;
    words.outcome = outcomeLabel(verdict.outcome);
    words.sentence = sentenceOf(bundle.weights()[layer.weight], assessment);
    words.basis = Words::tr("Decided by %1, %2.")
                      .arg(fromUtf8(verdict.basis), confidenceLabel(verdict.confidence));
    if (!verdict.note.empty())
        words.remarks += fromUtf8(verdict.note);
    for (const std::string &line : verdict.disagreements)
        words.remarks += theme::glyph(Token::MarkContested) + QLatin1Char(' ') + fromUtf8(line);
    words.change = fromUtf8(verdict.nearestChange);
    words.gateCount = gateCounts(verdict.reasons);
    words.bytes = bytesFacts(assessment);
    words.speed = speedFacts(assessment);
    words.memory = memoryFacts(assessment.decision.memory);
    if (geometry)
        words.geometry = geometryFacts(*geometry);
    words.time = timeFacts(bundle, layer, assessment);
    return words;
}

/// Rows of an inspector, names at the left and values at the right: long ones have several lines,
/// nothing is cut.
class FactRows final : public QWidget
{
    Q_OBJECT

public:
    explicit FactRows(QWidget *parent);

    void setFacts(const AssessmentFacts &facts);
    /// The gates of a verdict, one a row in the columns of GateColumn. Two lines each: state and
    /// condition with what was found; then what it needs where that differs, the offset, the source
    /// and how sure it is.
    void setGates(const QAbstractItemModel &gates);

private:
    QPointer<QWidget> m_body;
};

namespace {

/// A new body in the place of the old one, with a grid of two columns.
QGridLayout *newBody(QWidget *owner, QPointer<QWidget> &body)
{
    delete body;
    body = new QWidget(owner);
    owner->layout()->addWidget(body);
    QGridLayout *grid = factGrid(body);
    grid->setColumnStretch(0, 1);
    return grid;
}

QLabel *wrapped(const QString &text, QWidget *parent, Qt::Alignment side)
{
    QLabel *label = selectableLabel(parent, Qt::PlainText); // names come from files
    label->setText(text);
    label->setAlignment(side | Qt::AlignTop);
    return label;
}

} // namespace

FactRows::FactRows(QWidget *parent) : QWidget(parent)
{
    withoutMargins(new QVBoxLayout(this));
}

void FactRows::setFacts(const AssessmentFacts &facts)
{
    QGridLayout *grid = newBody(this, m_body);
    int row = 0;
    for (const AssessmentFact &fact : facts) {
        QLabel *name = wrapped(fact.name, m_body, Qt::AlignLeft);
        name->setForegroundRole(QPalette::PlaceholderText);
        QLabel *value = wrapped(fact.value, m_body, Qt::AlignRight);
        value->setAccessibleName(fact.name);
        value->setAccessibleDescription(fact.tip);
        for (QLabel *label : {name, value})
            label->setToolTip(fact.tip);
        grid->addWidget(name, row, 0);
        grid->addWidget(value, row, 1);
        ++row;
    }
    m_body->show();
}

void FactRows::setGates(const QAbstractItemModel &gates)
{
    QGridLayout *grid = newBody(this, m_body);
    const auto text = [&](int row, int column) {
        return gates.index(row, column).data().toString();
    };
    for (int row = 0; row < gates.rowCount(); ++row) {
        const QString state = text(row, GateState);
        QLabel *name =
            wrapped(u"%1 %2"_s.arg(state.section(QLatin1Char(' '), 0, 0), text(row, GateName)),
                    m_body, Qt::AlignLeft);
        name->setAccessibleName(u"%1: %2"_s.arg(text(row, GateName), state));
        QLabel *found = wrapped(text(row, GateFound), m_body, Qt::AlignRight);
        QStringList more;
        const QString needs = tr("needs %1").arg(text(row, GateNeeded));
        if (!gates.index(row, GateState).data(Qt::DisplayRole).toString().startsWith(QChar(0x2713)))
            more += needs;
        for (const int column : {GateOffset, GateSource, GateSureness}) {
            if (!text(row, column).isEmpty())
                more += text(row, column);
        }
        auto *source = design::label(more.join(u" \u00b7 "_s), design::Type::Small, m_body);
        source->setTextFormat(Qt::PlainText);
        source->setWordWrap(true);
        const QString note = gates.index(row, GateName).data(Qt::ToolTipRole).toString();
        const QString tip = note.isEmpty() ? needs : needs + QLatin1Char('\n') + note;
        for (QLabel *label : {name, found, source})
            label->setToolTip(tip);
        grid->addWidget(name, 2 * row, 0);
        grid->addWidget(found, 2 * row, 1);
        grid->addWidget(source, 2 * row + 1, 0, 1, 2);
    }
    m_body->show();
}

AssessmentDock::AssessmentDock(Session &session, QWidget *parent)
    : Dock(session, u"assessment"_s, tr("Assessment"), parent), m_state(ChipState::of(session)),
      m_chip(&m_state.assessed())
{
    m_gates = new RowTable<decision::Reason>(report::reasonTable, this);
    auto *content = new QWidget(this);
    buildSections(content);
    setContent(content);
    buildActions();
    connect(&m_state, &ChipState::tableChanged, this, &AssessmentDock::scheduleRefresh);
    connect(&m_state, &ChipState::targetChanged, this, &AssessmentDock::scheduleRefresh);
    connect(&m_state, &ChipState::verdictChanged, this, &AssessmentDock::scheduleRefresh);
    connect(&m_state, &ChipState::assessedChanged, this, [this] {
        if (pinned())
            return;
        m_chip = &m_state.assessed();
        scheduleRefresh();
    });
}

void AssessmentDock::buildSections(QWidget *content)
{
    auto *column = new QVBoxLayout(content);
    const int gap = design::space(this, design::Space::Small);
    column->setContentsMargins(gap, 0, gap, 0);
    column->setSpacing(0);
    const auto words = [content](design::Type type) {
        return selectable(design::label({}, type, content), Qt::PlainText);
    };
    m_program = sharedVerdict(m_state, content);
    column->addWidget(m_program);
    m_outcome = words(design::Type::Title);
    m_outcome->setAccessibleName(tr("Outcome"));
    m_sentence = words(design::Type::Body);
    m_sentence->setAccessibleName(tr("Verdict"));
    m_remarks = words(design::Type::Small);
    for (QLabel *label : {m_outcome, m_sentence, m_remarks})
        column->addWidget(label);
    column->addSpacing(gap);
    const auto add = [&](const QString &title, QWidget *body) {
        auto *section = new PanelSection(title, body, content);
        column->addWidget(section);
        return section;
    };
    m_change = words(design::Type::Body);
    m_change->setContentsMargins(gap, 0, 0, 0);
    m_changeSection = add(tr("Nearest change"), m_change);
    m_speed = new FactRows(content);
    m_speedSection = add(tr("Speed-up over dense fp16"), m_speed);
    m_gateRows = new FactRows(content);
    m_gateSection = add(tr("Gates"), m_gateRows);
    m_bytes = new FactRows(content);
    add(tr("Bytes"), m_bytes);
    m_memory = new FactRows(content);
    add(tr("Kernel memory"), m_memory);
    m_geometry = new FactRows(content);
    m_geometrySection = add(tr("Geometry"), m_geometry);
    m_time = new FactRows(content);
    add(tr("Time"), m_time);
    laidOut(column, {buildLinks(content), room(1)});
}

QLabel *AssessmentDock::buildLinks(QWidget *parent)
{
    const int gap = design::space(this, design::Space::Small);
    QLabel *further =
        linkLabel(u"<a href=\"choose\">%1</a> \u00b7 <a href=\"geometry\">%2</a> \u00b7 "
                  "<a href=\"targets\">%3</a>"_s.arg(tr("Other forms"), tr("Whole geometry"),
                                                     tr("The chip's values")),
                  parent);
    further->setWordWrap(true);
    further->setContentsMargins(gap, gap, 0, gap);
    connect(further, &QLabel::linkActivated, this, &AssessmentDock::raiseRequested);
    return further;
}

void AssessmentDock::buildActions()
{
    auto *copy =
        dockAction(this, tr("Copy Assessment"), QKeySequence::Copy, [this] { this->copy(); });
    auto *save = exportAction(this, session(), tr("Export Gates…"), *m_gates, "gates");
    m_actions = {copy, save};
    widget()->addActions(m_actions);
    for (QAction *action : m_actions)
        action->setEnabled(false);
}

/// What a person selected in a label, else everything.
void AssessmentDock::copy()
{
    const auto *label = qobject_cast<const QLabel *>(QApplication::focusWidget());
    const bool part = label && isAncestorOf(label) && label->hasSelectedText();
    QApplication::clipboard()->setText(part ? label->selectedText() : text());
}

/// Nothing is on view but why: nothing can be copied or exported either.
void AssessmentDock::showNothing(const QString &why)
{
    m_words = {};
    m_cell.clear();
    m_gates->setRows({});
    for (QAction *action : m_actions)
        action->setEnabled(false);
    showMessage(why);
}

QString AssessmentDock::text() const
{
    QStringList lines{m_cell, m_words.outcome, m_words.sentence, m_words.basis};
    lines += m_words.remarks;
    if (!m_words.change.isEmpty())
        lines += tr("Nearest change: %1").arg(m_words.change);
    for (int row = 0; row < m_gates->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < m_gates->columnCount(); ++column)
            cells += m_gates->index(row, column).data().toString();
        lines += cells.join(QLatin1Char('\t'));
    }
    for (const AssessmentFacts *facts :
         {&m_words.bytes, &m_words.speed, &m_words.memory, &m_words.geometry, &m_words.time}) {
        for (const AssessmentFact &fact : *facts)
            lines += fact.name.trimmed() + QLatin1Char('\t') + fact.value;
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void AssessmentDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!pinned())
        m_chip = &m_state.assessed();
    if (!bundle)
        showNothing(tr("Open a bundle to see what a chip does with its weights (Ctrl+O)."));
    else if (!m_state.table())
        showNothing(m_state.waitingText());
    else if (bundle->weights().empty())
        showNothing(tr("This file has no weights to judge."));
    else
        showCell();
}

void AssessmentDock::follow(const Place &, QObject *)
{
    refresh();
}

void AssessmentDock::showCell()
{
    const BundlePtr &bundle = session().bundle();
    const auto &table = m_state.table();
    const std::size_t weight = place().weight, chip = table->columnOf(*m_chip);
    if (weight >= std::min(table->rows(), bundle->weights().size()) || chip == kNoIndex) {
        showNothing(tr("Select a weight, or a cell of Stream or Fold, to see what the chip does "
                       "with it and why."));
        return;
    }
    const roofline::Layer &layer = table->layer(weight);
    const roofline::Assessment assessment = table->assessment(weight, chip);
    std::optional<decision::Geometry> geometry;
    if (layer.operation) {
        decision::GeometryOptions options;
        if (m_chip == &m_state.target())
            options.choice = m_state.choice();
        if (auto computed = roofline::geometryOf(layer, assessment, *m_chip, options))
            geometry = std::move(*computed);
    }
    m_words = assessmentWords(*bundle, layer, assessment, geometry);
    m_cell =
        tr("On %1: %2").arg(chipName(*m_chip), fromUtf8(bundle->weights()[weight].findableName()));
    m_gates->setRows(assessment.decision.verdict->reasons);
    setNote(m_cell);
    m_program->setVisible(m_chip == &m_state.target() && m_state.verdict());
    showSections();
    for (QAction *action : m_actions)
        action->setEnabled(true);
    showContent();
}

void AssessmentDock::showSections()
{
    m_outcome->setText(m_words.outcome);
    m_sentence->setText(m_words.sentence);
    m_remarks->setText((QStringList{m_words.basis} + m_words.remarks).join(QLatin1Char('\n')));
    m_change->setText(m_words.change);
    m_changeSection->setVisible(!m_words.change.isEmpty());
    m_gateRows->setGates(*m_gates);
    m_gateSection->setNote(m_words.gateCount);
    m_gateSection->setVisible(m_gates->rowCount() > 0);
    m_bytes->setFacts(m_words.bytes);
    m_speed->setFacts(m_words.speed);
    m_speedSection->setVisible(!m_words.speed.empty());
    m_memory->setFacts(m_words.memory);
    m_geometry->setFacts(m_words.geometry);
    m_geometrySection->setVisible(!m_words.geometry.empty());
    m_time->setFacts(m_words.time);
}

} // namespace kernscope::ui

#include "assessment_dock.moc"
#include "moc_assessment_dock.cpp"
