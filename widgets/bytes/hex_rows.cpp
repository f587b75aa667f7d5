// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_rows.h"

#include "widgets/common/fixed_font.h"
#include "widgets/common/theme.h"

#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>

namespace kernscope::ui {

HexRows::HexRows(const QString &name, QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    setFont(fixedFont(design::Type::Small));
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    viewport()->setCursor(Qt::IBeamCursor);
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, &HexRows::onScrollAction);
}

int HexRows::headerHeight() const
{
    return static_cast<int>(m_layout.rowHeight()) + theme::em(this, 0.15);
}

double HexRows::topOf(std::uint64_t row) const
{
    return headerHeight() + static_cast<double>(row - m_topRow) * m_layout.rowHeight();
}

std::uint64_t HexRows::visibleRows() const
{
    const double height = viewport()->height() - headerHeight();
    return static_cast<std::uint64_t>(std::max(1.0, std::floor(height / m_layout.rowHeight())));
}

void HexRows::syncScrollBars()
{
    m_syncing = true;
    m_scroll = RowScroll(rowTotal(), visibleRows());
    m_topRow = std::min(m_topRow, m_scroll.lastTop());
    QScrollBar *vertical = verticalScrollBar();
    vertical->setRange(0, m_scroll.maximum());
    vertical->setPageStep(static_cast<int>(visibleRows()));
    vertical->setValue(m_scroll.valueOf(m_topRow));
    QScrollBar *horizontal = horizontalScrollBar();
    const int hidden = static_cast<int>(std::ceil(rowsWidth())) - viewport()->width();
    horizontal->setRange(0, std::max(0, hidden));
    horizontal->setPageStep(viewport()->width());
    horizontal->setSingleStep(static_cast<int>(m_layout.charWidth() * 3));
    m_syncing = false;
}

/// Single steps and pages are rows, also where a step of the bar stands for many rows.
void HexRows::onScrollAction(int action)
{
    const std::uint64_t page = visibleRows();
    const auto back = [this](std::uint64_t by) { return m_topRow - std::min(m_topRow, by); };
    switch (action) {
    case QAbstractSlider::SliderSingleStepAdd: scrollToRow(m_topRow + 1); break;
    case QAbstractSlider::SliderSingleStepSub: scrollToRow(back(1)); break;
    case QAbstractSlider::SliderPageStepAdd: scrollToRow(m_topRow + page); break;
    case QAbstractSlider::SliderPageStepSub: scrollToRow(back(page)); break;
    default: return;
    }
    verticalScrollBar()->setSliderPosition(m_scroll.valueOf(m_topRow));
}

void HexRows::scrollToRow(std::uint64_t row)
{
    row = std::min(row, m_scroll.lastTop());
    if (row == m_topRow)
        return;
    m_topRow = row;
    m_syncing = true;
    verticalScrollBar()->setValue(m_scroll.valueOf(row));
    m_syncing = false;
    viewport()->update();
    rowsMoved();
}

void HexRows::scrollContentsBy(int, int)
{
    viewport()->update();
    if (m_syncing || verticalScrollBar()->value() == m_scroll.valueOf(m_topRow))
        return;
    m_topRow = m_scroll.rowOf(verticalScrollBar()->value());
    rowsMoved();
}

void HexRows::wheelEvent(QWheelEvent *event)
{
    if (std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y())) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    m_wheelRest += event->angleDelta().y() / 120.0 * 3;
    const double whole = std::trunc(m_wheelRest);
    m_wheelRest -= whole;
    const auto by = static_cast<std::uint64_t>(std::abs(whole));
    scrollToRow(whole < 0 ? m_topRow + by : m_topRow - std::min(m_topRow, by));
    event->accept();
}

void HexRows::paintHeaderStrip(QPainter &painter) const
{
    const QRectF strip(0, 0, viewport()->width(), headerHeight());
    painter.fillRect(strip, palette().color(QPalette::Window));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(strip.bottomLeft(), strip.bottomRight());
}

} // namespace kernscope::ui

#include "moc_hex_rows.cpp"
