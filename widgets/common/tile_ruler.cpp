// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/tile_ruler.h"

#include "widgets/models/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernscope::ui {

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
            metrics.elidedText(m_axis.title + QStringLiteral(" \u2192"), Qt::ElideRight, to - from);
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
            metrics.elidedText(QStringLiteral("\u2190 ") + m_axis.title, Qt::ElideRight, height());
        painter.rotate(-90); // the arrow then points down
        painter.drawText(QRect(-height(), 0, height(), line), Qt::AlignCenter, text);
    }
}

} // namespace kernscope::ui

#include "moc_tile_ruler.cpp"
