// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_rows.h"

#include "core/bundle/kinds.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

QColor hexGround(SectionKind kind, const QPalette &palette)
{
    const bool dark = theme::isDark(palette);
    const double share = kind == SectionKind::Padding ? 0.25 : dark ? 0.34 : 0.24;
    return theme::mix(palette.color(QPalette::Base), theme::color(theme::tokenOf(kind), dark),
                      share);
}

QColor hexSelectedGround(const QColor &ground, const QPalette &palette, bool large)
{
    const double share = theme::isDark(palette) ? 0.6 : 0.4;
    return theme::mix(ground, palette.color(QPalette::Active, QPalette::Highlight),
                      large ? share / 2 : share);
}

QColor hexChangedGround(const QPalette &palette)
{
    const bool dark = theme::isDark(palette);
    return theme::mix(palette.color(QPalette::Base), theme::color(Token::MarkChanged, dark), 0.35);
}

namespace {

constexpr int kGroup = 8;

} // namespace

void ByteGlyphs::prepare(const QFont &font)
{
    const auto prepare = [&font](QStaticText &text, const QString &shown) {
        text.setText(shown);
        text.setTextFormat(Qt::PlainText);
        text.prepare({}, font);
    };
    for (std::size_t i = 0; i < m_digits.size(); ++i) {
        const bool printable = i >= 0x20 && i < 0x7f;
        prepare(m_digits[i], QString::number(i, 16).rightJustified(2, u'0'));
        prepare(m_letters[i], printable ? QString(QChar(static_cast<char16_t>(i))) : u"\u00B7"_s);
    }
}

HexLayout::HexLayout(const QFontMetricsF &metrics, int bytesPerRow, std::uint64_t fileSize)
    : m_bytesPerRow(bytesPerRow), m_char(metrics.horizontalAdvance(u'0')),
      m_row(std::ceil(metrics.height() * 1.08))
{
    const auto digits = static_cast<int>(QString::number(fileSize, 16).size());
    m_offsetDigits = std::max(8, digits);
}

double HexLayout::hexX(int column) const
{
    return m_char * (m_offsetDigits + 2.5 + 3 * column + column / kGroup);
}

QRectF HexLayout::hexCell(int column, double y) const
{
    return {hexX(column) - m_char / 2, y, 3 * m_char, m_row};
}

QRectF HexLayout::textCell(int column, double y) const
{
    return {textX() + column * m_char, y, m_char, m_row};
}

HexLayout::Hit HexLayout::hitAt(double x) const
{
    Hit hit;
    hit.text = x >= textX() - m_char;
    if (hit.text) {
        hit.column = static_cast<int>(std::floor((x - textX()) / m_char));
    } else {
        while (hit.column + 1 < m_bytesPerRow && x >= hexX(hit.column + 1) - m_char / 2)
            ++hit.column;
    }
    hit.column = std::clamp(hit.column, 0, m_bytesPerRow - 1);
    return hit;
}

std::optional<HexLayout::Hit> HexLayout::exactHitAt(double x) const
{
    const Hit hit = hitAt(x);
    const QRectF cell = hit.text ? textCell(hit.column, 0) : hexCell(hit.column, 0);
    return x >= cell.left() && x < cell.right() ? std::optional(hit) : std::nullopt;
}

HexRows::HexRows(const QString &name, QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    setFont(fixedFont(design::Type::Small));
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    viewport()->setCursor(Qt::IBeamCursor);
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, &HexRows::onScrollAction);
}

int HexRows::headerHeight() const
{
    return static_cast<int>(m_layout.rowHeight()) + theme::em(this, 0.15);
}

double HexRows::topOf(std::uint64_t row) const
{
    return headerHeight() + static_cast<double>(row - m_topRow) * m_layout.rowHeight();
}

std::uint64_t HexRows::visibleRows() const
{
    const double height = viewport()->height() - headerHeight();
    return static_cast<std::uint64_t>(std::max(1.0, std::floor(height / m_layout.rowHeight())));
}

