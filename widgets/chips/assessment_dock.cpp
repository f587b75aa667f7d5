// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/assessment_dock.h"

#include "core/assessment/assess.h"
#include "core/bundle/bundle.h"
#include "core/report/decision_table.h"
#include "widgets/chips/assessment_facts.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/panel_section.h"
#include "widgets/models/chip_words.h"
#include "widgets/models/table_text.h"

#include <QAbstractItemModel>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QLabel>
#include <QPointer>
#include <QVBoxLayout>
#include <QWidget>

namespace kernscope::ui {

/// Names at the left, values at the right; long ones have several lines, nothing is cut.
class FactRows final : public QWidget
{
    Q_OBJECT

public:
    explicit FactRows(QWidget *parent);

    void setFacts(const AssessmentFacts &facts);

private:
    QPointer<QWidget> m_body;
};

/// The gates of a verdict, two lines each: state and condition with what was found; then what it
/// needs where that differs, the offset, the source and how sure it is.
class GateRows final : public QWidget
{
    Q_OBJECT

public:
    explicit GateRows(QWidget *parent);

    /// One gate a row, in the columns of GateColumn.
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
    auto *grid = new QGridLayout(body);
    grid->setContentsMargins(design::space(owner, design::Space::Small), 0, 0, 0);
    grid->setHorizontalSpacing(design::space(owner, design::Space::Medium));
    grid->setVerticalSpacing(design::space(owner, design::Space::Hair));
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    return grid;
}

QLabel *wrapped(const QString &text, QWidget *parent, Qt::Alignment side)
{
    auto *label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText); // names come from files
    label->setWordWrap(true);
    label->setAlignment(side | Qt::AlignTop);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void setUp(QWidget *owner)
{
    auto *column = new QVBoxLayout(owner);
    column->setContentsMargins(0, 0, 0, 0);
}

} // namespace

FactRows::FactRows(QWidget *parent) : QWidget(parent)
{
    setUp(this);
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

GateRows::GateRows(QWidget *parent) : QWidget(parent)
{
    setUp(this);
}

void GateRows::setGates(const QAbstractItemModel &gates)
{
    QGridLayout *grid = newBody(this, m_body);
    const auto text = [&](int row, int column) {
        return gates.index(row, column).data().toString();
    };
    for (int row = 0; row < gates.rowCount(); ++row) {
        const QString state = text(row, GateState);
        QLabel *name = wrapped(
            QStringLiteral("%1 %2").arg(state.section(QLatin1Char(' '), 0, 0), text(row, GateName)),
            m_body, Qt::AlignLeft);
        name->setAccessibleName(QStringLiteral("%1: %2").arg(text(row, GateName), state));
        QLabel *found = wrapped(text(row, GateFound), m_body, Qt::AlignRight);
        QStringList more;
        const QString needs = tr("needs %1").arg(text(row, GateNeeded));
        if (!gates.index(row, GateState).data(Qt::DisplayRole).toString().startsWith(QChar(0x2713)))
            more += needs;
        for (const int column : {GateOffset, GateSource, GateSureness}) {
            if (!text(row, column).isEmpty())
                more += text(row, column);
        }
        auto *source =
            design::label(more.join(QStringLiteral(" \u00b7 ")), design::Type::Small, m_body);
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
    : Dock(session, QStringLiteral("assessment"), tr("Assessment"), parent),
      m_state(ChipState::of(session)), m_chip(&m_state.assessed())
{
    m_gates = new RowTable<decision::Reason>(report::reasonTable(), this);
    auto *content = new QWidget(this);
    buildSections(content);
    setContent(content);
    buildActions();
    connect(&m_state, &ChipState::tableChanged, this, &AssessmentDock::scheduleRefresh);
    connect(&m_state, &ChipState::targetChanged, this, &AssessmentDock::scheduleRefresh);
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
        QLabel *label = design::label({}, type, content);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return label;
    };
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
    m_gateRows = new GateRows(content);
    m_gateSection = add(tr("Gates"), m_gateRows);
    m_bytes = new FactRows(content);
    add(tr("Bytes"), m_bytes);
    m_memory = new FactRows(content);
    add(tr("Kernel memory"), m_memory);
    m_geometry = new FactRows(content);
    m_geometrySection = add(tr("Geometry"), m_geometry);
    m_time = new FactRows(content);
    add(tr("Time"), m_time);
    column->addWidget(buildLinks(content));
    column->addStretch(1);
}

QLabel *AssessmentDock::buildLinks(QWidget *parent)
{
    const int gap = design::space(this, design::Space::Small);
    auto *further = new QLabel(parent);
    further->setTextFormat(Qt::RichText);
    further->setText(QStringLiteral("<a href=\"choose\">%1</a> \u00b7 <a href=\"geometry\">%2</a> "
                                    "\u00b7 <a href=\"targets\">%3</a>")
                         .arg(tr("Other forms"), tr("Whole geometry"), tr("The chip's values")));
    further->setWordWrap(true);
    further->setContentsMargins(gap, gap, 0, gap);
    further->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(further, &QLabel::linkActivated, this, &AssessmentDock::raiseRequested);
    return further;
}

void AssessmentDock::buildActions()
{
    auto *copy =
        dockAction(this, tr("Copy Assessment"), QKeySequence::Copy, [this] { this->copy(); });
    auto *save =
        exportAction(this, session(), tr("Export Gates…"), *m_gates, QStringLiteral("gates"));
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
    setNote({});
    if (!bundle)
        showNothing(tr("Open a bundle to see what a chip does with its weights (Ctrl+O)."));
    else if (!m_state.table())
        showNothing(m_state.waitingText());
    else if (bundle->weights().empty())
        showNothing(tr("This file has no weights to judge."));
    else
        showCell();
}

void AssessmentDock::follow(const Place &place, QObject *)
{
    if (place.weight != kNoIndex)
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
        tr("%1 on %2").arg(fromUtf8(bundle->weights()[weight].findableName()), chipName(*m_chip));
    m_gates->setRows(assessment.decision.verdict->reasons);
    setNote(m_cell);
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
