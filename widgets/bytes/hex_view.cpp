// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_view.h"

#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr int kKeyRestMs = 250;

/// Of more rows a selection is a whole part: a quiet ground between a line above and one below.
constexpr std::uint64_t kLargeRows = 4;

} // namespace

HexView::HexView(QWidget *parent) : HexRows(tr("Bytes"), parent)
{
    m_order.countAtMost(kMostCounted);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kKeyRestMs);
    connect(&m_rest, &QTimer::timeout, this, [this] {
        if (size() > 0)
            Q_EMIT picked(selection());
    });
    relayout();
}

void HexView::setFile(BundlePtr bundle, std::size_t file)
{
    const bool sound = bundle && file < bundle->files().size();
    const auto next = sound ? bundle->files()[file].file : nullptr;
    const bool same =
        m_bundle && sound && m_fileIndex == file && m_bundle->path() == bundle->path();
    m_bundle = sound ? std::move(bundle) : nullptr;
    m_fileIndex = sound ? file : kNoIndex;
    m_file = next;
    m_order.clear();
    if (!same)
        forget();
    relayout();
    afterCursorMove();
}

void HexView::setFile(std::shared_ptr<OverlaidFile> file)
{
    m_order.clear();
    m_bundle = nullptr;
    m_fileIndex = kNoIndex;
    m_file = std::move(file);
    forget();
    relayout();
    afterCursorMove();
}

void HexView::forget()
{
    m_topRow = m_cursor = m_anchor = 0;
    m_rest.stop();
}

std::span<const std::byte> HexView::bytes() const
{
    return m_file ? m_file->bytes() : std::span<const std::byte>();
}

std::uint64_t HexView::rowTotal() const
{
    const auto perRow = static_cast<std::uint64_t>(m_bytesPerRow);
    return size() / perRow + (size() % perRow != 0 ? 1 : 0);
}

void HexView::setBytesPerRow(int count)
{
    if (count == m_bytesPerRow || (count != 8 && count != 16 && count != 32))
        return;
    const std::uint64_t top = m_topRow * static_cast<std::uint64_t>(m_bytesPerRow);
    m_bytesPerRow = count;
    m_topRow = top / static_cast<std::uint64_t>(count);
    relayout();
}

void HexView::relayout()
{
    // Trailing bytes are cut after an edit that shortened the file.
    const std::uint64_t last = size() > 0 ? size() - 1 : 0;
    m_cursor = std::min(m_cursor, last);
    m_anchor = std::min(m_anchor, last);
    m_layout = HexLayout(QFontMetricsF(font()), m_bytesPerRow, size());
    m_glyphs.prepare(font());
    m_anyChange = m_file && m_file->modified();
    syncScrollBars();
    viewport()->update();
}

void HexView::resizeEvent(QResizeEvent *event)
{
    HexRows::resizeEvent(event);
    // A cursor that was in sight stays so where the view loses rows.
    const std::uint64_t row = m_cursor / static_cast<std::uint64_t>(m_bytesPerRow);
    const int before = event->oldSize().height() - headerHeight();
    const bool inSight = row >= m_topRow && before > 0 &&
                         static_cast<double>(row - m_topRow + 1) * m_layout.rowHeight() <= before;
    syncScrollBars();
    if (inSight)
        revealCursor();
}

ByteRange HexView::selection() const
{
    if (size() == 0)
        return {};
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    return {FileOffset(first), ByteCount(last - first + 1)};
}

void HexView::select(ByteRange range)
{
    if (size() == 0)
        return;
    m_rest.stop();
    const std::uint64_t last = size() - 1;
    m_cursor = std::min(range.offset.value, last);
    const std::uint64_t more = range.bytes.value > 0 ? range.bytes.value - 1 : 0;
    m_anchor = m_cursor + std::min(more, last - m_cursor);
    const std::uint64_t row = m_cursor / static_cast<std::uint64_t>(m_bytesPerRow);
    if (row < m_topRow || row >= m_topRow + visibleRows())
        scrollToRow(row - std::min(row, visibleRows() / 3));
    afterCursorMove();
}

void HexView::selectAll()
{
    if (size() == 0)
        return;
    m_anchor = size() - 1;
    m_cursor = 0;
    afterCursorMove();
    m_rest.start();
}

void HexView::markBits(std::optional<BitRun> bits)
{
    m_bits = bits;
    m_bitsOf = selection();
    viewport()->update();
}

std::optional<BitRun> HexView::markedBits() const
{
    return m_bits && m_bitsOf == selection() ? m_bits : std::nullopt;
}

