// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernscope::plan {

/// By row the index of its candidate, in a byte each where that is enough: a front has dozens of
/// plans of 50,000 weights.
class Choice
{
public:
    Choice() = default;
    explicit Choice(const std::vector<std::size_t> &candidates)
    {
        const bool small = std::all_of(candidates.begin(), candidates.end(),
                                       [](std::size_t c) { return c <= UINT8_MAX; });
        if (small)
            m_small.assign(candidates.begin(), candidates.end());
        else
            m_large.assign(candidates.begin(), candidates.end());
    }

    std::size_t size() const { return m_large.empty() ? m_small.size() : m_large.size(); }
    bool empty() const { return size() == 0; }
    std::size_t operator[](std::size_t row) const
    {
        return m_large.empty() ? m_small[row] : m_large[row];
    }
    std::vector<std::size_t> all() const
    {
        std::vector<std::size_t> candidates(size());
        for (std::size_t row = 0; row < candidates.size(); ++row)
            candidates[row] = (*this)[row];
        return candidates;
    }

private:
    std::vector<std::uint8_t> m_small;
    std::vector<std::uint32_t> m_large;
};

} // namespace kernscope::plan
