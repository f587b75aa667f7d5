// SPDX-License-Identifier: GPL-3.0-or-later
// How bytes side by side are painted. Only visible rows are read.
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/compare/byte_compare_view.h"

#include "widgets/bytes/hex_colors.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

/// Colour of what differs: blue on the side of A, orange on that of B, as in the pictures.
QColor sideColor(bool ofA, const QPalette &palette)
{
    return theme::color(ofA ? Token::DiffLess : Token::DiffMore, theme::isDark(palette));
}

} // namespace

void ByteCompareView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.setFont(font());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (empty())
        return;
    double top = headerHeight();
    for (std::uint64_t at = m_topRow; at < m_rows.rows() && top < viewport()->height(); ++at) {
        const ByteRows::Row row = m_rows.at(alignment(), at);
        switch (row.kind) {
        case ByteRows::Row::Kind::FileTitle: paintFileTitle(painter, row.index, top); break;
        case ByteRows::Row::Kind::SectionTitle: paintSectionTitle(painter, row.index, top); break;
        case ByteRows::Row::Kind::Bytes: paintBytes(painter, row, top); break;
        }
        top += m_layout.rowHeight();
    }
    paintHeader(painter);
    painter.setPen(palette().color(QPalette::Mid));
    const double middle = std::floor(sideLeft(false)) + 0.5;
    painter.drawLine(QPointF(middle, 0), QPointF(middle, viewport()->height()));
}

/// What the topmost row belongs to, since its title may be scrolled away.
void ByteCompareView::paintHeader(QPainter &painter) const
{
    const QRectF strip(0, 0, viewport()->width(), headerHeight());
    painter.fillRect(strip, palette().color(QPalette::Window));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(strip.bottomLeft(), strip.bottomRight());
    const ByteRows::Row row = m_rows.at(alignment(), std::min(m_topRow, m_rows.rows() - 1));
    std::size_t section = row.index;
    if (row.kind == ByteRows::Row::Kind::FileTitle)
        section = alignment().files()[row.index].firstSection;
    else if (row.kind == ByteRows::Row::Kind::Bytes)
        section = alignment().segments()[row.index].section;
    if (section >= alignment().sections().size())
        return;
    const AlignedFile &file = alignment().files()[alignment().sections()[section].file];
    painter.setPen(palette().color(QPalette::WindowText));
    const QFontMetrics metrics(font());
    for (const bool ofA : {true, false}) {
        const std::string &path = ofA ? file.pathA : file.pathB;
        const QString name = fromUtf8(path.empty() ? std::string_view("\u2013") : path) +
                             QStringLiteral("  \u203A  ") + titleOf(section, ofA);
        const double left = std::max(sideLeft(ofA), ofA ? 0.0 : viewport()->width() / 2.0);
        const double room = viewport()->width() / 2.0 - m_layout.charWidth() * 2;
        painter.drawText(QRectF(left + m_layout.charWidth(), 0, room, m_layout.rowHeight()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         (ofA ? tr("A  ") : tr("B  ")) +
                             metrics.elidedText(name, Qt::ElideMiddle,
                                                static_cast<int>(room - 3 * m_layout.charWidth())));
    }
}

QString ByteCompareView::titleOf(std::size_t index, bool ofA) const
{
    const AlignedSection &section = alignment().sections()[index];
    const std::size_t own = ofA ? section.a : section.b;
    const BundlePtr &bundle = ofA ? m_bytes->a : m_bytes->b;
    if (own == kNoIndex)
        return ofA ? tr("not in A") : tr("not in B");
    const Section &shown = bundle->sections()[own];
    return tr("%1  %2 B")
        .arg(fromUtf8(bundle->nameOf(shown)), groupedNumber(shown.range.bytes.value));
}

/// What goes behind the name of a section: on the right of a pair, or on the side that has it.
QString ByteCompareView::stateOf(std::size_t index, bool ofA) const
{
    const AlignedSection &section = alignment().sections()[index];
    if (section.b == kNoIndex)
        return ofA ? tr("  \u25C0 only in A") : QString();
    if (section.a == kNoIndex)
        return ofA ? QString() : tr("  \u25B6 only in B");
    if (ofA || !m_differences)
        return {};
    const ByteTally &tally = m_differences->tallyOf(index);
    if (!tally.any())
        return tr("  = equal");
    // Without the word "bytes": the title has little room.
    QStringList words;
    if (tally.changed > 0)
        words << tr("%1 changed").arg(groupedNumber(tally.changed));
    if (tally.onlyA > 0)
        words << tr("%1 only in A").arg(groupedNumber(tally.onlyA));
    if (tally.onlyB > 0)
        words << tr("%1 only in B").arg(groupedNumber(tally.onlyB));
    return QStringLiteral("  \u2260 ") + words.join(QStringLiteral(", "));
}

void ByteCompareView::paintFileTitle(QPainter &painter, std::size_t index, double top) const
{
    const AlignedFile &file = alignment().files()[index];
    const QRectF strip(0, top, viewport()->width(), m_layout.rowHeight());
    painter.fillRect(strip, palette().color(QPalette::Mid));
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::WindowText));
    for (const bool ofA : {true, false}) {
        const std::string &path = ofA ? file.pathA : file.pathB;
        const QString missing = ofA ? tr("not in A") : tr("not in B");
        painter.drawText(QRectF(sideLeft(ofA) + m_layout.charWidth(), top,
                                sideWidth() - 2 * m_layout.charWidth(), m_layout.rowHeight()),
                         Qt::AlignLeft | Qt::AlignVCenter, path.empty() ? missing : fromUtf8(path));
    }
    painter.setFont(font());
}