void HexRows::syncScrollBars()
{
    const QScopedValueRollback guard(m_syncing, true);
    m_scroll = RowScroll(rowTotal(), visibleRows());
    m_topRow = std::min(m_topRow, m_scroll.lastTop());
    QScrollBar *vertical = verticalScrollBar();
    vertical->setRange(0, m_scroll.maximum());
    vertical->setPageStep(static_cast<int>(visibleRows()));
    vertical->setValue(m_scroll.valueOf(m_topRow));
    QScrollBar *horizontal = horizontalScrollBar();
    const int hidden = static_cast<int>(std::ceil(rowsWidth())) - viewport()->width();
    horizontal->setRange(0, std::max(0, hidden));
    horizontal->setPageStep(viewport()->width());
    horizontal->setSingleStep(static_cast<int>(m_layout.charWidth() * 3));
}

/// Single steps and pages are rows, also where a step of the bar stands for many rows.
void HexRows::onScrollAction(int action)
{
    const std::uint64_t page = visibleRows();
    const auto back = [this](std::uint64_t by) { return m_topRow - std::min(m_topRow, by); };
    switch (action) {
    case QAbstractSlider::SliderSingleStepAdd: scrollToRow(m_topRow + 1); break;
    case QAbstractSlider::SliderSingleStepSub: scrollToRow(back(1)); break;
    case QAbstractSlider::SliderPageStepAdd: scrollToRow(m_topRow + page); break;
    case QAbstractSlider::SliderPageStepSub: scrollToRow(back(page)); break;
    default: return;
    }
    verticalScrollBar()->setSliderPosition(m_scroll.valueOf(m_topRow));
}

void HexRows::scrollToRow(std::uint64_t row)
{
    row = std::min(row, m_scroll.lastTop());
    if (std::exchange(m_topRow, row) == row)
        return;
    m_syncing = true;
    verticalScrollBar()->setValue(m_scroll.valueOf(row));
    m_syncing = false;
    viewport()->update();
    rowsMoved();
}

void HexRows::scrollContentsBy(int, int)
{
    viewport()->update();
    if (m_syncing || verticalScrollBar()->value() == m_scroll.valueOf(m_topRow))
        return;
    m_topRow = m_scroll.rowOf(verticalScrollBar()->value());
    rowsMoved();
}

void HexRows::wheelEvent(QWheelEvent *event)
{
    if (std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y())) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    m_wheelRest += event->angleDelta().y() / 120.0 * 3;
    const double whole = std::trunc(m_wheelRest);
    m_wheelRest -= whole;
    const auto by = static_cast<std::uint64_t>(std::abs(whole));
    scrollToRow(whole < 0 ? m_topRow + by : m_topRow - std::min(m_topRow, by));
    event->accept();
}

void HexRows::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        relayout();
    else if (event->type() == QEvent::PaletteChange)
        viewport()->update();
}

std::optional<std::uint64_t> HexRows::rowAt(double y) const
{
    y -= headerHeight();
    const std::uint64_t row =
        m_topRow + static_cast<std::uint64_t>(std::max(y, 0.0) / m_layout.rowHeight());
    return y >= 0 && row < rowTotal() ? std::optional(row) : std::nullopt;
}

void HexRows::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.setFont(font());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (rowTotal() == 0)
        return;
    double top = headerHeight();
    for (std::uint64_t row = m_topRow; row < rowTotal() && top < viewport()->height(); ++row) {
        paintRow(painter, row, top);
        top += m_layout.rowHeight();
    }
    const QRectF strip(0, 0, viewport()->width(), headerHeight());
    painter.fillRect(strip, palette().color(QPalette::Window));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(strip.bottomLeft(), strip.bottomRight());
    paintHeader(painter);
}

void HexRows::paintOffset(QPainter &painter, std::uint64_t offset, double left, double top) const
{
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QPointF(left + m_layout.offsetX(), top + QFontMetricsF(font()).ascent()),
                     QString::number(static_cast<qulonglong>(offset), 16)
                         .rightJustified(m_layout.offsetDigits(), u'0'));
}

void HexRows::paintValue(QPainter &painter, std::byte value, const QRectF &hex,
                         const std::optional<QRectF> &text) const
{
    const auto glyph = std::to_integer<std::size_t>(value);
    painter.drawStaticText(QPointF(hex.left() + m_layout.charWidth() / 2, hex.top()),
                           m_glyphs.digits(glyph));
    if (text)
        painter.drawStaticText(text->topLeft(), m_glyphs.letter(glyph));
}

} // namespace kernscope::ui

#include "moc_hex_rows.cpp"
