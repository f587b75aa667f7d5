// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/bit_word_view.h"

#include "core/bundle/kinds.h"
#include "widgets/common/design.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr unsigned kBits = 32, kRowBits = 16;
constexpr double kCellHeight = 1.5, kNumberHeight = 0.95, kLeastCell = 0.75; // in ems

QString fieldWords(const descriptor::BitField &field, std::uint32_t value)
{
    const QString bits = field.low == field.high
                             ? BitWordView::tr("bit %1").arg(field.low)
                             : BitWordView::tr("bits %1 to %2").arg(field.high).arg(field.low);
    return BitWordView::tr("%1, %2: %3").arg(fromUtf8(field.name), bits).arg(field.of(value));
}

} // namespace

BitWordView::BitWordView(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Bits of the word"));
}

void BitWordView::setWord(std::uint32_t value, std::vector<descriptor::BitField> fields)
{
    m_value = value;
    m_fields = std::move(fields);
    std::stable_sort(m_fields.begin(), m_fields.end(),
                     [](const auto &a, const auto &b) { return a.low < b.low; });
    announce();
}

void BitWordView::setChosen(unsigned low, unsigned high)
{
    m_low = low;
    m_high = std::min(high, kBits - 1);
    announce();
}

/// What a screen reader reads.
void BitWordView::announce()
{
    QStringList words;
    for (const descriptor::BitField &field : m_fields)
        words += fieldWords(field, m_value);
    const int chosen = m_low == 0 && m_high == kBits - 1 ? -1 : fieldOf(m_low);
    setAccessibleDescription(
        chosen >= 0       ? fieldWords(m_fields[static_cast<std::size_t>(chosen)], m_value)
        : words.isEmpty() ? tr("%1, no field is named").arg(hexNumber(m_value, 8))
                          : QStringLiteral("%1: %2").arg(hexNumber(m_value, 8),
                                                         words.join(QStringLiteral("; "))));
    update();
}

int BitWordView::fieldOf(unsigned bit) const
{
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        if (bit >= m_fields[i].low && bit <= m_fields[i].high)
            return static_cast<int>(i);
    }
    return -1;
}

QRectF BitWordView::cellOf(unsigned bit) const
{
    const double across = (width() - 1) / double(kRowBits);
    const double row = theme::em(this, kCellHeight) + theme::em(this, kNumberHeight);
    const unsigned from = kBits - 1 - bit; // from the left, through both rows
    return {across * (from % kRowBits), (from / kRowBits) * row + theme::em(this, kNumberHeight),
            across, static_cast<double>(theme::em(this, kCellHeight))};
}

int BitWordView::bitAt(const QPointF &place) const
{
    for (unsigned bit = 0; bit < kBits; ++bit) {
        if (cellOf(bit).contains(place))
            return static_cast<int>(bit);
    }
    return -1;
}

QSize BitWordView::sizeHint() const
{
    return {theme::em(this, 16),
            2 * (theme::em(this, kCellHeight) + theme::em(this, kNumberHeight)) + 2};
}

QSize BitWordView::minimumSizeHint() const
{
    return {theme::em(this, kLeastCell * kRowBits), sizeHint().height()};
}

void BitWordView::drawBit(QPainter &painter, unsigned bit) const
{
    const QRectF cell = cellOf(bit);
    const int field = fieldOf(bit);
    const bool chosen = bit >= m_low && bit <= m_high;
    const bool one = (m_value >> bit & 1U) != 0;
    const bool dark = theme::isDark(palette());
    if (field < 0)
        painter.fillRect(cell, theme::brushOf(SectionKind::Padding, dark));
    else
        painter.fillRect(cell, field % 2 == 0 ? palette().color(QPalette::Base)
                                              : palette().color(QPalette::AlternateBase));
    if (chosen && !(m_low == 0 && m_high == kBits - 1))
        painter.fillRect(cell, design::chosenGround(palette()));
    QFont digits = font();
    digits.setBold(one);
    painter.setFont(digits);
    painter.setPen(palette().color(one ? QPalette::Text : QPalette::PlaceholderText));
    painter.drawText(cell, Qt::AlignCenter, one ? QStringLiteral("1") : QStringLiteral("0"));
    painter.setPen(design::hairline(palette()));
    painter.drawLine(cell.topLeft(), cell.topRight());
    painter.drawLine(cell.bottomLeft(), cell.bottomRight());
    // Between two fields, and at both ends of a row.
    const bool first = bit + 1 == kBits || (bit + 1) % kRowBits == 0;
    if (first || fieldOf(bit + 1) != field) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawLine(cell.topLeft(), cell.bottomLeft());
    }
    if (bit % kRowBits == 0) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawLine(cell.topRight(), cell.bottomRight());
    }
}