void ByteCompareView::paintSectionTitle(QPainter &painter, std::size_t index, double top) const
{
    const bool dark = theme::isDark(palette());
    const AlignedSection &section = alignment().sections()[index];
    const QRectF strip(0, top, viewport()->width(), m_layout.rowHeight());
    painter.fillRect(strip, palette().color(QPalette::AlternateBase));
    const double side = m_layout.rowHeight() * 0.55;
    const QFontMetrics metrics(font());
    for (const bool ofA : {true, false}) {
        const double left = sideLeft(ofA) + m_layout.charWidth();
        const bool there = (ofA ? section.a : section.b) != kNoIndex;
        if (there) {
            const QRectF swatch(left, top + (m_layout.rowHeight() - side) / 2, side, side);
            painter.fillRect(swatch, theme::color(theme::tokenOf(section.kind), dark));
            painter.fillRect(swatch, theme::brushOf(section.kind, dark));
        }
        QString text = titleOf(index, ofA);
        text += stateOf(index, ofA);
        painter.setPen(palette().color(there ? QPalette::Text : QPalette::PlaceholderText));
        const double room = sideWidth() - side - 3 * m_layout.charWidth();
        painter.drawText(
            QRectF(left + side + m_layout.charWidth() / 2, top, room, m_layout.rowHeight()),
            Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(text, Qt::ElideMiddle, static_cast<int>(room)));
    }
}

void ByteCompareView::paintBytes(QPainter &painter, const ByteRows::Row &row, double top)
{
    const AlignedSegment &segment = alignment().segments()[row.index];
    paintSide(painter, row, {true, sideLeft(true), m_bytes->bytesA(segment), segment.firstA}, top);
    paintSide(painter, row, {false, sideLeft(false), m_bytes->bytesB(segment), segment.firstB},
              top);
}

QRectF ByteCompareView::cells(bool text, double left, std::uint64_t from, std::uint64_t to,
                              bool characters, double top) const
{
    if (text) {
        const double x = left + m_layout.hexCell(0, top).left();
        return {x + static_cast<double>(from) * m_layout.charWidth(), top,
                static_cast<double>(to - from) * m_layout.charWidth(), m_layout.rowHeight()};
    }
    const int first = static_cast<int>(from), last = static_cast<int>(to) - 1;
    const QRectF begin = characters ? m_layout.textCell(first, top) : m_layout.hexCell(first, top);
    const QRectF end = characters ? m_layout.textCell(last, top) : m_layout.hexCell(last, top);
    return QRectF(begin.topLeft(), end.bottomRight()).translated(left, 0);
}

