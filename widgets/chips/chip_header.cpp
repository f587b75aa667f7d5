// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_header.h"

#include "widgets/chips/chip_words.h"
#include "widgets/common/theme.h"

namespace kernscope::ui {

ChipHeader::ChipHeader(QWidget *parent) : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true); // as the header that a table has by itself
}

QString ChipHeader::product(int logicalIndex) const
{
    return model() ? model()->headerData(logicalIndex, orientation(), kProductRole).toString()
                   : QString();
}

void ChipHeader::initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const
{
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    const QString below = product(logicalIndex);
    if (below.isEmpty())
        return;
    // A line that is too long for its column is not wrapped: it would cover the other one.
    const int room = sectionSize(logicalIndex) - theme::em(this, 0.3);
    option->text += QLatin1Char('\n') + option->fontMetrics.elidedText(below, Qt::ElideRight, room);
}

QSize ChipHeader::sectionSizeFromContents(int logicalIndex) const
{
    QSize size = QHeaderView::sectionSizeFromContents(logicalIndex);
    if (!product(logicalIndex).isEmpty())
        size.rheight() += fontMetrics().lineSpacing();
    return size;
}

} // namespace kernscope::ui
