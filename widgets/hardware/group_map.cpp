// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/group_map.h"

#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

/// A group of unknown channels is shown as wide as one.
std::uint64_t shownLanes(const GroupRow &row)
{
    return row.runs.empty() ? 1 : row.channels;
}

} // namespace

GroupMap::GroupMap(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Map of the output-channel groups"));
    setAccessibleDescription(tr("A row a core, a cell a group. The table below says the same."));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void GroupMap::setRows(const std::vector<GroupRow> &rows)
{
    m_rows = rows;
    m_current = -1;
    m_cores = m_width = 0;
    m_widths.clear();
    m_starts.clear();
    for (const GroupRow &row : m_rows) {
        m_cores = std::max(m_cores, row.core + 1);
        if (row.record >= m_widths.size())
            m_widths.resize(row.record + 1);
        m_widths[row.record] = std::max(m_widths[row.record], shownLanes(row));
    }
    for (const std::uint64_t width : m_widths) {
        m_starts.push_back(m_width);
        m_width += width;
    }
    updateGeometry();
    update();
}

QRectF GroupMap::area() const
{
    const double left = theme::em(this, 2.4), margin = theme::em(this, 0.2);
    return {left, margin, std::max(1.0, width() - left - margin),
            std::max(1.0, height() - 2 * margin)};
}

QRectF GroupMap::cellOf(int row) const
{
    if (row < 0 || row >= static_cast<int>(m_rows.size()) || m_width == 0 || m_cores == 0)
        return {};
    const GroupRow &group = m_rows[static_cast<std::size_t>(row)];
    const QRectF all = area();
    const double lane = all.width() / static_cast<double>(m_width);
    const double line = all.height() / static_cast<double>(m_cores);
    return {all.left() + lane * static_cast<double>(m_starts[group.record]),
            all.top() + line * static_cast<double>(group.core),
            lane * static_cast<double>(shownLanes(group)), line};
}

int GroupMap::rowAt(QPointF place) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (cellOf(static_cast<int>(i)).contains(place))
            return static_cast<int>(i);
    }
    return -1;
}

void GroupMap::setCurrent(int row)
{
    if (row == m_current)
        return;
    m_current = row;
    update();
}

QSize GroupMap::sizeHint() const
{
    return {theme::em(this, 24),
            theme::em(this, 1 + static_cast<double>(std::min<std::uint64_t>(m_cores, 16)))};
}

QSize GroupMap::minimumSizeHint() const
{
    // Lines too low to tell apart are of no use.
    const auto lines = static_cast<double>(std::min<std::uint64_t>(m_cores, 16));
    return {theme::em(this, 8), theme::em(this, std::max(3.0, 0.6 * lines + 0.4))};
}

void GroupMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRectF all = area();
    const double line = m_cores == 0 ? 0 : all.height() / static_cast<double>(m_cores);
    const auto every = static_cast<std::uint64_t>(
        line <= 0 ? 1 : std::max(1.0, std::ceil(fontMetrics().height() / line)));
    painter.setPen(palette().color(QPalette::Text));
    for (std::uint64_t core = 0; core < m_cores; core += every)
        painter.drawText(QRectF(0, all.top() + line * static_cast<double>(core),
                                all.left() - theme::em(this, 0.3), line),
                         Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, groupedNumber(core));
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const QRectF cell = cellOf(static_cast<int>(i)).adjusted(0.5, 0.5, -0.5, -0.5);
        // Light against dark as well as blue: neighbouring groups differ without their hue.
        painter.fillRect(cell, theme::sequential(m_rows[i].record % 2 == 0 ? 0.35 : 0.6));
        painter.setPen(QPen(palette().color(QPalette::Base), 0));
        const double lane =
            cell.width() / static_cast<double>(std::max<std::uint64_t>(1, m_rows[i].channels));
        for (std::uint64_t l = 1; lane >= 4 && l < m_rows[i].channels; ++l) {
            const double x = cell.left() + lane * static_cast<double>(l);
            painter.drawLine(QPointF(x, cell.top()), QPointF(x, cell.bottom()));
        }
    }
    if (m_current >= 0) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Text), 2));
        painter.drawRect(cellOf(m_current).adjusted(1, 1, -1, -1));
    }
}

void GroupMap::mousePressEvent(QMouseEvent *event)
{
    const int row = rowAt(event->position());
    if (event->button() != Qt::LeftButton || row < 0)
        return QWidget::mousePressEvent(event);
    setCurrent(row);
    Q_EMIT picked(row);
}

void GroupMap::keyPressEvent(QKeyEvent *event)
{
    const int key = event->key();
    if (m_rows.empty() || (key != Qt::Key_Left && key != Qt::Key_Right && key != Qt::Key_Up &&
                           key != Qt::Key_Down && key != Qt::Key_Home && key != Qt::Key_End))
        return QWidget::keyPressEvent(event);
    const int last = static_cast<int>(m_rows.size()) - 1;
    int row = std::clamp(m_current, 0, last);
    if (key == Qt::Key_Home || key == Qt::Key_End) {
        row = key == Qt::Key_Home ? 0 : last;
    } else if (m_current >= 0) {
        const QRectF cell = cellOf(row);
        const double across = key == Qt::Key_Left ? -1 : key == Qt::Key_Right ? 1 : 0;
        const double down = key == Qt::Key_Up ? -1 : key == Qt::Key_Down ? 1 : 0;
        const QPointF probe(across < 0   ? cell.left() - 1
                            : across > 0 ? cell.right() + 1
                                         : cell.center().x(),
                            cell.center().y() + down * cell.height());
        row = rowAt(probe);
    }
    if (row < 0)
        return;
    setCurrent(row);
    Q_EMIT picked(row);
}

bool GroupMap::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int row = rowAt(help->pos());
    if (row < 0) {
        QToolTip::hideText();
        return true;
    }
    const GroupRow &group = m_rows[static_cast<std::size_t>(row)];
    QToolTip::showText(help->globalPos(),
                       tr("Core %1, group %2: channels %3; %4 bytes at %5")
                           .arg(groupedNumber(group.core), groupedNumber(group.record),
                                fromUtf8(report::channelsText(group)),
                                groupedNumber(group.bytes.bytes.value),
                                hexNumber(group.bytes.offset.value)),
                       this);
    return true;
}

} // namespace kernscope::ui

#include "moc_group_map.cpp"