void ByteCompareView::paintSide(QPainter &painter, const ByteRows::Row &row, const Side &side,
                                double top)
{
    const AlignedSegment &segment = alignment().segments()[row.index];
    if (row.kept(side.ofA)) {
        paintKept(painter, row, side, top);
        paintMarks(painter, row, side, top);
        return;
    }
    const std::uint64_t size = side.bytes.size();
    const std::uint64_t offset = row.offset(side.ofA), count = row.bytes(side.ofA);
    const std::uint64_t shown = offset < size ? std::min(count, size - offset) : 0;
    // What the other side has beyond the end of this one.
    const std::uint64_t wanted = segment.text && shown > 0 ? shown : count;
    if (shown < wanted) {
        const QBrush hatch = theme::brushOf(SectionKind::Padding, theme::isDark(palette()));
        painter.fillRect(cells(segment.text, side.left, shown, wanted, false, top), hatch);
        if (!segment.text && m_letters)
            painter.fillRect(cells(false, side.left, shown, wanted, true, top), hatch);
    }
    if (shown > 0) {
        if (!segment.text || offset == 0)
            paintOffset(painter, side, offset, top);
        for (std::uint64_t at = 0; at < shown; ++at) {
            if (!byteDiffers(*m_bytes, segment, offset + at, side.ofA))
                continue;
            std::uint64_t end = at + 1;
            while (end < shown && byteDiffers(*m_bytes, segment, offset + end, side.ofA))
                ++end;
            paintRun(painter, row, side, at, end, top);
            at = end;
        }
        segment.text ? paintText(painter, row, side, top) : paintDigits(painter, row, side, top);
    }
    paintMarks(painter, row, side, top);
}

void ByteCompareView::paintOffset(QPainter &painter, const Side &side, std::uint64_t offset,
                                  double top) const
{
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QPointF(side.left + m_layout.offsetX(), top + QFontMetricsF(font()).ascent()),
                     QString::number(static_cast<qulonglong>(side.first + offset), 16)
                         .rightJustified(m_layout.offsetDigits(), u'0'));
}

/// Kept values under the elements that they are; what the mask leaves out is hatched.
void ByteCompareView::paintKept(QPainter &painter, const ByteRows::Row &row, const Side &side,
                                double top)
{
    const QBrush hatch = theme::brushOf(SectionKind::Padding, theme::isDark(palette()));
    for (std::uint64_t from = 0; from < row.places;) {
        const bool there = row.byteAt(side.ofA, from).has_value();
        std::uint64_t to = from + 1;
        while (to < row.places && row.byteAt(side.ofA, to).has_value() == there)
            ++to;
        if (there) {
            paintRun(painter, row, side, from, to, top);
        } else {
            painter.fillRect(cells(false, side.left, from, to, false, top), hatch);
            if (m_letters)
                painter.fillRect(cells(false, side.left, from, to, true, top), hatch);
        }
        from = to;
    }
    if (!row.columns.empty()) {
        paintOffset(painter, side, row.offset(side.ofA), top);
        paintDigits(painter, row, side, top);
    }
}

void ByteCompareView::paintRun(QPainter &painter, const ByteRows::Row &row, const Side &side,
                               std::uint64_t from, std::uint64_t to, double top) const
{
    const bool text = alignment().segments()[row.index].text;
    const QColor color = sideColor(side.ofA, palette());
    const QColor ground = tint(palette().color(QPalette::Base), color, 0.3);
    const double pen = std::max(1.0, static_cast<double>(theme::em(this, 0.08)));
    painter.setPen(QPen(color, pen));
    painter.setBrush(ground);
    const double in = pen / 2;
    painter.drawRect(cells(text, side.left, from, to, false, top).adjusted(in, in, -in, -in));
    if (!text && m_letters)
        painter.drawRect(cells(text, side.left, from, to, true, top).adjusted(in, in, -in, -in));
    painter.setBrush(Qt::NoBrush);
}

void ByteCompareView::paintDigits(QPainter &painter, const ByteRows::Row &row, const Side &side,
                                  double top)
{
    painter.setPen(palette().color(QPalette::Text));
    const std::uint64_t offset = row.offset(side.ofA), count = row.bytes(side.ofA);
    const std::uint64_t end = std::min(offset + count, std::uint64_t{side.bytes.size()});
    for (std::uint64_t at = offset; at < end; ++at) {
        const auto value = std::to_integer<std::size_t>(side.bytes[at]);
        const int column = static_cast<int>(row.column(side.ofA, at - offset));
        const QPointF digits = m_layout.hexCell(column, top).topLeft();
        painter.drawStaticText(digits + QPointF(side.left + m_layout.charWidth() / 2, 0),
                               m_glyphs.digits(value));
        if (m_letters)
            painter.drawStaticText(m_layout.textCell(column, top).topLeft() + QPointF(side.left, 0),
                                   m_glyphs.letter(value));
    }
}

