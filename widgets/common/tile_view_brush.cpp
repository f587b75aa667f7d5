// SPDX-License-Identifier: GPL-3.0-or-later
// Painting on a TileView: a stroke of the mouse collects the cells that it passes.
#include "widgets/common/theme.h"
#include "widgets/common/tile_view.h"

#include <QPainter>

#include <algorithm>
#include <cstdlib>

namespace kernscope::ui {

namespace {

constexpr double kLeastCellToPaint = 4; ///< pixels: smaller cells are not told apart

} // namespace

void TileView::setBrush(bool on)
{
    m_brush = on;
    if (!on)
        endStroke(false);
    viewport()->setCursor(on ? Qt::CrossCursor : Qt::ArrowCursor);
}

bool TileView::brushHasRoom() const
{
    return source() && geometryNow().scale() >= kLeastCellToPaint;
}

void TileView::beginStroke(const Cell &cell)
{
    m_stroke = {cell};
    m_stroking = true;
    viewport()->update();
    Q_EMIT strokeChanged();
}

/// Every cell on the straight line from the last one: the mouse jumps over some.
void TileView::extendStroke(const Cell &to)
{
    if (m_stroke.empty() || m_stroke.back() == to)
        return;
    const Cell from = m_stroke.back();
    const auto difference = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a);
    };
    const std::int64_t rows = difference(from.row, to.row), cols = difference(from.col, to.col);
    const std::int64_t steps = std::max(std::abs(rows), std::abs(cols));
    for (std::int64_t i = 1; i <= steps && m_stroke.size() < kMostStroke; ++i) {
        const auto along = [i, steps](std::uint64_t start, std::int64_t by) {
            // Rounded to the nearest, the same in both directions.
            const std::int64_t twice = 2 * by * i + (by < 0 ? -steps : steps);
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(start) +
                                              twice / (2 * steps));
        };
        const Cell cell{along(from.row, rows), along(from.col, cols)};
        if (std::find(m_stroke.begin(), m_stroke.end(), cell) == m_stroke.end())
            m_stroke.push_back(cell);
    }
    // Where the stroke comes back to a cell, it goes on from there.
    if (m_stroke.back() != to && m_stroke.size() < kMostStroke) {
        std::erase(m_stroke, to);
        m_stroke.push_back(to);
    }
    viewport()->update();
    Q_EMIT strokeChanged();
}

void TileView::endStroke(bool accepted)
{
    if (!m_stroking)
        return;
    m_stroking = m_pressed = false;
    viewport()->update();
    Q_EMIT strokeEnded(accepted);
    m_stroke.clear();
}

void TileView::drawStroke(QPainter &painter) const
{
    // Seen on filled cells and on empty ones.
    const QColor mark = theme::color(Token::MarkChanged, theme::isDark(palette()));
    QColor ground = mark;
    ground.setAlpha(110);
    painter.setPen(QPen(mark, 1));
    painter.setBrush(ground);
    for (const Cell &cell : m_stroke)
        painter.drawRect(cellRect(cell).adjusted(0, 0, -1, -1));
}

} // namespace kernscope::ui
