// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/window.h"

#include <cmath>
#include <numeric>

namespace kernscope::audit {

VectorError::VectorError(const Subject &subject)
    : m_subject(&subject), m_tables(subject.decoder.codebookValues())
{
    const codec::Encoding &encoding = subject.decoder.encoding();
    const auto axis = static_cast<std::size_t>(encoding.palette->vectorAxis);
    m_entries = subject.steps.entries;
    m_width = static_cast<std::size_t>(subject.steps.vector);
    m_stride = std::accumulate(encoding.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                               encoding.shape.end(), std::uint64_t{1}, std::multiplies<>());
    m_sums.resize(m_tables.size());
    m_weights.resize(m_tables.size());
}

std::size_t VectorError::nearestEntry(std::size_t from, std::span<const float> tables,
                                      double &least) const
{
    const std::size_t book = m_books[from / m_width] * static_cast<std::size_t>(m_entries);
    std::size_t best = book;
    least = HUGE_VAL;
    for (std::size_t entry = book; entry < book + m_entries; ++entry) {
        double error = 0;
        for (std::size_t lane = 0; lane < m_width && error < least; ++lane) {
            const double off = static_cast<double>(tables[entry * m_width + lane]) *
                                   static_cast<double>(m_scales[from + lane]) -
                               static_cast<double>(m_values[from + lane]);
            error += off * off;
        }
        if (error < least) {
            least = error;
            best = entry;
        }
    }
    return best;
}

void VectorError::add(const Window &window)
{
    const StoredSteps &steps = m_subject->steps;
    for (std::size_t i = 0; i < window.r.size(); ++i) {
        const auto place = m_subject->decoder.codebookOf(window.first + i);
        const std::size_t last = i + (m_width - 1) * static_cast<std::size_t>(m_stride);
        if (place.lane != 0 || last >= window.r.size())
            continue;
        double stored = 0;
        const std::size_t from = m_values.size();
        for (std::size_t at = i; at <= last; at += static_cast<std::size_t>(m_stride)) {
            m_values.push_back(window.r[at]);
            m_scales.push_back(static_cast<float>(steps.scaleOf(steps.cellOf(window.first + at))));
            const double off =
                static_cast<double>(window.d[at]) - static_cast<double>(window.r[at]);
            stored += off * off;
        }
        if (!std::isfinite(stored)) {
            m_values.resize(from);
            m_scales.resize(from);
            continue;
        }
        m_books.push_back(static_cast<std::size_t>(place.codebook));
        double least = 0;
        const std::size_t entry = nearestEntry(from, m_tables, least);
        m_error += least;
        ++m_shares.counted;
        m_shares.off += std::sqrt(stored) > 1.1 * std::sqrt(least) + 1e-6;
        for (std::size_t lane = 0; lane < m_width; ++lane) {
            const auto scale = static_cast<double>(m_scales[from + lane]);
            m_sums[entry * m_width + lane] += scale * static_cast<double>(m_values[from + lane]);
            m_weights[entry * m_width + lane] += scale * scale;
        }
    }
}

/// A table that was moved away from its vectors is told by the step that leads it back. With few
/// vectors an entry any table could be fitted to them: none is.
double VectorError::best() const
{
    constexpr std::uint64_t kEnough = 32;
    if (m_shares.counted < kEnough * m_tables.size() / m_width)
        return m_error;
    std::vector<float> tables(m_tables.begin(), m_tables.end());
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (m_weights[i] > 0)
            tables[i] = static_cast<float>(m_sums[i] / m_weights[i]);
    }
    double error = 0;
    for (std::size_t from = 0; from < m_values.size(); from += m_width) {
        double least = 0;
        nearestEntry(from, tables, least);
        error += least;
    }
    return std::min(error, m_error);
}

} // namespace kernscope::audit
