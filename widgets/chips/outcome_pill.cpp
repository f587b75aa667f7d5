// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/outcome_pill.h"

#include "widgets/common/pill.h"
#include "widgets/common/theme.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr double kBeside = 0.45, kAbove = 0.1; // of the font's height, around the words

} // namespace

QRect OutcomePill::pillRect(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (!index.data(Qt::BackgroundRole).isValid())
        return {};
    const QFontMetrics metrics(option.font);
    const int beside = theme::em(option.widget, kBeside), above = theme::em(option.widget, kAbove);
    const int width = metrics.horizontalAdvance(index.data().toString()) + 2 * beside;
    const QRect room = option.rect.adjusted(above, above, -above, -above);
    return QStyle::visualRect(
        option.direction, option.rect,
        QRect(room.left(), room.top(), std::min(width, room.width()), room.height()));
}

void OutcomePill::paint(QPainter *painter, const QStyleOptionViewItem &option,
                        const QModelIndex &index) const
{
    const QRect pill = pillRect(option, index);
    if (pill.isEmpty()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString words = cell.text;
    cell.text.clear();
    cell.backgroundBrush = {};
    const QStyle *style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    paintPill(*painter, pill, index.data(Qt::BackgroundRole).value<QColor>());
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::Text));
    painter->drawText(pill, Qt::AlignCenter, words);
    painter->restore();
}

QSize OutcomePill::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.rwidth() += 2 * theme::em(option.widget, kBeside);
    return size;
}

} // namespace kernscope::ui

#include "moc_outcome_pill.cpp"
