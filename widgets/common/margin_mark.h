// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QPainter>
#include <QStyleOptionViewItem>

namespace kernscope::ui {

/// Draws the icon of a tree's cell in the margin before it, beside the line that marks the current
/// row: it takes no room from the text. `line`: where the text stands, between its top and bottom.
inline void paintMarginMark(QPainter *painter, const QStyleOptionViewItem &option,
                            const QModelIndex &index, const QRect &line)
{
    const QVariant mark = index.data(Qt::DecorationRole);
    if (!mark.isValid())
        return;
    const QSize size = option.decorationSize;
    const int gap = size.width() / 4;
    QRect place(QPoint(option.rect.left() - size.width() - gap, line.top()),
                QSize(size.width(), line.height()));
    if (option.direction == Qt::RightToLeft)
        place.moveLeft(option.rect.right() + 1 + gap);
    mark.value<QIcon>().paint(painter, place);
}

} // namespace kernscope::ui
