// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/pill.h"

#include "widgets/common/design.h"
#include "widgets/models/theme.h"

#include <QPainter>

#include <algorithm>

namespace kernscope::ui {

void paintPill(QPainter &painter, const QRectF &box, const QColor &tint)
{
    const double round = std::min(box.height() / 2, box.width() / 2);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint);
    painter.drawRoundedRect(box, round, round);
    painter.restore();
}

Pill::Pill(const QString &name, QWidget *parent) : QLabel(parent), m_name(name)
{
    setFont(design::type(parent->font(), design::Type::Small));
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setContentsMargins(theme::em(this, 0.6), theme::em(this, 0.1), theme::em(this, 0.6),
                       theme::em(this, 0.1));
    hide();
}

void Pill::setWords(const QString &text, const QColor &tint, const QString &tip)
{
    m_tint = tint;
    setText(text);
    setToolTip(tip);
    setAccessibleName(text.isEmpty() ? QString() : tr("%1: %2").arg(m_name, text));
    setVisible(!text.isEmpty());
    update();
}

void Pill::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    paintPill(painter, QRectF(rect()), m_tint);
    painter.end();
    QLabel::paintEvent(event);
}

} // namespace kernscope::ui

#include "moc_pill.cpp"
