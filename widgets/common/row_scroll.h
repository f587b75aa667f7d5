// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

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

} // namespace kernscope::ui
