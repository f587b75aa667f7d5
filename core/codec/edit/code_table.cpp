// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/code_table.h"

#include <cmath>

namespace kernscope::codec {

bool hasCodeTables(const Decoder::State &state)
{
    const ElementType type = state.payload.type;
    if (state.palette)
        return state.palette->vector == 1;
    return state.scaling && !isFloatingPoint(type) && bitWidth(type) <= 8;
}

void CodeTable::make(const Decoder::State &state, std::uint64_t element)
{
    const ElementType type = state.payload.type;
    const std::int64_t least = state.palette ? 0 : smallestCode(type);
    const auto count = std::size_t{1} << state.codeWidth();
    m_mask = static_cast<std::uint32_t>(count - 1);
    m_starts.clear();
    const auto bitsOf = [&](std::size_t i) {
        return static_cast<std::uint64_t>(least + static_cast<std::int64_t>(i)) & m_mask;
    };
    if (state.palette) {
        for (std::size_t i = 0; i < count; ++i)
            m_byBits[i] = valueOfCode(state, {element, 0, element}, static_cast<std::int64_t>(i));
    } else {
        m_scaled.resize(count);
        for (std::size_t i = 0; i < count; ++i)
            m_scaled[i] = static_cast<float>(least + static_cast<std::int64_t>(i));
        scaledValues(state, scaleOf(state, element), m_scaled, m_halves);
        for (std::size_t i = 0; i < count; ++i)
            m_byBits[bitsOf(i)] = static_cast<double>(m_scaled[i]);
    }
    m_all.clear();
    bool ascends = true;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = m_byBits[bitsOf(i)];
        if (!std::isfinite(value))
            continue;
        ascends &= m_all.empty() || m_all.back().value < value;
        m_all.push_back({least + static_cast<std::int64_t>(i), value});
    }
    if (!ascends) {
        std::sort(m_all.begin(), m_all.end(), [](const CodeCandidate &a, const CodeCandidate &b) {
            return a.value < b.value || (a.value == b.value && a.code < b.code);
        });
        const auto same = std::unique(
            m_all.begin(), m_all.end(),
            [](const CodeCandidate &a, const CodeCandidate &b) { return a.value == b.value; });
        m_all.erase(same, m_all.end());
    }
}

/// Of two values, the greater one is never in an earlier bucket, however the product is rounded.
std::size_t CodeTable::bucketOf(double value) const
{
    const double place = (value - m_all.front().value) * m_perUnit;
    return static_cast<std::size_t>(
        std::clamp(place, 0.0, static_cast<double>(m_starts.size() - 2)));
}

void CodeTable::makeIndex()
{
    constexpr std::size_t kBuckets = 1024;
    if (m_all.size() < 2 || !m_starts.empty())
        return;
    m_perUnit = static_cast<double>(kBuckets) / (m_all.back().value - m_all.front().value);
    if (!std::isfinite(m_perUnit) || m_perUnit <= 0)
        return;
    m_starts.assign(kBuckets + 1, 0);
    for (const CodeCandidate &one : m_all)
        ++m_starts[bucketOf(one.value) + 1];
    for (std::size_t i = 1; i <= kBuckets; ++i)
        m_starts[i] = static_cast<std::uint16_t>(m_starts[i] + m_starts[i - 1]);
    // Farther beyond an end, rounded differences no longer tell the last two apart.
    constexpr double kFar = 0x1p40;
    const std::size_t count = m_all.size();
    m_zones.resize(count);
    const auto gapAt = [this](std::size_t i) { return m_all[i].value - m_all[i - 1].value; };
    m_zones.front().low = m_all.front().value - kFar * gapAt(1);
    m_zones.back().high = m_all.back().value + kFar * gapAt(count - 1);
    for (std::size_t i = 1; i < count; ++i) {
        const double middle = m_all[i - 1].value + 0.5 * gapAt(i);
        const double unsure = 0x1p-48 * (std::abs(middle) + gapAt(i));
        m_zones[i - 1].high = middle - unsure;
        m_zones[i].low = middle + unsure;
    }
    for (std::size_t i = 0; i < count; ++i)
        m_zones[i].bits = static_cast<std::uint32_t>(m_all[i].code) & m_mask;
}

std::size_t CodeTable::firstNotBelow(double value) const
{
    auto from = m_all.begin(), to = m_all.end();
    if (!m_starts.empty()) {
        const std::size_t bucket = bucketOf(value);
        to = from + m_starts[bucket + 1];
        from += m_starts[bucket];
    }
    const auto below = [](const CodeCandidate &one, double than) { return one.value < than; };
    return static_cast<std::size_t>(std::lower_bound(from, to, value, below) - m_all.begin());
}

std::uint32_t CodeTable::nearest(double value) const
{
    if (!m_starts.empty()) { // mostly one of two
        std::size_t guess = std::min<std::size_t>(m_starts[bucketOf(value)], m_zones.size() - 1);
        guess -= guess > 0 && value < m_zones[guess].low ? 1U : 0U;
        const Zone &zone = m_zones[guess];
        if (value > zone.low && value < zone.high)
            return zone.bits;
    }
    const std::size_t up = firstNotBelow(value);
    const auto errorAt = [&](std::size_t i) { return std::abs(m_all[i].value - value); };
    double least = HUGE_VAL;
    if (up < m_all.size())
        least = errorAt(up);
    if (up > 0)
        least = std::min(least, errorAt(up - 1));
    // Differences are rounded: more than two may be equal. Of these the lowest code is the first.
    std::int64_t code = INT64_MAX;
    for (std::size_t i = up; i > 0 && errorAt(i - 1) == least; --i)
        code = std::min(code, m_all[i - 1].code);
    for (std::size_t i = up; i < m_all.size() && errorAt(i) == least; ++i)
        code = std::min(code, m_all[i].code);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(code) & m_mask);
}

} // namespace kernscope::codec
