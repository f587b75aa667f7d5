// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bytes/hex_layout.h"

#include <QAbstractScrollArea>

#include <algorithm>
#include <cstdint>

class QPainter;

namespace kernscope::ui {

/// Positions of a scroll bar, which are ints, for a view whose rows need 64 bits: one step a row as
/// long as that fits, else a step for many rows.
class RowScroll
{
public:
    static constexpr std::uint64_t kMostSteps = 1u << 30;

    RowScroll() = default;
    /// `rows` rows in all, of which `page` whole ones are shown.
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
/// bundles side by side share. Scrolls by rows, of which there may be more than a scroll bar has
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

    /// After other rows, or another layout.
    void syncScrollBars();
    int headerHeight() const;
    double topOf(std::uint64_t row) const;
    /// The ground of the headings.
    void paintHeaderStrip(QPainter &painter) const;

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
