// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QPointF>
#include <QRectF>
#include <QStaticText>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kernscope::ui {

/// Every byte as two digits and as a letter, laid out once for a font: views draw thousands of
/// them.
class ByteGlyphs
{
public:
    void prepare(const QFont &font);

    /// `value` is that of a byte, 0 to 255.
    const QStaticText &digits(std::size_t value) const { return m_digits[value]; }
    /// The ASCII letter; a middle dot where there is none.
    const QStaticText &letter(std::size_t value) const { return m_letters[value]; }

private:
    std::array<QStaticText, 256> m_digits, m_letters;
};

/// Where the cells of a hex view are: offset column, bytes in groups of eight, text column.
/// Positions are pixels from the left edge of the content and the top of the first row.
class HexLayout
{
public:
    HexLayout() = default;
    HexLayout(const QFontMetricsF &metrics, int bytesPerRow, std::uint64_t fileSize);

    int bytesPerRow() const { return m_bytesPerRow; }
    int offsetDigits() const { return m_offsetDigits; }
    double charWidth() const { return m_char; }
    double rowHeight() const { return m_row; }
    double width() const; ///< of all columns

    double offsetX() const { return m_char / 2; }
    /// Cell of the byte in `column` of a row whose top is `y`: two digits with half a space each.
    QRectF hexCell(int column, double y) const;
    QRectF textCell(int column, double y) const;

    struct Hit {
        int column = 0;
        bool text = false; ///< in the text column
    };
    /// The cell at x, or the nearest one of the row.
    Hit hitAt(double x) const;
    /// The cell at x only where it is one.
    std::optional<Hit> exactHitAt(double x) const;

private:
    double hexX(int column) const;
    double textX() const;

    int m_bytesPerRow = 16, m_offsetDigits = 8;
    double m_char = 8, m_row = 16;
};

} // namespace kernscope::ui