void ByteCompareView::paintText(QPainter &painter, const ByteRows::Row &row, const Side &side,
                                double top)
{
    painter.setPen(palette().color(QPalette::Text));
    const std::uint64_t offset = row.offset(side.ofA), count = row.bytes(side.ofA);
    const std::uint64_t end = std::min(offset + count, std::uint64_t{side.bytes.size()});
    for (std::uint64_t at = offset; at < end; ++at) {
        const auto value = std::to_integer<std::size_t>(side.bytes[at]);
        if (value == '\n' || value == '\r')
            continue;
        const QRectF cell = cells(true, side.left, at - offset, at - offset + 1, false, top);
        painter.drawStaticText(cell.topLeft(), m_glyphs.letter(value));
    }
}

/// The cursor on its side, what stands for the same on the other.
void ByteCompareView::paintMarks(QPainter &painter, const ByteRows::Row &row, const Side &side,
                                 double top) const
{
    if (side.ofA == m_sideA) {
        paintFrame(painter, row, {m_cursor.segment, m_cursor.offset, 1}, side, top);
        return;
    }
    for (const SegmentRun &run : m_counterpart.runs)
        paintFrame(painter, row, run, side, top);
}

void ByteCompareView::paintFrame(QPainter &painter, const ByteRows::Row &row, const SegmentRun &run,
                                 const Side &side, double top) const
{
    const std::uint64_t offset = row.offset(side.ofA), count = row.bytes(side.ofA);
    const std::uint64_t first = std::max(run.first, offset);
    const std::uint64_t end = std::min(run.first + run.length, offset + count);
    if (run.segment != row.index || first >= end)
        return;
    // Of kept values each stands for itself, with gaps between them.
    for (std::uint64_t from = first - offset; from < end - offset;) {
        const std::uint64_t column = row.column(side.ofA, from);
        std::uint64_t to = from + 1;
        while (to < end - offset && row.column(side.ofA, to) == column + (to - from))
            ++to;
        paintFrame(painter, row, column, column + (to - from), side, top);
        from = to;
    }
}

/// The same around the columns [from, to).
void ByteCompareView::paintFrame(QPainter &painter, const ByteRows::Row &row, std::uint64_t from,
                                 std::uint64_t to, const Side &side, double top) const
{
    const bool text = alignment().segments()[row.index].text;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Text), side.ofA == m_sideA ? 2.0 : 1.0));
    // A character fills its cell: there the frame lies around it, so that it can be read.
    const double inset = text ? -1 : 1;
    painter.drawRect(
        cells(text, side.left, from, to, false, top).adjusted(inset, inset, -inset, -inset));
    if (!text && m_letters) {
        painter.setPen(QPen(palette().color(QPalette::Text), 1.0));
        painter.drawRect(
            cells(text, side.left, from, to, true, top).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

QRect ByteCompareView::cellRect(const ByteCursor &cursor, bool ofA) const
{
    if (empty() || cursor.segment >= alignment().segments().size())
        return {};
    const std::uint64_t at = m_rows.rowOf(alignment(), cursor.segment, cursor.offset, ofA);
    if (at < m_topRow || at > m_topRow + visibleRows())
        return {};
    const ByteRows::Row row = m_rows.at(alignment(), at);
    const double top = headerHeight() + static_cast<double>(at - m_topRow) * m_layout.rowHeight();
    const std::uint64_t byte = cursor.offset - row.offset(ofA);
    if (row.kept(ofA) && byte >= row.columns.size())
        return {};
    const std::uint64_t column = row.column(ofA, byte);
    return cells(alignment().segments()[cursor.segment].text, sideLeft(ofA), column, column + 1,
                 false, top)
        .toAlignedRect();
}

} // namespace kernscope::ui
