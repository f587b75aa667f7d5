// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_view.h"

#include "core/bundle/bundle.h"
#include "widgets/common/fixed_font.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QEvent>
#include <QScrollBar>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

constexpr int kKeyRestMs = 250;

} // namespace

HexView::HexView(QWidget *parent) : QAbstractScrollArea(parent)
{
    m_order.countAtMost(kMostCounted);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Bytes"));
    setFont(fixedFont(design::Type::Small));
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    viewport()->setCursor(Qt::IBeamCursor);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kKeyRestMs);
    connect(&m_rest, &QTimer::timeout, this, [this] {
        if (size() > 0)
            Q_EMIT picked(selection());
    });
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, &HexView::onScrollAction);
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

std::uint64_t HexView::rows() const
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

int HexView::headerHeight() const
{
    return static_cast<int>(m_layout.rowHeight()) + theme::em(this, 0.15);
}

std::uint64_t HexView::visibleRows() const
{
    const double height = viewport()->height() - headerHeight();
    return static_cast<std::uint64_t>(std::max(1.0, std::floor(height / m_layout.rowHeight())));
}

void HexView::syncScrollBars()
{
    m_syncing = true;
    m_scroll = RowScroll(rows(), visibleRows());
    m_topRow = std::min(m_topRow, m_scroll.lastTop());
    QScrollBar *vertical = verticalScrollBar();
    vertical->setRange(0, m_scroll.maximum());
    vertical->setPageStep(static_cast<int>(visibleRows()));
    vertical->setValue(m_scroll.valueOf(m_topRow));
    QScrollBar *horizontal = horizontalScrollBar();
    const int hidden = static_cast<int>(std::ceil(m_layout.width())) - viewport()->width();
    horizontal->setRange(0, std::max(0, hidden));
    horizontal->setPageStep(viewport()->width());
    horizontal->setSingleStep(static_cast<int>(m_layout.charWidth() * 3));
    m_syncing = false;
}

/// Where a step of the bar stands for many rows, its arrows and page areas still go by rows.
void HexView::onScrollAction(int action)
{
    if (!m_scroll.scaled())
        return;
    const std::uint64_t page = visibleRows();
    const auto back = [this](std::uint64_t by) { return m_topRow > by ? m_topRow - by : 0; };
    std::uint64_t to = m_topRow;
    switch (action) {
    case QAbstractSlider::SliderSingleStepAdd: to = m_topRow + 1; break;
    case QAbstractSlider::SliderSingleStepSub: to = back(1); break;
    case QAbstractSlider::SliderPageStepAdd: to = m_topRow + page; break;
    case QAbstractSlider::SliderPageStepSub: to = back(page); break;
    default: return;
    }
    scrollToRow(to);
    verticalScrollBar()->setSliderPosition(m_scroll.valueOf(m_topRow));
}

void HexView::scrollToRow(std::uint64_t row)
{
    m_topRow = std::min(row, m_scroll.lastTop());
    m_syncing = true;
    verticalScrollBar()->setValue(m_scroll.valueOf(m_topRow));
    m_syncing = false;
    viewport()->update();
}

void HexView::scrollContentsBy(int, int)
{
    if (!m_syncing && verticalScrollBar()->value() != m_scroll.valueOf(m_topRow))
        m_topRow = m_scroll.rowOf(verticalScrollBar()->value());
    viewport()->update();
}

void HexView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    // A cursor that was in sight stays so where the view loses rows.
    const std::uint64_t row = m_cursor / static_cast<std::uint64_t>(m_bytesPerRow);
    const int before = event->oldSize().height() - headerHeight();
    const bool inSight = row >= m_topRow && before > 0 &&
                         static_cast<double>(row - m_topRow + 1) * m_layout.rowHeight() <= before;
    syncScrollBars();
    if (inSight)
        revealCursor();
}

void HexView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        relayout();
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
    const double top = headerHeight() + static_cast<double>(row - m_topRow) * m_layout.rowHeight();
    return m_layout.hexCell(static_cast<int>(offset % perRow), top)
        .translated(-horizontalScrollBar()->value(), 0)
        .toAlignedRect();
}

int HexView::heightFor(std::uint64_t rows) const
{
    return static_cast<int>(
               std::ceil(headerHeight() + static_cast<double>(rows) * m_layout.rowHeight())) +
           2 * frameWidth();
}

int HexView::contentWidth() const
{
    return static_cast<int>(std::ceil(m_layout.width())) + 2 * frameWidth() +
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
    QString tip = QStringLiteral("%1: %2").arg(hexNumber(offset, m_layout.offsetDigits()),
                                               hex(bytes()[offset]));
    if (m_file->changed(one))
        tip += QStringLiteral(" %1 ").arg(theme::glyph(Token::MarkChanged)) +
               tr("changed, on disk %1").arg(hex(m_file->diskByte(FileOffset(offset))));
    const QString field = fromUtf8(fieldOf(offset).text);
    return field.isEmpty() ? tip : tip + u'\n' + field;
}

} // namespace kernscope::ui

#include "moc_hex_view.cpp"
