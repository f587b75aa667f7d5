// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of the view of bytes side by side.
#include "widgets/compare/byte_compare_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>

namespace kernscope::ui {

namespace {

/// The byte in a column of a row, or the last one that the row has; of a side without any the
/// other's.
ByteCursor within(const ByteRows::Row &row, std::uint64_t column, bool ofA)
{
    const bool side = row.bytes(ofA) > 0 ? ofA : !ofA;
    const std::uint64_t last = std::max<std::uint64_t>(row.bytes(side), 1) - 1;
    std::uint64_t byte = std::min(column, last);
    if (row.kept(side) && !row.columns.empty()) { // in a gap the value before it, else the first
        const auto after = std::upper_bound(row.columns.begin(), row.columns.end(), column);
        byte = static_cast<std::uint64_t>(after - row.columns.begin());
        byte -= std::min<std::uint64_t>(byte, 1);
    }
    return {row.index, row.offset(side) + byte};
}

/// Column of a byte that a row holds; 0 where it holds none there.
std::uint64_t columnIn(const ByteRows::Row &row, std::uint64_t offset, bool ofA)
{
    const std::uint64_t byte = offset - std::min(offset, row.offset(ofA));
    return row.kept(ofA) && byte >= row.columns.size() ? 0 : row.column(ofA, byte);
}

} // namespace

void ByteCompareView::moveTo(const ByteCursor &cursor, std::optional<bool> ofA)
{
    if (cursor == m_cursor && ofA.value_or(m_sideA) == m_sideA)
        return;
    setCursor(cursor, ofA);
    Q_EMIT cursorMoved();
}

/// Tab goes to what the other side has for the byte once before it leaves the view.
bool ByteCompareView::focusNextPrevChild(bool next)
{
    if (!empty() && next == m_sideA && !m_counterpart.runs.empty()) {
        const SegmentRun &there = m_counterpart.runs.front();
        moveTo({there.segment, there.first}, !m_sideA);
        return true;
    }
    return QAbstractScrollArea::focusNextPrevChild(next);
}

/// The byte so many rows further, in the same column; titles are stepped over.
ByteCursor ByteCompareView::stepRows(std::int64_t rows) const
{
    const std::uint64_t row = m_rows.rowOf(alignment(), m_cursor.segment, m_cursor.offset, m_sideA);
    const ByteRows::Row here = m_rows.at(alignment(), row);
    const std::uint64_t column = columnIn(here, m_cursor.offset, m_sideA);
    const bool down = rows > 0;
    const auto by = static_cast<std::uint64_t>(down ? rows : -rows);
    std::uint64_t to = down ? std::min(row + by, m_rows.rows() - 1) : row - std::min(row, by);
    // Down from a title, or up from the first one, there is always a row of bytes.
    for (int turn = 0; turn < 2; ++turn) {
        const bool ahead = down == (turn == 0);
        for (std::uint64_t at = to;; at += ahead ? 1 : std::uint64_t(-1)) {
            const ByteRows::Row found = m_rows.at(alignment(), at);
            if (found.kind == ByteRows::Row::Kind::Bytes)
                return within(found, column, m_sideA);
            if (ahead ? at + 1 >= m_rows.rows() : at == 0)
                break;
        }
    }
    return m_cursor;
}

ByteCursor ByteCompareView::stepBytes(bool forward) const
{
    const auto &segments = alignment().segments();
    ByteCursor to = m_cursor;
    if (forward) {
        const AlignedSegment &here = segments[to.segment];
        // Offsets of the other side are others.
        const bool own = here.stretched() || (m_bytes->kept && m_bytes->kept->contains(to.segment));
        if (to.offset + 1 < (own ? here.lengthOn(m_sideA) : here.length()))
            return {to.segment, to.offset + 1};
        while (++to.segment < segments.size()) {
            if (segments[to.segment].length() > 0)
                return {to.segment, 0};
        }
        return m_cursor;
    }
    if (to.offset > 0)
        return {to.segment, to.offset - 1};
    while (to.segment-- > 0) {
        if (segments[to.segment].length() > 0)
            return {to.segment, segments[to.segment].length() - 1};
    }
    return m_cursor;
}

bool ByteCompareView::moveByKey(QKeyEvent *event)
{
    const bool whole = event->modifiers() & Qt::ControlModifier;
    const auto page = static_cast<std::int64_t>(visibleRows());
    const std::uint64_t row = m_rows.rowOf(alignment(), m_cursor.segment, m_cursor.offset, m_sideA);
    const ByteRows::Row here = m_rows.at(alignment(), row);
    const auto everything = static_cast<std::int64_t>(m_rows.rows());
    switch (event->key()) {
    case Qt::Key_Left: moveTo(stepBytes(false)); break;
    case Qt::Key_Right: moveTo(stepBytes(true)); break;
    case Qt::Key_Up: moveTo(stepRows(-1)); break;
    case Qt::Key_Down: moveTo(stepRows(1)); break;
    case Qt::Key_PageUp: moveTo(stepRows(-page)); break;
    case Qt::Key_PageDown: moveTo(stepRows(page)); break;
    case Qt::Key_Home: moveTo(whole ? stepRows(-everything) : within(here, 0, m_sideA)); break;
    case Qt::Key_End:
        moveTo(whole ? stepRows(everything) : within(here, UINT64_MAX, m_sideA));
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter: Q_EMIT activated(); break;
    default: return false;
    }
    return true;
}

void ByteCompareView::keyPressEvent(QKeyEvent *event)
{
    const bool plain = !(event->modifiers() & (Qt::AltModifier | Qt::MetaModifier));
    if (!empty() && plain && moveByKey(event))
        event->accept();
    else
        QAbstractScrollArea::keyPressEvent(event);
}

std::optional<ByteCursor> ByteCompareView::hit(const QPoint &position, bool &sideA) const
{
    const double y = position.y() - headerHeight();
    if (empty() || y < 0)
        return std::nullopt;
    const std::uint64_t at = m_topRow + static_cast<std::uint64_t>(y / m_layout.rowHeight());
    if (at >= m_rows.rows())
        return std::nullopt;
    const ByteRows::Row row = m_rows.at(alignment(), at);
    if (row.kind != ByteRows::Row::Kind::Bytes)
        return std::nullopt;
    sideA = position.x() < sideLeft(false);
    const double x = position.x() - sideLeft(sideA);
    std::uint64_t column = 0;
    if (alignment().segments()[row.index].text) {
        const double from = m_layout.hexCell(0, 0).left();
        column = static_cast<std::uint64_t>(std::max(0.0, (x - from) / m_layout.charWidth()));
    } else {
        const double last = m_layout.hexCell(m_layout.bytesPerRow() - 1, 0).center().x();
        column =
            static_cast<std::uint64_t>(m_layout.hitAt(m_letters ? x : std::min(x, last)).column);
    }
    sideA = row.bytes(sideA) > 0 ? sideA : !sideA;
    return within(row, column, sideA);
}

void ByteCompareView::mousePressEvent(QMouseEvent *event)
{
    bool sideA = m_sideA;
    const auto cursor = hit(event->position().toPoint(), sideA);
    if (!cursor || event->button() == Qt::MiddleButton)
        return;
    setCursor(*cursor, sideA);
    Q_EMIT cursorMoved();
}

void ByteCompareView::mouseMoveEvent(QMouseEvent *event)
{
    bool sideA = m_sideA;
    if (!(event->buttons() & Qt::LeftButton))
        return;
    if (const auto cursor = hit(event->position().toPoint(), sideA))
        moveTo(*cursor, m_sideA);
}

void ByteCompareView::mouseDoubleClickEvent(QMouseEvent *event)
{
    bool sideA = m_sideA;
    if (event->button() == Qt::LeftButton && hit(event->position().toPoint(), sideA))
        Q_EMIT activated();
}

} // namespace kernscope::ui
