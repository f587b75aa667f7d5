// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/card_frame.h"

#include "widgets/common/design.h"
#include "widgets/models/theme.h"

#include <QPainter>
#include <QVBoxLayout>

namespace kernscope::ui {

CardFrame::CardFrame(QWidget *parent) : QWidget(parent)
{
    using design::Space;
    auto *column = new QVBoxLayout(this);
    const int side = design::space(this, Space::Medium), end = design::space(this, Space::Small);
    column->setContentsMargins(side, end, side, end);
    column->setSpacing(0);
}

void CardFrame::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(design::hairline(palette()), 1));
    painter.setBrush(palette().color(QPalette::Base));
    const double round = theme::em(this, 0.4);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), round, round);
}

} // namespace kernscope::ui

#include "moc_card_frame.cpp"
