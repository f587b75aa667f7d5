// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/byte_compare_view.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr int kMostWithoutLetters = 16;

} // namespace

ByteCompareView::ByteCompareView(QWidget *parent)
    : HexRows(tr("Bytes of both bundles side by side"), parent)
{
    relayout();
}

void ByteCompareView::setBytes(AlignedBytesPtr bytes, bool keep)
{
    m_bytes = std::move(bytes);
    m_counterparts = ByteCounterparts(m_bytes);
    m_differences = nullptr;
    m_only = nullptr;
    if (!keep) {
        m_topRow = 0;
        m_cursor = {};
    }
    m_rows = empty() ? ByteRows() : ByteRows(alignment(), m_rows.bytesPerRow(), m_bytes->kept);
    if (!empty()) {
        const auto &segments = alignment().segments();
        const bool there = m_cursor.segment < segments.size() &&
                           m_cursor.offset < segments[m_cursor.segment].length();
        if (!there)
            m_cursor = {0, 0};
        if (m_cursor.offset >= segments[m_cursor.segment].lengthOn(m_sideA))
            m_sideA = !m_sideA;
    }
    relayout();
    announce();
    Q_EMIT scrolled();
}

void ByteCompareView::setDifferences(std::shared_ptr<const ByteDifferences> differences)
{
    m_differences = std::move(differences);
    viewport()->update();
}

/// As many bytes in a row as the width has room for on both sides, up to sixteen without their
/// characters: of numbers those say little.
void ByteCompareView::relayout()
{
    std::uint64_t largest = 0;
    if (m_bytes) {
        for (const BundlePtr &bundle : {m_bytes->a, m_bytes->b}) {
            for (const BundleFile &file : bundle->files())
                largest = std::max(largest, file.file->size().value);
        }
    }
    const QFontMetricsF metrics(font());
    int perRow = 32;
    for (; perRow > 4; perRow /= 2) {
        m_layout = HexLayout(metrics, perRow, largest);
        m_letters = true;
        if (2 * columnsWidth() <= viewport()->width())
            break;
        m_letters = false;
        if (perRow <= kMostWithoutLetters && 2 * columnsWidth() <= viewport()->width())
            break;
    }
    m_layout = HexLayout(metrics, perRow, largest);
    if (!empty() && static_cast<std::uint64_t>(perRow) != m_rows.bytesPerRow()) {
        layRows(static_cast<std::uint64_t>(perRow));
    } else if (empty()) {
        m_rows = ByteRows(ByteAlignment(), static_cast<std::uint64_t>(perRow));
    }
    m_glyphs.prepare(font());
    syncScrollBars();
    viewport()->update();
}

/// What is at the top stays there.
void ByteCompareView::layRows(std::uint64_t bytesPerRow)
{
    const ByteRows::Row top = m_rows.at(alignment(), std::min(m_topRow, m_rows.rows() - 1));
    m_rows = ByteRows(alignment(), bytesPerRow, m_bytes->kept);
    if (m_only)
        m_rows.keepOnly(alignment(), *m_only);
    switch (top.kind) {
    case ByteRows::Row::Kind::FileTitle: m_topRow = m_rows.titleOfFile(top.index); break;
    case ByteRows::Row::Kind::SectionTitle: m_topRow = m_rows.titleOfSection(top.index); break;
    case ByteRows::Row::Kind::Bytes:
        m_topRow = m_rows.rowOf(alignment(), top.index, top.offsetA, true);
        break;
    }
}

void ByteCompareView::setOnly(std::shared_ptr<const std::vector<DifferenceRun>> differences)
{
    m_only = differences && !differences->empty() ? std::move(differences) : nullptr;
    if (empty())
        return;
    layRows(m_rows.bytesPerRow());
    relayout();
    Q_EMIT scrolled();
}

double ByteCompareView::columnsWidth() const
{
    return m_letters
               ? m_layout.width()
               : m_layout.hexCell(m_layout.bytesPerRow() - 1, 0).right() + m_layout.charWidth();
}

double ByteCompareView::sideWidth() const
{
    return std::max(columnsWidth(), viewport()->width() / 2.0);
}

double ByteCompareView::sideLeft(bool ofA) const
{
    return -horizontalScrollBar()->value() + (ofA ? 0.0 : sideWidth());
}