std::optional<QString> HexView::selectedText(CopyFormat format) const
{
    const ByteRange range = selection();
    if (range.bytes.value == 0 || range.bytes.value > kMostBytesAsText)
        return std::nullopt;
    const auto chosen = bytes().subspan(range.offset.value, range.bytes.value);
    const ElementType type = m_bundle ? fieldOf(range.offset.value).type : ElementType::Uint8;
    return bytesAsText(chosen, format, type);
}

ByteField HexView::fieldOf(std::uint64_t offset) const
{
    return m_bundle ? fieldAt(*m_bundle, m_fileIndex, FileOffset(offset), m_order) : ByteField();
}

std::optional<ElementBytes> HexView::placeOf(std::size_t weight, std::uint64_t element) const
{
    return m_bundle ? placeOfElement(*m_bundle, weight, element, m_order) : std::nullopt;
}

void HexView::moveCursor(std::uint64_t to, bool keepAnchor)
{
    if (size() == 0)
        return;
    m_cursor = std::min(to, size() - 1);
    if (!keepAnchor)
        m_anchor = m_cursor;
    revealCursor();
    afterCursorMove();
}

void HexView::revealCursor()
{
    const std::uint64_t row = m_cursor / static_cast<std::uint64_t>(m_bytesPerRow);
    if (row < m_topRow)
        scrollToRow(row);
    else if (row >= m_topRow + visibleRows())
        scrollToRow(row - visibleRows() + 1);
}

void HexView::afterCursorMove()
{
    viewport()->update();
    setAccessibleDescription(size() > 0 ? tipAt(m_cursor) : tr("The file is empty."));
    Q_EMIT cursorMoved();
}

QRect HexView::cellRect(std::uint64_t offset) const
{
    const auto perRow = static_cast<std::uint64_t>(m_bytesPerRow);
    const std::uint64_t row = offset / perRow;
    if (offset >= size() || row < m_topRow || row > m_topRow + visibleRows())
        return {};
    return m_layout.hexCell(static_cast<int>(offset % perRow), topOf(row))
        .translated(-horizontalScrollBar()->value(), 0)
        .toAlignedRect();
}

int HexView::heightFor(std::uint64_t rows) const
{
    return static_cast<int>(
               std::ceil(headerHeight() + static_cast<double>(rows) * m_layout.rowHeight())) +
           2 * frameWidth();
}

int HexView::contentWidth(int bytesPerRow) const
{
    const double width = bytesPerRow == 0
                             ? m_layout.width()
                             : HexLayout(QFontMetricsF(font()), bytesPerRow, size()).width();
    return static_cast<int>(std::ceil(width)) + 2 * frameWidth() +
           style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
}

QSize HexView::sizeHint() const
{
    return {contentWidth(), theme::em(this, 12)};
}

QSize HexView::minimumSizeHint() const
{
    return {theme::em(this, 10), theme::em(this, 5)};
}

QString HexView::tipAt(std::uint64_t offset) const
{
    const auto hex = [](std::byte byte) {
        return hexNumber(std::to_integer<std::uint64_t>(byte), 2);
    };
    const ByteRange one{FileOffset(offset), ByteCount(1)};
    QString tip = u"%1: %2"_s.arg(hexNumber(offset, m_layout.offsetDigits()), hex(bytes()[offset]));
    if (m_file->changed(one))
        tip += u" %1 "_s.arg(theme::glyph(Token::MarkChanged)) +
               tr("changed, on disk %1").arg(hex(m_file->diskByte(FileOffset(offset))));
    const QString field = fromUtf8(fieldOf(offset).text);
    return field.isEmpty() ? tip : tip + u'\n' + field;
}

std::optional<std::uint64_t> HexView::byteAt(const QPoint &pos) const
{
    const auto row = rowAt(pos.y());
    const auto hit = m_layout.exactHitAt(pos.x() + horizontalScrollBar()->value());
    if (!row || !hit)
        return std::nullopt;
    const std::uint64_t offset =
        *row * static_cast<std::uint64_t>(m_bytesPerRow) + static_cast<std::uint64_t>(hit->column);
    return offset < size() ? std::optional(offset) : std::nullopt;
}

/// For dragging: the byte of the nearest cell, also of the rows just outside.
std::uint64_t HexView::nearestByte(const QPoint &pos)
{
    const double row = std::floor((pos.y() - headerHeight()) / m_layout.rowHeight());
    const auto hit = m_layout.hitAt(pos.x() + horizontalScrollBar()->value());
    if (!m_dragging)
        m_inText = hit.text;
    const auto below = static_cast<std::uint64_t>(std::max(row, 0.0));
    const auto above = static_cast<std::uint64_t>(std::max(-row, 0.0));
    std::uint64_t at = m_topRow + std::min(below, visibleRows());
    at = std::min(at - std::min(at, above), rowTotal() - 1);
    const std::uint64_t offset =
        at * static_cast<std::uint64_t>(m_bytesPerRow) + static_cast<std::uint64_t>(hit.column);
    return std::min(offset, size() - 1);
}

