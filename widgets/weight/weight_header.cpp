// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_header.h"

#include "widgets/common/design.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/pill.h"
#include "widgets/models/chip_words.h"
#include "widgets/models/form_token.h"
#include "widgets/models/outcome_words.h"
#include "widgets/models/table_text.h"
#include "widgets/models/weight_words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace kernscope::ui {

WeightHeader::WeightHeader(bool withFacts, QWidget *parent)
    : QWidget(parent), m_name(new QLabel(this))
{
    using design::Type;
    m_name->setFont(design::type(font(), withFacts ? Type::Title : Type::Heading));
    m_name->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(1);
    if (!withFacts) {
        layout->addWidget(m_name);
        return;
    }
    m_form = new Pill(tr("Form"), this);
    m_outcome = new Pill(tr("On a chip"), this);
    auto *title = new QHBoxLayout;
    title->setSpacing(design::space(this, design::Space::Medium));
    // The pills stand behind the name, not at the far end: elide() says how much of it there is.
    // A name that once had room must not hold the dock as wide as it is.
    m_name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_name->setMinimumWidth(design::space(this, design::Space::Large));
    title->addWidget(m_name);
    title->addWidget(m_form);
    title->addWidget(m_outcome);
    title->addStretch(1);
    layout->addLayout(title);
    // One line: a second one would take its room from the picture below.
    m_facts = new ElidedLabel(Qt::ElideRight, this);
    m_facts->setFont(design::type(font(), Type::Small));
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    layout->addWidget(m_facts);
}

void WeightHeader::setWeight(const Weight &weight)
{
    m_fullName = fromUtf8(weight.name);
    m_name->setToolTip(m_fullName);
    m_name->setAccessibleName(m_fullName);
    if (m_facts) {
        m_facts->setWholeText(tensorFacts(weight) + QStringLiteral(" \u00B7 ") +
                              tr("read by %1").arg(consumerWords(weight)));
        const QString form = fromUtf8(formText(weight.form));
        m_form->setWords(form, tokenTint(formToken(weight.form), theme::isDark(palette())),
                         tr("Stored as %1").arg(form));
    }
    elide();
}

void WeightHeader::setOutcome(std::optional<decision::Outcome> outcome, const QString &chip,
                              const QString &why)
{
    if (!m_outcome)
        return;
    m_outcome->setWords(
        outcome ? tr("%1 on %2").arg(outcomeLabel(*outcome), chip) : QString(),
        outcome ? tokenTint(outcomeToken(*outcome), theme::isDark(palette())) : QColor(), why);
    elide();
}

void WeightHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    elide();
}

void WeightHeader::elide()
{
    int room = width();
    for (const Pill *pill : {m_form, m_outcome}) {
        if (pill && !pill->isHidden())
            room -= pill->sizeHint().width() + design::space(this, design::Space::Medium);
    }
    m_name->setText(elidedName(m_name->fontMetrics(), m_fullName, room));
}

} // namespace kernscope::ui

#include "moc_weight_header.cpp"
