// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "widgets/bytes/hex_colors.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

// How the hex view is painted. Only visible rows are read.
namespace kernscope::ui {

namespace {

/// Of more rows a selection is a whole part: a quiet ground between a line above and one below.
constexpr std::uint64_t kLargeRows = 4;

} // namespace

void HexView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.setFont(font());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (size() == 0) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("The file is empty."));
        return;
    }
    m_anyChange = m_file->modified();
    const double left = -horizontalScrollBar()->value();
    double top = headerHeight();
    for (std::uint64_t row = m_topRow; row < rows() && top < viewport()->height(); ++row) {
        paintRow(painter, row, left, top);
        top += m_layout.rowHeight();
    }
    paintHeader(painter, left);
}

void HexView::paintHeader(QPainter &painter, double left)
{
    const QRectF strip(0, 0, viewport()->width(), headerHeight());
    painter.fillRect(strip, palette().color(QPalette::Window));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(strip.bottomLeft(), strip.bottomRight());
    painter.setPen(palette().color(QPalette::WindowText));
    const double x = left + m_layout.offsetX();
    painter.drawText(
        QRectF(x, 0, m_layout.charWidth() * (m_layout.offsetDigits() + 1), m_layout.rowHeight()),
        Qt::AlignLeft | Qt::AlignVCenter, tr("offset"));
    const auto under = static_cast<int>(m_cursor % static_cast<std::uint64_t>(m_bytesPerRow));
    for (int column = 0; column < m_bytesPerRow; ++column) {
        const QRectF cell = m_layout.hexCell(column, 0).translated(left, 0);
        painter.setPen(
            palette().color(column == under ? QPalette::WindowText : QPalette::PlaceholderText));
        painter.drawStaticText(QPointF(cell.left() + m_layout.charWidth() / 2, cell.top()),
                               m_glyphs.digits(static_cast<std::size_t>(column)));
    }
}

HexView::CellLook HexView::lookOf(std::uint64_t offset, const ByteRange &selected,
                                  std::size_t &section) const
{
    CellLook look;
    look.ground = palette().color(QPalette::Base);
    look.ink = palette().color(QPalette::Text);
    if (m_bundle && section != kNoIndex) {
        const auto &sections = m_bundle->sections();
        while (section + 1 < sections.size() && sections[section].file == m_fileIndex &&
               offset >= sections[section].range.end())
            ++section;
        const SectionKind kind = sections[section].kind;
        look.ground = hexGround(kind, palette());
        look.faint = kind == SectionKind::Padding;
        if (look.faint)
            look.ink = palette().color(QPalette::PlaceholderText);
    }
    const ByteRange one{FileOffset(offset), ByteCount(1)};
    look.changed = m_anyChange && m_file->changed(one);
    if (look.changed) {
        look.ground = hexChangedGround(palette());
        look.ink = palette().color(QPalette::Text);
    }
    look.selected = selected.contains(FileOffset(offset));
    if (look.selected) {
        const auto perRow = static_cast<std::uint64_t>(m_bytesPerRow);
        const bool large = selected.bytes.value > kLargeRows * perRow;
        look.ground = hexSelectedGround(look.ground, palette(), large);
        look.ink = palette().color(QPalette::Text);
        look.lineBelow = !selected.contains(FileOffset(offset + perRow));
        look.lineAbove = large && offset - selected.offset.value < perRow;
    }
    return look;
}

void HexView::paintRow(QPainter &painter, std::uint64_t row, double left, double top)
{
    const auto perRow = static_cast<std::uint64_t>(m_bytesPerRow);
    const std::uint64_t first = row * perRow, end = std::min(first + perRow, size());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QPointF(left + m_layout.offsetX(), top + QFontMetricsF(font()).ascent()),
                     QString::number(static_cast<qulonglong>(first), 16)
                         .rightJustified(m_layout.offsetDigits(), u'0'));
    std::size_t section = m_bundle ? m_bundle->sectionAt(m_fileIndex, FileOffset(first)) : kNoIndex;
    const ByteRange selected = selection();
    for (std::uint64_t offset = first; offset < end; ++offset) {
        const auto column = static_cast<int>(offset - first);
        const CellLook look = lookOf(offset, selected, section);
        paintByte(painter, offset, m_layout.hexCell(column, top).translated(left, 0),
                  m_layout.textCell(column, top).translated(left, 0), look);
    }
}

/// Eight places along the foot of the cell, the highest bit at the left; those of the field are
/// filled. Over the cursor's frame, which would hide them.
void HexView::paintBits(QPainter &painter, std::uint64_t offset, const QRectF &hex)
{
    const auto marked = markedBits();
    if (!marked || !m_bitsOf.contains(FileOffset(offset)))
        return;
    const std::uint64_t low = 8 * (offset - m_bitsOf.offset.value);
    const double high = std::max(4, theme::em(this, 0.3));
    const QRectF bar(hex.left() + 2, hex.bottom() - high, hex.width() - 4, high);
    painter.fillRect(bar, palette().color(QPalette::Base));
    const QColor color = palette().color(QPalette::Active, QPalette::Highlight);
    for (std::uint64_t bit = 0; bit < 8; ++bit) {
        const bool in = low + bit >= marked->first && low + bit - marked->first < marked->count;
        if (in)
            painter.fillRect(QRectF(bar.left() + bar.width() / 8 * static_cast<double>(7 - bit),
                                    bar.top(), bar.width() / 8, high),
                             color);
    }
}

void HexView::paintByte(QPainter &painter, std::uint64_t offset, const QRectF &hex,
                        const QRectF &text, const CellLook &look)
{
    const auto value = std::to_integer<std::size_t>(bytes()[offset]);
    painter.fillRect(hex, look.ground);
    painter.fillRect(text, look.ground);
    if (look.selected) {
        const double line = theme::em(this, 0.1);
        const QColor color = palette().color(QPalette::Active, QPalette::Highlight);
        for (const QRectF &box : {hex, text}) {
            if (look.lineBelow)
                painter.fillRect(QRectF(box.left(), box.bottom() - line, box.width(), line), color);
            if (look.lineAbove)
                painter.fillRect(QRectF(box.left(), box.top(), box.width(), line), color);
        }
    }
    painter.setPen(look.ink);
    painter.drawStaticText(QPointF(hex.left() + m_layout.charWidth() / 2, hex.top()),
                           m_glyphs.digits(value));
    painter.drawStaticText(text.topLeft(), m_glyphs.letter(value));
    painter.setBrush(Qt::NoBrush);
    if (look.changed) {
        const double pen = std::max(1.5, static_cast<double>(theme::em(this, 0.1)));
        painter.setPen(QPen(theme::color(Token::MarkChanged, theme::isDark(palette())), pen));
        const double in = pen / 2;
        painter.drawRect(hex.adjusted(in, in, -in, -in));
        painter.drawRect(text.adjusted(in, in, -in, -in));
    }
    if (offset == m_cursor) {
        // The column that the keys work in has the heavy frame.
        painter.setPen(QPen(palette().color(QPalette::Text), m_inText ? 1.0 : 2.0));
        painter.drawRect(hex.adjusted(1, 1, -1, -1));
        painter.setPen(QPen(palette().color(QPalette::Text), m_inText ? 2.0 : 1.0));
        painter.drawRect(text.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (look.selected && m_bits)
        paintBits(painter, offset, hex);
}

} // namespace kernscope::ui
