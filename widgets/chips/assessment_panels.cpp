// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/assessment_panels.h"

#include "widgets/common/design.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace kernscope::ui {

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

} // namespace kernscope::ui

#include "moc_assessment_panels.cpp"
