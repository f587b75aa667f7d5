// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/view_state.h"

#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

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

namespace {

constexpr double kGap = 0.4; ///< ems between a label and its neighbour

} // namespace

TileRuler::TileRuler(Qt::Orientation orientation, QWidget *parent)
    : QWidget(parent), m_orientation(orientation)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void TileRuler::setAxis(TileAxis axis)
{
    m_axis = std::move(axis);
    m_widest = 0;
    if (m_axis.count > 0 && m_axis.text) {
        const QFontMetrics metrics(font());
        for (const std::uint64_t index : {std::uint64_t{0}, m_axis.count / 2, m_axis.count - 1})
            m_widest = std::max(m_widest, metrics.horizontalAdvance(m_axis.text(index)));
    }
    setAccessibleName(m_axis.title);
    setVisible(thickness() > 0);
    update();
}

int TileRuler::thickness() const
{
    if (m_axis.title.isEmpty() || m_axis.count == 0)
        return 0;
    const int line = QFontMetrics(font()).height();
    // Across: one line, title and indices. Down: the title on its side, then the indices.
    return across() ? line + 2 : line + m_widest + theme::em(this, 2 * kGap);
}

void TileRuler::showGeometry(const ViewGeometry &geometry, int origin)
{
    m_geometry = geometry;
    m_origin = origin;
    update();
}

double TileRuler::positionOf(double index) const
{
    return m_origin + (across() ? m_geometry.xOf(index) : m_geometry.yOf(index));
}

double TileRuler::indexAt(double position) const
{
    return across() ? m_geometry.colAt(position - m_origin) : m_geometry.rowAt(position - m_origin);
}

int TileRuler::labelExtent() const
{
    const int gap = theme::em(this, kGap);
    return across() ? m_widest + 2 * gap : QFontMetrics(font()).height() + gap;
}

/// Rows or columns from one label to the next: 1, 2 or 5 times a power of ten, within a block or of
/// whole blocks.
std::uint64_t TileRuler::step() const
{
    const double cell = across() ? m_geometry.cellWidth() : m_geometry.cellHeight();
    const double least = labelExtent() / std::max(cell, 1e-9);
    const std::uint64_t block = std::max<std::uint64_t>(m_axis.block, 1);
    if (least <= 1)
        return 1;
    double blocks = 1;
    while (blocks * static_cast<double>(block) < least) {
        const double digit = blocks / std::pow(10.0, std::floor(std::log10(blocks) + 1e-9));
        blocks *= digit > 1.5 && digit < 2.5 ? 2.5 : 2;
    }
    return static_cast<std::uint64_t>(std::llround(blocks)) * block;
}

std::vector<TileRuler::Tick> TileRuler::ticks() const
{
    std::vector<Tick> all;
    if (thickness() == 0)
        return all;
    const double extent = across() ? width() : height();
    const auto count = static_cast<double>(m_axis.count);
    const double from = std::clamp(std::floor(indexAt(m_origin)), 0.0, count - 1);
    const double to = std::clamp(std::ceil(indexAt(extent)) - 1, 0.0, count - 1);
    const auto first = static_cast<std::uint64_t>(from), last = static_cast<std::uint64_t>(to);
    const std::uint64_t each = step();
    const auto tick = [this](std::uint64_t index) {
        const double middle = positionOf(static_cast<double>(index) + 0.5);
        return Tick{index, middle};
    };
    all.push_back(tick(first));
    const double room = labelExtent();
    for (std::uint64_t index = (first / each + 1) * each; index < last; index += each) {
        if (tick(index).at - all.back().at >= room)
            all.push_back(tick(index));
    }
    // The labels at the ends are moved inside: what counts is where they stand.
    const auto collides = [&](const Tick &a, const Tick &b) {
        const auto box = [this](const Tick &one) {
            return labelBox(one, m_axis.text ? m_axis.text(one.index) : QString::number(one.index));
        };
        const int gap = across() ? theme::em(this, kGap) : 0;
        return across() ? box(a).right() + gap >= box(b).left() : box(a).bottom() >= box(b).top();
    };
    if (last > first) {
        while (all.size() > 1 &&
               (tick(last).at - all.back().at < room || collides(all.back(), tick(last))))
            all.pop_back();
        if (tick(last).at - all.back().at >= room)
            all.push_back(tick(last));
    }
    return all;
}

QRect TileRuler::labelBox(const Tick &tick, const QString &text) const
{
    const QFontMetrics metrics(font());
    const int line = metrics.height(), wide = metrics.horizontalAdvance(text) + 1;
    const int at = static_cast<int>(tick.at);
    // Half a label would stand outside at the ends.
    if (across())
        return {std::clamp(at - wide / 2, 0, std::max(0, width() - wide)), 1, wide, line};
    return {width() - theme::em(this, kGap) - wide,
            std::clamp(at - line / 2, 0, std::max(0, height() - line)), wide, line};
}

void TileRuler::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setLayoutDirection(Qt::LeftToRight); // as the picture is in every window
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const QFontMetrics metrics(font());
    const int line = metrics.height(), gap = theme::em(this, kGap);
    std::vector<std::pair<QRect, QString>> labels;
    for (const Tick &tick : ticks()) {
        const QString text = m_axis.text ? m_axis.text(tick.index) : QString::number(tick.index);
        labels.emplace_back(labelBox(tick, text), text);
    }
    // The title stands in the middle between the first index and the last one; indices give way.
    QRect title;
    if (across()) {
        const int from = labels.empty() ? 0 : labels.front().first.right() + gap;
        const int to = labels.size() < 2 ? width() : labels.back().first.left() - gap;
        const QString text =
            metrics.elidedText(m_axis.title + u" \u2192"_s, Qt::ElideRight, to - from);
        const int wide = metrics.horizontalAdvance(text) + 1;
        const int middle = labels.size() < 2 ? width() / 2 : (from + to) / 2;
        title =
            QRect(std::clamp(middle - wide / 2, from, std::max(from, to - wide)), 1, wide, line);
        painter.drawText(title, Qt::AlignCenter | Qt::TextSingleLine, text);
        title.adjust(-gap, 0, gap, 0);
    }
    for (const auto &[box, text] : labels) {
        if (!box.intersects(title))
            painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, text);
    }
    if (!across()) {
        const QString text =
            metrics.elidedText(u"\u2190 "_s + m_axis.title, Qt::ElideRight, height());
        painter.rotate(-90); // the arrow then points down
        painter.drawText(QRect(-height(), 0, height(), line), Qt::AlignCenter, text);
    }
}

} // namespace kernscope::ui

#include "moc_view_state.cpp"
