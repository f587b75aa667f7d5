// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_header.h"

#include "widgets/common/design.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/table_text.h"
#include "widgets/weight/weight_words.h"

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
    layout->addWidget(m_name);
    if (!withFacts)
        return;
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
        m_facts->setWholeText(weightFacts(weight) + QStringLiteral(" \u00B7 ") +
                              tr("read by %1").arg(consumerWords(weight)));
    }
    elide();
}

void WeightHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    elide();
}

void WeightHeader::elide()
{
    m_name->setText(elidedName(m_name->fontMetrics(), m_fullName, width()));
}

} // namespace kernscope::ui