void ByteCompareView::reveal()
{
    if (empty())
        return;
    const std::uint64_t row = m_rows.rowOf(alignment(), m_cursor.segment, m_cursor.offset, m_sideA);
    const std::uint64_t page = visibleRows();
    if (row < m_topRow || row >= m_topRow + page)
        scrollToRow(row - std::min(row, page / 3));
}

void ByteCompareView::setCursor(const ByteCursor &cursor, std::optional<bool> ofA)
{
    if (empty() || cursor.segment >= alignment().segments().size())
        return;
    m_cursor = cursor;
    const AlignedSegment &segment = alignment().segments()[cursor.segment];
    if (ofA)
        m_sideA = *ofA;
    else if (!byteDiffers(*m_bytes, segment, cursor.offset, m_sideA) &&
             byteDiffers(*m_bytes, segment, cursor.offset, !m_sideA))
        m_sideA = !m_sideA;
    if (cursor.offset >= segment.lengthOn(m_sideA))
        m_sideA = !m_sideA;
    reveal();
    announce();
    viewport()->update();
}

void ByteCompareView::showFile(std::size_t file)
{
    if (empty() || file >= alignment().files().size())
        return;
    const AlignedFile &shown = alignment().files()[file];
    if (shown.sections > 0)
        setCursor({alignment().sections()[shown.firstSection].firstSegment, 0});
    scrollToRow(m_rows.titleOfFile(file));
}

void ByteCompareView::showSection(std::size_t section)
{
    if (empty() || section >= alignment().sections().size())
        return;
    setCursor({alignment().sections()[section].firstSegment, 0});
    scrollToRow(m_rows.titleOfSection(section));
}

QString ByteCompareView::cursorText() const
{
    if (empty())
        return {};
    const AlignedSegment &segment = alignment().segments()[m_cursor.segment];
    const auto bytesOn = [&](bool ofA, const AlignedSegment &of) {
        return ofA ? m_bytes->bytesA(of) : m_bytes->bytesB(of);
    };
    const auto textOf = [&](bool ofA, const SegmentRun &run) {
        const AlignedSegment &of = alignment().segments()[run.segment];
        const auto bytes = bytesOn(ofA, of);
        QStringList digits;
        for (std::uint64_t at = run.first; at < run.first + run.length && at < bytes.size(); ++at)
            digits << QString::number(std::to_integer<unsigned>(bytes[at]), 16)
                          .rightJustified(2, u'0');
        return tr("%1 at %2")
            .arg(digits.join(u' '), hexNumber((ofA ? of.firstA : of.firstB) + run.first, 8));
    };
    const auto side = [&](bool ofA) {
        const QString name = ofA ? tr("A: %1") : tr("B: %1");
        if (ofA == m_sideA)
            return name.arg(textOf(ofA, {m_cursor.segment, m_cursor.offset, 1}));
        QStringList runs;
        for (const SegmentRun &run : m_counterpart.runs)
            runs << textOf(ofA, run);
        return name.arg(runs.isEmpty() ? tr("nothing") : runs.join(u", "_s));
    };
    QStringList words{fromUtf8(alignment().sections()[segment.section].name)};
    if (!m_counterpart.elements.empty()) {
        QStringList numbers;
        for (const std::uint64_t element : m_counterpart.elements)
            numbers << groupedNumber(element);
        words << (numbers.size() == 1 ? tr("element %1") : tr("elements %1"))
                     .arg(numbers.join(u", "_s));
    }
    words << side(true) << side(false);
    if (m_counterpart.runs.empty()) {
        words << (m_sideA ? tr("\u2260 only in A") : tr("\u2260 only in B"));
    } else if (!m_counterpart.byteForByte) {
        words << tr("\u2260 stored otherwise");
    } else {
        const SegmentRun &run = m_counterpart.sameByte;
        const auto own = bytesOn(m_sideA, segment);
        const auto other = bytesOn(!m_sideA, alignment().segments()[run.segment]);
        const bool equal = m_cursor.offset < own.size() && run.first < other.size() &&
                           own[m_cursor.offset] == other[run.first];
        words << (equal ? tr("= equal") : tr("\u2260 differs"));
    }
    return words.join(u"  "_s);
}

