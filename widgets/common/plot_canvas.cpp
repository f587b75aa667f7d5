// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plot_canvas.h"

#include <algorithm>

namespace kernscope::ui {

PlotCanvas::PlotCanvas(QWidget *parent) : QCustomPlot(parent)
{
    // What changes while it is out of view is drawn all the same: others ask where things lie.
    connect(this, &QCustomPlot::afterReplot, this, [this] {
        if (!isVisible() && !m_painting)
            dropPictures();
    });
}

qint64 PlotCanvas::pictureBytes() const
{
    qint64 bytes = 0;
    for (const auto &buffer : mPaintBuffers)
        bytes += qint64{4} * buffer->size().width() * buffer->size().height();
    return bytes;
}

void PlotCanvas::dropPictures()
{
    for (const auto &buffer : std::as_const(mPaintBuffers))
        buffer->setSize(QSize(1, 1));
}

void PlotCanvas::paintEvent(QPaintEvent *event)
{
    m_painting = true;
    if (std::any_of(mPaintBuffers.cbegin(), mPaintBuffers.cend(),
                    [this](const auto &buffer) { return buffer->size() != viewport().size(); }))
        replot(QCustomPlot::rpQueuedRefresh);
    QCustomPlot::paintEvent(event);
    m_painting = false;
    if (!isVisible()) // painted into a picture of its own
        dropPictures();
}

void PlotCanvas::hideEvent(QHideEvent *event)
{
    QCustomPlot::hideEvent(event);
    if (!event->spontaneous())
        dropPictures();
}

} // namespace kernscope::ui

#include "moc_plot_canvas.cpp"
