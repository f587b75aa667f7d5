// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_layout.h"

#include <QString>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

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
        prepare(m_letters[i],
                printable ? QString(QChar(static_cast<char16_t>(i))) : QStringLiteral("\u00B7"));
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

double HexLayout::textX() const
{
    return hexX(m_bytesPerRow);
}

double HexLayout::width() const
{
    return textX() + m_char * (m_bytesPerRow + 0.5);
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

} // namespace kernscope::ui