void ByteCompareView::announce()
{
    m_counterpart =
        empty() ? ByteCounterpart() : m_counterparts.of(m_cursor.segment, m_cursor.offset, m_sideA);
    setAccessibleDescription(cursorText());
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

QSize ByteCompareView::sizeHint() const
{
    return {static_cast<int>(2 * m_layout.width()), theme::em(this, 16)};
}

QSize ByteCompareView::minimumSizeHint() const
{
    return {theme::em(this, 12), theme::em(this, 5)};
}

void ByteCompareView::resizeEvent(QResizeEvent *event)
{
    HexRows::resizeEvent(event);
    relayout();
    Q_EMIT scrolled();
}

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
    return HexRows::focusNextPrevChild(next);
}

/// The byte `rows` rows further, in the same column; titles are stepped over.
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
    case Qt::Key_Left:
    case Qt::Key_Right: {
        const bool right = event->key() == Qt::Key_Right;
        const ByteCursor to = stepBytes(right);
        const bool shown = m_rows.shows(alignment(), to.segment, to.offset, m_sideA);
        moveTo(shown ? to : stepRows(right ? 1 : -1));
        break;
    }
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
        HexRows::keyPressEvent(event);
}

std::optional<ByteCursor> ByteCompareView::hit(const QPoint &position, bool &sideA) const
{
    const auto at = empty() ? std::nullopt : rowAt(position.y());
    if (!at)
        return std::nullopt;
    const ByteRows::Row row = m_rows.at(alignment(), *at);
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

namespace {

/// Colour of what differs: blue on the side of A, orange on that of B, as in the pictures.
QColor sideColor(bool ofA, const QPalette &palette)
{
    return theme::color(ofA ? Token::DiffLess : Token::DiffMore, theme::isDark(palette));
}

} // namespace

void ByteCompareView::paintRow(QPainter &painter, std::uint64_t at, double top)
{
    const ByteRows::Row row = m_rows.at(alignment(), at);
    switch (row.kind) {
    case ByteRows::Row::Kind::FileTitle: paintFileTitle(painter, row.index, top); break;
    case ByteRows::Row::Kind::SectionTitle: paintSectionTitle(painter, row.index, top); break;
    case ByteRows::Row::Kind::Bytes: {
        const AlignedSegment &segment = alignment().segments()[row.index];
        paintSide(painter, row, {true, sideLeft(true), m_bytes->bytesA(segment), segment.firstA},
                  top);
        paintSide(painter, row, {false, sideLeft(false), m_bytes->bytesB(segment), segment.firstB},
                  top);
    }
    }
}

/// What the topmost row belongs to, since its title may be scrolled away.
void ByteCompareView::paintHeader(QPainter &painter)
{
    painter.setPen(palette().color(QPalette::Mid));
    const double middle = std::floor(sideLeft(false)) + 0.5;
    painter.drawLine(QPointF(middle, 0), QPointF(middle, viewport()->height()));
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
    for (const bool ofA : {true, false}) {
        const std::string &path = ofA ? file.pathA : file.pathB;
        const QString name =
            fromUtf8(path.empty() ? std::string_view("\u2013") : path) + u"  \u203A  "_s;
        const double left = std::max(sideLeft(ofA), ofA ? 0.0 : viewport()->width() / 2.0);
        const double room = viewport()->width() / 2.0 - m_layout.charWidth() * 2;
        painter.drawText(QRectF(left + m_layout.charWidth(), 0, room, m_layout.rowHeight()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         (ofA ? tr("A  ") : tr("B  ")) +
                             titleOf(section, ofA, name, {}, room - 3 * m_layout.charWidth()));
    }
}

/// Between what stands before and behind it; its name gives way to figures.
QString ByteCompareView::titleOf(std::size_t index, bool ofA, const QString &before,
                                 const QString &behind, double room) const
{
    const QFontMetrics metrics(font());
    const int width = static_cast<int>(room);
    const AlignedSection &section = alignment().sections()[index];
    const std::size_t own = ofA ? section.a : section.b;
    const BundlePtr &bundle = ofA ? m_bytes->a : m_bytes->b;
    if (own == kNoIndex)
        return nameAndFigures(metrics, before + (ofA ? tr("not in A") : tr("not in B")), behind,
                              width);
    const Section &shown = bundle->sections()[own];
    return nameAndFigures(metrics, before + fromUtf8(bundle->nameOf(shown)),
                          tr("  %1 B").arg(groupedNumber(shown.range.bytes.value)) + behind, width);
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
    return u"  \u2260 "_s + words.join(u", "_s);
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
    for (const bool ofA : {true, false}) {
        const double left = sideLeft(ofA) + m_layout.charWidth();
        const bool there = (ofA ? section.a : section.b) != kNoIndex;
        if (there) {
            const QRectF swatch(left, top + (m_layout.rowHeight() - side) / 2, side, side);
            painter.fillRect(swatch, theme::color(theme::tokenOf(section.kind), dark));
            painter.fillRect(swatch, theme::brushOf(section.kind, dark));
        }
        painter.setPen(palette().color(there ? QPalette::Text : QPalette::PlaceholderText));
        const double room = sideWidth() - side - 3 * m_layout.charWidth();
        painter.drawText(
            QRectF(left + side + m_layout.charWidth() / 2, top, room, m_layout.rowHeight()),
            Qt::AlignLeft | Qt::AlignVCenter, titleOf(index, ofA, {}, stateOf(index, ofA), room));
    }
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

std::vector<QRectF> ByteCompareView::allCells(bool text, double left, std::uint64_t from,
                                              std::uint64_t to, double top) const
{
    std::vector<QRectF> all{cells(text, left, from, to, false, top)};
    if (!text && m_letters)
        all.push_back(cells(false, left, from, to, true, top));
    return all;
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
        for (const QRectF &box : allCells(segment.text, side.left, shown, wanted, top))
            painter.fillRect(box, hatch);
    }
    if (shown > 0) {
        if (!segment.text || offset == 0)
            paintOffset(painter, side.first + offset, side.left, top);
        for (std::uint64_t at = 0; at < shown; ++at) {
            if (!byteDiffers(*m_bytes, segment, offset + at, side.ofA))
                continue;
            std::uint64_t end = at + 1;
            while (end < shown && byteDiffers(*m_bytes, segment, offset + end, side.ofA))
                ++end;
            paintRun(painter, row, side, at, end, top);
            at = end;
        }
        paintValues(painter, row, side, top);
    }
    paintMarks(painter, row, side, top);
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
            for (const QRectF &box : allCells(false, side.left, from, to, top))
                painter.fillRect(box, hatch);
        }
        from = to;
    }
    if (!row.columns.empty()) {
        paintOffset(painter, side.first + row.offset(side.ofA), side.left, top);
        paintValues(painter, row, side, top);
    }
}

