// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/shrink_area.h"

#include <QEvent>
#include <QLayout>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>

namespace kernscope::ui {

ShrinkArea::ShrinkArea(QWidget *content, QWidget *parent) : QScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidget(content);
    content->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    fit();
}

QSize ShrinkArea::sizeHint() const
{
    return widget()->sizeHint();
}

QSize ShrinkArea::minimumSizeHint() const
{
    return QSize(0, 0);
}

int ShrinkArea::leastHeight(int width) const
{
    const QLayout *layout = widget()->layout();
    if (layout && layout->hasHeightForWidth())
        return layout->minimumHeightForWidth(width);
    return widget()->hasHeightForWidth() ? widget()->heightForWidth(width)
                                         : widget()->minimumSizeHint().height();
}

void ShrinkArea::fit()
{
    const QSize room = maximumViewportSize();
    const int leastWidth = widget()->minimumSizeHint().width();
    // Each bar takes room from the other direction.
    const int high = room.height() -
                     (leastWidth > room.width() ? horizontalScrollBar()->sizeHint().height() : 0);
    int width = std::max(room.width(), leastWidth);
    if (leastHeight(width) > high)
        width = std::max(room.width() - verticalScrollBar()->sizeHint().width(), leastWidth);
    widget()->resize(width, std::max(high, leastHeight(width)));
}

void ShrinkArea::resizeEvent(QResizeEvent *event)
{
    fit();
    QScrollArea::resizeEvent(event);
}

bool ShrinkArea::eventFilter(QObject *watched, QEvent *event)
{
    const bool taken = QScrollArea::eventFilter(watched, event);
    if (watched == widget() && event->type() == QEvent::LayoutRequest) {
        fit();
        // What the request itself lays out anew may need more or less room than before.
        QTimer::singleShot(0, this, &ShrinkArea::fit);
    }
    return taken;
}

} // namespace kernscope::ui

#include "moc_shrink_area.cpp"
