// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/largest.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kernscope::search {

bool Largest::before(const Kept &a, const Kept &b)
{
    if (a.magnitude != b.magnitude)
        return a.magnitude > b.magnitude;
    return std::tie(a.weight, a.element) < std::tie(b.weight, b.element);
}

void Largest::take(std::size_t weight, std::uint64_t element, double value)
{
    if (std::isnan(value))
        return;
    const double magnitude = std::abs(value);
    if (m_heap.size() < m_most) {
        m_heap.push_back({magnitude, value, weight, element});
        std::push_heap(m_heap.begin(), m_heap.end(), before);
        return;
    }
    m_complete = false;
    // Elements come in the order of the answer: an equal one later stays out.
    if (magnitude <= m_heap.front().magnitude)
        return;
    std::pop_heap(m_heap.begin(), m_heap.end(), before);
    m_heap.back() = {magnitude, value, weight, element};
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
        hit.value = kept.value;
        hits.push_back(hit);
    }
    m_heap.clear();
    return hits;
}

} // namespace kernscope::search
