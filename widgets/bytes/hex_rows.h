// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <QAbstractScrollArea>
#include <QColor>
#include <QFont>
#include <QFontMetricsF>
#include <QPalette>
#include <QPointF>
#include <QRectF>
#include <QStaticText>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

class QPainter;

namespace kernscope::ui {

/// Ground of a byte in the hex view: the colour of its section's kind, so thin that the palette's
/// text stays readable on it (a contrast of 4.5 and more).
QColor hexGround(SectionKind kind, const QPalette &palette);
/// The same of a selected byte: the kind still shows; lines at the edges of the selection go with
/// it. `large`: of a selection of many rows, so that large selections stay readable.
QColor hexSelectedGround(const QColor &ground, const QPalette &palette, bool large = false);
/// Ground of a byte that differs from the disk; an outline goes with it.
QColor hexChangedGround(const QPalette &palette);

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
    double width() const { return textX() + m_char * (m_bytesPerRow + 0.5); } ///< of all columns

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
    double textX() const { return hexX(m_bytesPerRow); }

    int m_bytesPerRow = 16, m_offsetDigits = 8;
    double m_char = 8, m_row = 16;
};

/// Positions of a scroll bar, which are ints, for a view whose rows need 64 bits: one step a row as
/// long as that fits, else a step for many rows.
class RowScroll
{
public:
    static constexpr std::uint64_t kMostSteps = 1u << 30;

    RowScroll() = default;
    /// `rows` rows in all; `page` whole ones are shown.
    RowScroll(std::uint64_t rows, std::uint64_t page) : m_last(rows > page ? rows - page : 0) {}

    std::uint64_t lastTop() const { return m_last; } ///< topmost row at the bottom of the scroll
    bool scaled() const { return m_last > kMostSteps; }
    int maximum() const { return static_cast<int>(std::min(m_last, kMostSteps)); }

    int valueOf(std::uint64_t row) const
    {
        row = std::min(row, m_last);
        if (!scaled())
            return static_cast<int>(row);
        const double share = static_cast<double>(row) / static_cast<double>(m_last);
        return static_cast<int>(share * static_cast<double>(kMostSteps));
    }
    std::uint64_t rowOf(int value) const
    {
        const auto step = static_cast<std::uint64_t>(std::max(value, 0));
        if (!scaled())
            return std::min(step, m_last);
        const double share = static_cast<double>(step) / static_cast<double>(kMostSteps);
        return std::min(m_last, static_cast<std::uint64_t>(share * static_cast<double>(m_last)));
    }

private:
    std::uint64_t m_last = 0;
};

/// Rows of bytes under a line of headings that stays: what the view of one file and that of two
/// bundles side by side share. Scrolls by rows; there may be more of them than a scroll bar has
/// steps.
class HexRows : public QAbstractScrollArea
{
    Q_OBJECT

public:
    std::uint64_t topRow() const { return m_topRow; }
    std::uint64_t visibleRows() const; ///< whole ones
    void scrollToRow(std::uint64_t row);

protected:
    HexRows(const QString &name, QWidget *parent);

    virtual std::uint64_t rowTotal() const = 0;
    /// Of all columns, in pixels.
    virtual double rowsWidth() const = 0;
    /// Other rows are in view.
    virtual void rowsMoved() {}
    /// Another font or style: cells lie elsewhere.
    virtual void relayout() {}
    virtual void paintRow(QPainter &painter, std::uint64_t row, double top) = 0;
    /// Of headings, over the rows that lie below.
    virtual void paintHeader(QPainter &painter) = 0;

    /// After other rows, or another layout.
    void syncScrollBars();
    int headerHeight() const;
    double topOf(std::uint64_t row) const;
    /// The row at a height of the viewport, where there is one.
    std::optional<std::uint64_t> rowAt(double y) const;
    /// `left`: of the columns.
    void paintOffset(QPainter &painter, std::uint64_t offset, double left, double top) const;
    /// Digits, and the letter where it has a place.
    void paintValue(QPainter &painter, std::byte value, const QRectF &hex,
                    const std::optional<QRectF> &text) const;

    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent *event) override;

    HexLayout m_layout;
    ByteGlyphs m_glyphs;
    RowScroll m_scroll;
    std::uint64_t m_topRow = 0;

private:
    void onScrollAction(int action);

    double m_wheelRest = 0;
    bool m_syncing = false;
};

} // namespace kernscope::ui
