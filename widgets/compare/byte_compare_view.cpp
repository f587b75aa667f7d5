// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/byte_compare_view.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/fixed_font.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QScrollBar>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

constexpr int kMostWithoutLetters = 16;

} // namespace

ByteCompareView::ByteCompareView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Bytes of both bundles side by side"));
    setFont(fixedFont(design::Type::Small));
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    viewport()->setCursor(Qt::IBeamCursor);
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this,
            &ByteCompareView::onScrollAction);
    relayout();
}

void ByteCompareView::setBytes(AlignedBytesPtr bytes, bool keep)
{
    m_bytes = std::move(bytes);
    m_counterparts = ByteCounterparts(m_bytes);
    m_differences = nullptr;
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
        const ByteRows::Row top = m_rows.at(alignment(), std::min(m_topRow, m_rows.rows() - 1));
        m_rows = ByteRows(alignment(), static_cast<std::uint64_t>(perRow), m_bytes->kept);
        switch (top.kind) {
        case ByteRows::Row::Kind::FileTitle: m_topRow = m_rows.titleOfFile(top.index); break;
        case ByteRows::Row::Kind::SectionTitle: m_topRow = m_rows.titleOfSection(top.index); break;
        case ByteRows::Row::Kind::Bytes:
            m_topRow = m_rows.rowOf(alignment(), top.index, top.offsetA, true);
            break;
        }
    } else if (empty()) {
        m_rows = ByteRows(ByteAlignment(), static_cast<std::uint64_t>(perRow));
    }
    m_glyphs.prepare(font());
    syncScrollBars();
    viewport()->update();
}

int ByteCompareView::headerHeight() const
{
    return static_cast<int>(m_layout.rowHeight()) + theme::em(this, 0.15);
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

std::uint64_t ByteCompareView::visibleRows() const
{
    const double height = viewport()->height() - headerHeight();
    return static_cast<std::uint64_t>(std::max(1.0, std::floor(height / m_layout.rowHeight())));
}

void ByteCompareView::syncScrollBars()
{
    m_syncing = true;
    m_scroll = RowScroll(m_rows.rows(), visibleRows());
    m_topRow = std::min(m_topRow, m_scroll.lastTop());
    QScrollBar *vertical = verticalScrollBar();
    vertical->setRange(0, m_scroll.maximum());
    vertical->setPageStep(static_cast<int>(visibleRows()));
    vertical->setValue(m_scroll.valueOf(m_topRow));
    QScrollBar *horizontal = horizontalScrollBar();
    const int hidden = static_cast<int>(std::ceil(2 * columnsWidth())) - viewport()->width();
    horizontal->setRange(0, std::max(0, hidden));
    horizontal->setPageStep(viewport()->width());
    horizontal->setSingleStep(static_cast<int>(m_layout.charWidth() * 3));
    m_syncing = false;
}

/// Single steps and pages are rows, even where the bar's own steps are many rows each.
void ByteCompareView::onScrollAction(int action)
{
    const std::uint64_t page = visibleRows();
    switch (action) {
    case QAbstractSlider::SliderSingleStepAdd: scrollToRow(m_topRow + 1); break;
    case QAbstractSlider::SliderSingleStepSub:
        scrollToRow(m_topRow - std::min<std::uint64_t>(m_topRow, 1));
        break;
    case QAbstractSlider::SliderPageStepAdd: scrollToRow(m_topRow + page); break;
    case QAbstractSlider::SliderPageStepSub:
        scrollToRow(m_topRow - std::min(m_topRow, page));
        break;
    default: return;
    }
    verticalScrollBar()->setSliderPosition(m_scroll.valueOf(m_topRow));
}

void ByteCompareView::scrollContentsBy(int dx, int dy)
{
    if (!m_syncing && dy != 0 && m_scroll.valueOf(m_topRow) != verticalScrollBar()->value()) {
        m_topRow = m_scroll.rowOf(verticalScrollBar()->value());
        Q_EMIT scrolled();
    }
    Q_UNUSED(dx);
    viewport()->update();
}

void ByteCompareView::scrollToRow(std::uint64_t row)
{
    row = std::min(row, m_scroll.lastTop());
    if (row == m_topRow)
        return;
    m_topRow = row;
    m_syncing = true;
    verticalScrollBar()->setValue(m_scroll.valueOf(row));
    m_syncing = false;
    viewport()->update();
    Q_EMIT scrolled();
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
        return name.arg(runs.isEmpty() ? tr("nothing") : runs.join(QStringLiteral(", ")));
    };
    QStringList words{fromUtf8(alignment().sections()[segment.section].name)};
    if (!m_counterpart.elements.empty()) {
        QStringList numbers;
        for (const std::uint64_t element : m_counterpart.elements)
            numbers << groupedNumber(element);
        words << (numbers.size() == 1 ? tr("element %1") : tr("elements %1"))
                     .arg(numbers.join(QStringLiteral(", ")));
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
    return words.join(QStringLiteral("  "));
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
    QAbstractScrollArea::resizeEvent(event);
    relayout();
    Q_EMIT scrolled();
}

void ByteCompareView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        relayout();
    else if (event->type() == QEvent::PaletteChange)
        viewport()->update();
}

} // namespace kernscope::ui

#include "moc_byte_compare_view.cpp"