void HexView::mousePressEvent(QMouseEvent *event)
{
    if (size() == 0 || event->position().y() < headerHeight())
        return;
    // The menu of a right click means the selection that is there.
    const auto under = byteAt(event->position().toPoint());
    const bool keep =
        event->button() == Qt::RightButton && under && selection().contains(FileOffset(*under));
    if (event->button() == Qt::MiddleButton || keep)
        return;
    const std::uint64_t offset = nearestByte(event->position().toPoint());
    m_dragging = event->button() == Qt::LeftButton;
    moveCursor(offset, event->modifiers() & Qt::ShiftModifier);
}

void HexView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_dragging)
        moveCursor(nearestByte(event->position().toPoint()), true);
}

void HexView::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_dragging || event->button() != Qt::LeftButton)
        return;
    m_dragging = false;
    m_rest.stop();
    Q_EMIT picked(selection());
}

bool HexView::moveByKey(QKeyEvent *event)
{
    const auto perRow = static_cast<std::uint64_t>(m_bytesPerRow);
    const std::uint64_t last = size() - 1, column = m_cursor % perRow;
    const std::uint64_t page = visibleRows() * perRow;
    const bool whole = event->modifiers() & Qt::ControlModifier;
    const auto ahead = [this, last](std::uint64_t by) {
        return by <= last - m_cursor ? m_cursor + by : last;
    };
    std::uint64_t to = m_cursor;
    switch (event->key()) {
    case Qt::Key_Left: to = m_cursor > 0 ? m_cursor - 1 : 0; break;
    case Qt::Key_Right: to = ahead(1); break;
    case Qt::Key_Up: to = m_cursor >= perRow ? m_cursor - perRow : m_cursor; break;
    case Qt::Key_Down: to = m_cursor / perRow < last / perRow ? ahead(perRow) : m_cursor; break;
    case Qt::Key_PageUp:
        to = m_cursor >= page ? m_cursor - page : column;
        scrollToRow(m_topRow - std::min(m_topRow, visibleRows()));
        break;
    case Qt::Key_PageDown:
        to = ahead(page);
        scrollToRow(m_topRow + visibleRows());
        break;
    case Qt::Key_Home: to = whole ? 0 : m_cursor - column; break;
    case Qt::Key_End: to = whole ? last : ahead(perRow - 1 - column); break;
    default: return false;
    }
    moveCursor(to, event->modifiers() & Qt::ShiftModifier);
    m_rest.start();
    return true;
}

void HexView::keyPressEvent(QKeyEvent *event)
{
    const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
    const bool plain = !(modifiers & (Qt::AltModifier | Qt::MetaModifier));
    if (size() == 0 || !plain) {
        HexRows::keyPressEvent(event);
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        m_rest.stop();
        Q_EMIT picked(selection());
    } else if (event->matches(QKeySequence::SelectAll)) {
        selectAll();
    } else if (event->key() == Qt::Key_Escape && m_anchor != m_cursor) {
        moveCursor(m_cursor, false);
    } else if (!moveByKey(event)) {
        if (!event->text().isEmpty() && event->text().front().isLetterOrNumber() &&
            !(modifiers & Qt::ControlModifier))
            Q_EMIT typed(event->text().front());
        HexRows::keyPressEvent(event);
        return;
    }
    event->accept();
}

bool HexView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const auto offset = byteAt(help->pos());
        QToolTip::showText(help->globalPos(), offset ? tipAt(*offset) : QString(), viewport());
        return true;
    }
    return HexRows::viewportEvent(event);
}

void HexView::paintEvent(QPaintEvent *event)
{
    m_anyChange = m_file && m_file->modified();
    HexRows::paintEvent(event);
    if (size() > 0)
        return;
    QPainter painter(viewport());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("The file is empty."));
}

void HexView::paintHeader(QPainter &painter)
{
    const double left = -horizontalScrollBar()->value();
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

void HexView::paintRow(QPainter &painter, std::uint64_t row, double top)
{
    const auto perRow = static_cast<std::uint64_t>(m_bytesPerRow);
    const std::uint64_t first = row * perRow, end = std::min(first + perRow, size());
    const double left = -horizontalScrollBar()->value();
    paintOffset(painter, first, left, top);
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
    paintValue(painter, bytes()[offset], hex, text);
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

#include "moc_hex_view.cpp"
