// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/largest.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kernscope::search {

bool Largest::before(const Kept &a, const Kept &b)
{
    if (larger(a, b) || larger(b, a))
        return larger(a, b);
    return std::tie(a.weight, a.element) < std::tie(b.weight, b.element);
}

/// By the doubles, which round alike, and then by what they do not hold.
bool Largest::larger(const Kept &a, const Kept &b)
{
    if (a.magnitude != b.magnitude || !a.value.wide || !b.value.wide)
        return a.magnitude > b.magnitude;
    return a.value.wide->magnitude > b.value.wide->magnitude;
}

void Largest::take(std::size_t weight, std::uint64_t element, const ElementValue &value)
{
    if (std::isnan(value.value))
        return;
    const Kept kept{std::abs(value.value), value, weight, element};
    if (m_heap.size() < m_most) {
        m_heap.push_back(kept);
        std::push_heap(m_heap.begin(), m_heap.end(), before);
        return;
    }
    m_complete = false;
    // Elements come in the order of the answer: an equal one later stays out.
    if (!larger(kept, m_heap.front()))
        return;
    std::pop_heap(m_heap.begin(), m_heap.end(), before);
    m_heap.back() = kept;
    std::push_heap(m_heap.begin(), m_heap.end(), before);
}

std::vector<Hit> Largest::take()
{
    std::sort_heap(m_heap.begin(), m_heap.end(), before);
    std::vector<Hit> hits;
    hits.reserve(m_heap.size());
    for (const Kept &kept : m_heap) {
        Hit hit;
        hit.weight = kept.weight;
        hit.element = kept.element;
        hit.value = kept.value.value;
        hit.wide = kept.value.wide;
        hits.push_back(hit);
    }
    m_heap.clear();
    return hits;
}

} // namespace kernscope::search
