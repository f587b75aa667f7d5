// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernscope {

/// Many short lists, one behind the other in one piece of memory: each costs four bytes beside its
/// elements. At most 2^32 - 1 elements in all. Lists are added at the end and do not change.
template <class T>
class JoinedLists
{
public:
    std::size_t size() const { return m_starts.size() - 1; }
    std::span<const T> operator[](std::size_t list) const
    {
        return {m_all.data() + m_starts[list], m_starts[list + 1] - m_starts[list]};
    }
    void reserve(std::size_t lists, std::size_t elements)
    {
        m_starts.reserve(lists + 1);
        m_all.reserve(elements);
    }
    /// Adds a list of these elements.
    template <class Range>
    void add(const Range &list)
    {
        m_all.insert(m_all.end(), list.begin(), list.end());
        m_starts.push_back(static_cast<std::uint32_t>(m_all.size()));
    }
    void shrink_to_fit()
    {
        m_all.shrink_to_fit();
        m_starts.shrink_to_fit();
    }

private:
    std::vector<T> m_all;
    std::vector<std::uint32_t> m_starts{0}; ///< by list, and the end
};

} // namespace kernscope
