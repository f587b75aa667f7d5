// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/half_counts.h"

#include <algorithm>

namespace kernscope {

namespace {

constexpr std::size_t kValues = 65536;

} // namespace

HalfCounts::HalfCounts() : m_counts(kValues)
{
    for (auto &table : m_recent)
        table.resize(kValues);
}

void HalfCounts::flush()
{
    for (auto &table : m_recent) {
        for (std::size_t i = 0; i < kValues; ++i)
            m_counts[i] += table[i];
        std::fill(table.begin(), table.end(), 0);
    }
    m_recentElements = 0;
}

void HalfCounts::add(std::span<const std::uint16_t> values)
{
    while (!values.empty()) {
        const std::uint64_t room = UINT32_MAX - m_recentElements;
        const auto some = values.first(std::min<std::uint64_t>(values.size(), room));
        std::uint32_t *const even = m_recent[0].data();
        std::uint32_t *const odd = m_recent[1].data();
        std::size_t i = 0;
        for (; i + 1 < some.size(); i += 2) {
            ++even[some[i]];
            ++odd[some[i + 1]];
        }
        if (i < some.size())
            ++even[some[i]];
        m_recentElements += some.size();
        if (m_recentElements == UINT32_MAX)
            flush();
        values = values.subspan(some.size());
    }
}

std::span<const std::uint64_t> HalfCounts::counts()
{
    flush();
    return m_counts;
}

} // namespace kernscope
