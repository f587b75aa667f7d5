// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/panel_section.h"

#include "widgets/common/design.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace kernscope::ui {

PanelSection::PanelSection(const QString &title, QWidget *content, QWidget *parent)
    : QWidget(parent), m_heading(new QToolButton(this)),
      m_note(design::label({}, design::Type::Small, this)), m_content(content)
{
    using design::Space;
    content->setParent(this);
    m_heading->setAutoRaise(true);
    m_heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_heading->setArrowType(Qt::DownArrow);
    m_heading->setIconSize(
        QSize(design::space(this, Space::Medium), design::space(this, Space::Medium)));
    m_heading->setFont(design::type(font(), design::Type::Heading));
    m_heading->setToolTip(tr("Fold or unfold"));
    setTitle(title);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *head = new QHBoxLayout;
    head->setSpacing(design::space(this, Space::Small));
    head->addWidget(m_heading);
    head->addWidget(m_note, 1);
    auto *column = new QVBoxLayout(this);
    const int gap = design::space(this, Space::Small);
    column->setContentsMargins(0, gap, 0, gap);
    column->setSpacing(design::space(this, Space::Hair));
    column->addLayout(head);
    column->addWidget(content, 1);
    connect(m_heading, &QToolButton::clicked, this, [this] { setFolded(!m_folded); });
}

void PanelSection::setTitle(const QString &title)
{
    m_heading->setText(title);
    m_heading->setAccessibleName(title);
}

void PanelSection::setNote(const QString &text)
{
    m_note->setText(text);
    m_note->setToolTip(text);
}

void PanelSection::setFolded(bool folded)
{
    m_folded = folded;
    m_heading->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    m_content->setVisible(!folded);
}

void PanelSection::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), design::hairline(palette()));
}

} // namespace kernscope::ui

#include "moc_panel_section.cpp"
