// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/box_sampler.h"

#include <algorithm>

namespace kernscope::ui {

namespace {

/// Spreads places without a period (the finaliser of splitmix64).
std::uint64_t mixedBits(std::uint64_t a, std::uint64_t b, std::uint64_t c)
{
    std::uint64_t z = a * 0x9E3779B97F4A7C15u + b * 0xBF58476D1CE4E5B9u + c + 1;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

} // namespace

BoxSampler::BoxSampler(const TileKey &key, std::uint64_t rows, std::uint64_t cols)
    : m_key(key), m_rows(rows), m_cols(cols), m_side(std::uint64_t{1} << key.level),
      m_rowsPerBox(std::min(m_side, kMaxRows)), m_run(std::min(m_side, kMaxRun)),
      m_exact(m_side <= kMaxRows && m_side <= kMaxRun)
{
}

std::uint64_t BoxSampler::row(int y, std::uint64_t k) const
{
    const std::uint64_t first = m_key.firstRow() + static_cast<std::uint64_t>(y) * m_side;
    const std::uint64_t stratum = std::min(m_side, m_rows - std::min(first, m_rows)) / m_rowsPerBox;
    if (m_exact || stratum <= 1)
        return first + k;
    return first + k * stratum + mixedBits(first, k, 0) % stratum;
}

std::uint64_t BoxSampler::col(int x, int y, std::uint64_t k) const
{
    const std::uint64_t first = m_key.firstCol() + static_cast<std::uint64_t>(x) * m_side;
    if (m_exact)
        return first;
    const std::uint64_t width = std::min(m_side, m_cols - std::min(first, m_cols));
    if (width <= m_run)
        return first;
    return first + mixedBits(first, static_cast<std::uint64_t>(y), k) % (width - m_run + 1);
}

} // namespace kernscope::ui