/// The numbers of each field's ends over them, those of a row's ends where no field has them.
void BitWordView::drawEnds(QPainter &painter) const
{
    painter.setFont(design::type(font(), design::Type::Small));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const double high = theme::em(this, kNumberHeight);
    const QFontMetricsF metrics(painter.font());
    for (const unsigned row : {1U, 0U}) {
        double free = -1; // where the next number may begin
        for (unsigned at = kRowBits; at-- > 0;) {
            const unsigned bit = row * kRowBits + at;
            const int field = fieldOf(bit);
            const bool end = field >= 0 && (m_fields[static_cast<std::size_t>(field)].high == bit ||
                                            m_fields[static_cast<std::size_t>(field)].low == bit);
            if (!end && at != 0 && at != kRowBits - 1)
                continue;
            const QString text = QString::number(bit);
            const QRectF cell = cellOf(bit);
            const double wide = metrics.horizontalAdvance(text);
            const double left = cell.center().x() - wide / 2;
            if (left < free)
                continue;
            painter.drawText(QRectF(left, cell.top() - high, wide + 2, high),
                             Qt::AlignLeft | Qt::AlignVCenter, text);
            free = left + wide + 2;
        }
    }
}

void BitWordView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    for (unsigned bit = 0; bit < kBits; ++bit)
        drawBit(painter, bit);
    drawEnds(painter);
    painter.setPen(QPen(design::accent(palette()), 2));
    painter.setBrush(Qt::NoBrush);
    // A run over both rows has a frame in each.
    for (const unsigned row : {0U, 1U}) {
        const unsigned low = std::max(m_low, row * kRowBits);
        const unsigned high = std::min(m_high, row * kRowBits + kRowBits - 1);
        if (low <= high)
            painter.drawRect(
                QRectF(cellOf(high).topLeft(), cellOf(low).bottomRight()).adjusted(1, 1, -1, -1));
    }
    if (hasFocus()) {
        QPen pen(palette().color(QPalette::Text), 1, Qt::DotLine);
        painter.setPen(pen);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void BitWordView::pick(int field)
{
    if (field < 0 || static_cast<std::size_t>(field) >= m_fields.size())
        return;
    const descriptor::BitField &wanted = m_fields[static_cast<std::size_t>(field)];
    setChosen(wanted.low, wanted.high);
    Q_EMIT fieldPicked(wanted.low, wanted.high);
}

void BitWordView::mousePressEvent(QMouseEvent *event)
{
    const int bit = bitAt(event->position());
    if (bit >= 0 && event->button() == Qt::LeftButton)
        pick(fieldOf(static_cast<unsigned>(bit)));
}

void BitWordView::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_fields.size()) - 1;
    const int now = m_low == 0 && m_high == kBits - 1 && m_fields.size() != 1 ? -1 : fieldOf(m_low);
    // To the left are the higher bits.
    switch (event->key()) {
    case Qt::Key_Left: pick(now < 0 ? last : std::min(now + 1, last)); return;
    case Qt::Key_Right: pick(now < 0 ? last : std::max(now - 1, 0)); return;
    case Qt::Key_Home: pick(last); return;
    case Qt::Key_End: pick(last < 0 ? -1 : 0); return;
    default: QWidget::keyPressEvent(event);
    }
}

bool BitWordView::event(QEvent *event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    const int bit = bitAt(help->pos());
    const int field = bit < 0 ? -1 : fieldOf(static_cast<unsigned>(bit));
    if (bit < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(),
                           field >= 0
                               ? fieldWords(m_fields[static_cast<std::size_t>(field)], m_value)
                               : tr("bit %1: no field is named").arg(bit),
                           this);
    return true;
}

} // namespace kernscope::ui

#include "moc_bit_word_view.cpp"