void ByteCompareView::paintRun(QPainter &painter, const ByteRows::Row &row, const Side &side,
                               std::uint64_t from, std::uint64_t to, double top) const
{
    const bool text = alignment().segments()[row.index].text;
    const QColor color = sideColor(side.ofA, palette());
    const QColor ground = theme::mix(palette().color(QPalette::Base), color, 0.3);
    const double pen = std::max(1.0, static_cast<double>(theme::em(this, 0.08)));
    painter.setPen(QPen(color, pen));
    painter.setBrush(ground);
    const double in = pen / 2;
    for (const QRectF &box : allCells(text, side.left, from, to, top))
        painter.drawRect(box.adjusted(in, in, -in, -in));
    painter.setBrush(Qt::NoBrush);
}

/// Bytes of text as letters, all others as digits.
void ByteCompareView::paintValues(QPainter &painter, const ByteRows::Row &row, const Side &side,
                                  double top)
{
    const bool text = alignment().segments()[row.index].text;
    painter.setPen(palette().color(QPalette::Text));
    const std::uint64_t offset = row.offset(side.ofA), count = row.bytes(side.ofA);
    const std::uint64_t end = std::min(offset + count, std::uint64_t{side.bytes.size()});
    for (std::uint64_t at = offset; at < end; ++at) {
        const std::uint64_t column = row.column(side.ofA, at - offset);
        const QRectF cell = cells(text, side.left, column, column + 1, false, top);
        if (!text)
            paintValue(painter, side.bytes[at], cell,
                       m_letters
                           ? std::optional(cells(false, side.left, column, column + 1, true, top))
                           : std::nullopt);
        else if (const auto value = std::to_integer<std::size_t>(side.bytes[at]);
                 value != '\n' && value != '\r')
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
    if ((row.kept(ofA) && byte >= row.columns.size()) ||
        !m_rows.shows(alignment(), cursor.segment, cursor.offset, ofA))
        return {};
    const std::uint64_t column = row.column(ofA, byte);
    return cells(alignment().segments()[cursor.segment].text, sideLeft(ofA), column, column + 1,
                 false, top)
        .toAlignedRect();
}

} // namespace kernscope::ui

#include "moc_byte_compare_view.cpp"
