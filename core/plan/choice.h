// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernscope::plan {

/// By row the index of its candidate, in a byte each where that is enough.
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

private:
    std::vector<std::uint8_t> m_small;
    std::vector<std::uint32_t> m_large;
};

/// The same for one of many plans: a front has dozens of them, of 50,000 weights, of which one is
/// looked at now and then. Layers repeat, and so do their forms.
class SqueezedChoice
{
public:
    explicit SqueezedChoice(const std::vector<std::size_t> &candidates);
    std::vector<std::size_t> all() const;

private:
    std::vector<std::byte> m_squeezed;
    bool m_small = true; ///< a byte each
};

} // namespace kernscope::plan
