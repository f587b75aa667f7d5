// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/view_state.h"

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

/// Centre that shows `extent` cells through `seen`: no emptiness beyond an edge unless all is seen.
double keptInside(double centre, double seen, double extent)
{
    if (seen >= extent)
        return extent / 2;
    return std::clamp(centre, seen / 2, extent - seen / 2);
}

/// Coarsest level along the shorter side of a cell at which tiles are put together from finer ones:
/// these read every cell, up to 34 million for one tile.
constexpr int kMostMerged = 6;

/// Centre moved the least so that cell `at` lies in view.
double revealed(double centre, double seen, double at)
{
    const double margin = seen > 4 ? 1 : 0;
    const double low = at + 1 + margin - seen / 2, high = at - margin + seen / 2;
    return low > high ? at + 0.5 : std::clamp(centre, low, high);
}

} // namespace

ViewGeometry::ViewGeometry(const ViewState &state, QSizeF viewport, double devicePixelRatio,
                           std::uint64_t rows, std::uint64_t cols, double mostStretch)
    : m_state(state), m_viewport(viewport), m_ratio(devicePixelRatio), m_mostStretch(mostStretch),
      m_rows(static_cast<double>(rows)), m_cols(static_cast<double>(cols))
{
    const double across = std::max(1.0, viewport.width()) / std::max(1.0, m_cols);
    const double down = std::max(1.0, viewport.height()) / std::max(1.0, m_rows);
    m_wide = std::clamp(across / down, 1.0, mostStretch);
    m_high = std::clamp(down / across, 1.0, mostStretch);
    m_fitScale = std::min({across / m_wide, down / m_high, kMaxScale / 2});
    if (m_fitScale > 2) { // cells of one size
        const double whole = std::floor(m_fitScale);
        m_wide = std::floor(m_fitScale * m_wide) / whole;
        m_high = std::floor(m_fitScale * m_high) / whole;
        m_fitScale = whole;
    }
    if (m_state.fits())
        m_state.scale = m_fitScale;
    m_state.scale = std::clamp(m_state.scale, minScale(), kMaxScale);
    m_state.centreCol = keptInside(m_state.centreCol, viewport.width() / cellWidth(), m_cols);
    m_state.centreRow = keptInside(m_state.centreRow, viewport.height() / cellHeight(), m_rows);
}

double ViewGeometry::minScale() const
{
    return std::min(1.0, m_fitScale / 2);
}

double ViewGeometry::xOf(double col) const
{
    const double x = (col - m_state.centreCol) * cellWidth() + m_viewport.width() / 2;
    return std::round(x * m_ratio) / m_ratio;
}

double ViewGeometry::yOf(double row) const
{
    const double y = (row - m_state.centreRow) * cellHeight() + m_viewport.height() / 2;
    return std::round(y * m_ratio) / m_ratio;
}

double ViewGeometry::colAt(double x) const
{
    return (x - m_viewport.width() / 2) / cellWidth() + m_state.centreCol;
}

double ViewGeometry::rowAt(double y) const
{
    return (y - m_viewport.height() / 2) / cellHeight() + m_state.centreRow;
}

QPointF ViewGeometry::centreOf(std::uint64_t row, std::uint64_t col) const
{
    const double across = static_cast<double>(col) + 0.5 - m_state.centreCol;
    const double down = static_cast<double>(row) + 0.5 - m_state.centreRow;
    return {across * cellWidth() + m_viewport.width() / 2,
            down * cellHeight() + m_viewport.height() / 2};
}

int ViewGeometry::levelOf(double side) const
{
    int level = 0;
    double pixel = side * m_ratio;
    // Rounding of a fitted scale must not cost a level.
    while (pixel < 0.999 && level < 60) {
        pixel *= 2;
        ++level;
    }
    return level;
}

int ViewGeometry::level() const
{
    const int coarser = coarserLevel();
    return coarser > kMostMerged ? coarser : levelOf(std::max(cellWidth(), cellHeight()));
}

int ViewGeometry::moreAcross() const
{
    return m_wide <= m_high ? coarserLevel() - level() : 0;
}

int ViewGeometry::moreDown() const
{
    return m_wide > m_high ? coarserLevel() - level() : 0;
}

ViewState ViewGeometry::zoomed(double newScale, QPointF anchor) const
{
    const double to = std::clamp(newScale, minScale(), kMaxScale);
    const double row = rowAt(anchor.y()), col = colAt(anchor.x());
    ViewState next;
    next.scale = to;
    next.centreCol = col - (anchor.x() - m_viewport.width() / 2) / (to * m_wide);
    next.centreRow = row - (anchor.y() - m_viewport.height() / 2) / (to * m_high);
    return ViewGeometry(next, m_viewport, m_ratio, static_cast<std::uint64_t>(m_rows),
                        static_cast<std::uint64_t>(m_cols), m_mostStretch)
        .state();
}

ViewState ViewGeometry::panned(QPointF pixels) const
{
    ViewState next = m_state;
    next.centreCol = keptInside(next.centreCol + pixels.x() / cellWidth(),
                                m_viewport.width() / cellWidth(), m_cols);
    next.centreRow = keptInside(next.centreRow + pixels.y() / cellHeight(),
                                m_viewport.height() / cellHeight(), m_rows);
    return next;
}

ViewState ViewGeometry::revealing(std::uint64_t row, std::uint64_t col) const
{
    ViewState next = m_state;
    const double across = m_viewport.width() / cellWidth();
    const double down = m_viewport.height() / cellHeight();
    next.centreCol =
        keptInside(revealed(next.centreCol, across, static_cast<double>(col)), across, m_cols);
    next.centreRow =
        keptInside(revealed(next.centreRow, down, static_cast<double>(row)), down, m_rows);
    return next;
}

} // namespace kernscope::ui
