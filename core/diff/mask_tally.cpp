// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/mask_tally.h"

#include "core/codec/decode/decoder.h"

#include <algorithm>
#include <cmath>

namespace kernscope::diff {

namespace {

/// Elements of an output channel above which no pattern is looked for.
constexpr std::uint64_t kMostInner = std::uint64_t(1) << 24;

/// Every count is `whole` or 0, and one at least is 0.
bool allOrNothing(const std::vector<std::uint64_t> &kept, std::uint64_t whole)
{
    return std::find(kept.begin(), kept.end(), std::uint64_t(0)) != kept.end() &&
           std::all_of(kept.begin(), kept.end(),
                       [whole](std::uint64_t count) { return count == 0 || count == whole; });
}

} // namespace

MaskTally::MaskTally(const Shape &shape)
{
    if (!shape.empty())
        m_outer = shape[0];
    if (shape.size() > 1)
        m_channels = shape[1];
    for (std::size_t i = 2; i < shape.size(); ++i)
        m_rest *= shape[i];
    m_keptOfOutput.assign(static_cast<std::size_t>(m_outer), 0);
    m_keptOfInput.assign(static_cast<std::size_t>(m_channels), 0);
    const std::uint64_t inner = m_channels * m_rest;
    // What is open at a time must not follow the size of a weight without end.
    if (inner > kMostInner)
        return;
    for (const std::uint64_t of : {2U, 4U, 8U, 16U}) {
        if (m_outer > 1 && m_outer % of == 0)
            m_groups.push_back({of, 0, std::vector<std::uint8_t>(std::size_t(inner)), 0});
        if (m_channels > 1 && m_channels % of == 0)
            m_groups.push_back({of, 1, std::vector<std::uint8_t>(std::size_t(inner / of)), 0});
    }
}

void MaskTally::keep(std::uint64_t outer, std::uint64_t inner)
{
    const std::uint64_t channel = inner / m_rest;
    ++m_check.kept;
    ++m_keptOfOutput[static_cast<std::size_t>(outer)];
    ++m_keptOfInput[static_cast<std::size_t>(channel)];
    for (Groups &groups : m_groups) {
        const std::uint64_t place =
            groups.axis == 0 ? inner : channel / groups.of * m_rest + inner % m_rest;
        groups.most =
            std::max<std::uint64_t>(groups.most, ++groups.open[static_cast<std::size_t>(place)]);
    }
}

/// The groups that end with an output channel begin anew.
void MaskTally::closeOuter(std::uint64_t outer)
{
    for (Groups &groups : m_groups) {
        if (groups.axis == 1 || (outer + 1) % groups.of == 0)
            std::fill(groups.open.begin(), groups.open.end(), std::uint8_t{0});
    }
}

void MaskTally::add(std::span<const double> a, std::span<const double> b,
                    std::span<const std::int64_t> codes)
{
    const std::uint64_t inner = m_channels * m_rest;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        ++m_check.elements;
        if (codes[i] != codec::Decoder::kNotStored) {
            keep(m_atOuter, m_atInner);
            m_check.keptChanged += a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]));
        } else {
            m_check.droppedNonzero += a[i] != 0;
        }
        if (++m_atInner == inner) {
            closeOuter(m_atOuter);
            m_atInner = 0;
            ++m_atOuter;
        }
    }
}

MaskCheck MaskTally::finish() const
{
    MaskCheck check = m_check;
    for (const Groups &groups : m_groups) {
        if (groups.most > 0 && groups.most * 2 <= groups.of)
            check.patterns.push_back({groups.most, groups.of, groups.axis});
    }
    const std::uint64_t inner = m_channels * m_rest;
    check.structuredOutputs = allOrNothing(m_keptOfOutput, inner);
    check.structuredInputs = m_channels > 1 && allOrNothing(m_keptOfInput, m_outer * m_rest);
    if (!m_keptOfOutput.empty()) {
        const auto [least, most] =
            std::minmax_element(m_keptOfOutput.begin(), m_keptOfOutput.end());
        check.leastZeros = inner - *most;
        check.mostZeros = inner - *least;
    }
    return check;
}

} // namespace kernscope::diff
