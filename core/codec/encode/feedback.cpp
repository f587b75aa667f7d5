// SPDX-License-Identifier: GPL-3.0-or-later
// Error feedback along the inputs.
#include "core/codec/encode/code_rounder.h"
#include "core/codec/encode/compensation.h"
#include "core/codec/encode/fitted.h"
#include "core/codec/microscaled/quantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// Goes through the lines, several at once.
class FeedbackPass
{
public:
    FeedbackPass(std::span<const float> values, const InputLines &lines, Compensation &compensation,
                 CodeRounder &rounder)
        : m_values(values), m_lines(lines), m_compensation(compensation), m_rounder(rounder)
    {
    }

    void run(std::span<const std::size_t> lines)
    {
        m_compensation.begin(lines);
        const std::size_t vector = m_rounder.vector();
        for (std::size_t k = 0; k < m_lines.length; ++k) {
            for (std::size_t lane = 0; lane < lines.size(); ++lane) {
                const std::size_t at = positionOf(lines[lane], k);
                const double target =
                    static_cast<double>(m_values[at]) + m_compensation.shift(lane, k);
                m_targets[lane] = target;
            }
            for (std::size_t lane = 0; lane < lines.size(); lane += vector)
                m_rounder.round(positionOf(lines[lane], k),
                                std::span<const double>(m_targets).subspan(lane, vector),
                                std::span(m_errors).subspan(lane, vector));
            for (std::size_t lane = 0; lane < lines.size(); ++lane) {
                const double error =
                    m_errors[lane] - static_cast<double>(m_values[positionOf(lines[lane], k)]);
                m_errors[lane] = std::isfinite(error) ? error : 0.0;
            }
            m_compensation.add(k, std::span<const double>(m_errors).first(lines.size()));
        }
    }

    static constexpr std::size_t kLanes = 8;

private:
    std::size_t positionOf(std::size_t line, std::size_t k) const
    {
        return m_lines.firstOf(line) + k * m_lines.stride;
    }

    std::span<const float> m_values;
    InputLines m_lines;
    Compensation &m_compensation;
    CodeRounder &m_rounder;
    std::array<double, kLanes> m_targets{};
    std::array<double, kLanes> m_errors{};
};

} // namespace

Result<void> feedBack(EncodedWeight &weight, std::span<const float> values,
                      const InputStatistics &inputs, bool symmetric)
{
    const auto rounder = makeRounder(weight, symmetric);
    if (!rounder)
        return {};
    const std::size_t vector = rounder->vector();
    if (vector != 1 && inputs.axis != 1)
        return tl::unexpected(badArgument("inputs", "input channels along axis 1",
                                          fmt::format("along axis {}", inputs.axis),
                                          "Vectors lie along axis 0: errors are fed back between "
                                          "vectors, not within one"));
    const InputLines lines = inputLines(inputs, weight.shape);
    auto compensation = makeCompensation(inputs, lines);
    if (!compensation)
        return tl::unexpected(std::move(compensation.error()));
    FeedbackPass pass(values, lines, **compensation, *rounder);
    // Lines of one vector go together: those of as many rows, at the same place of the kernel.
    const std::size_t apart = vector == 1 ? 1 : lines.stride;
    const std::size_t atOnce = vector == 1 ? FeedbackPass::kLanes : vector;
    std::vector<std::size_t> batch;
    for (std::size_t first = 0; first < lines.count; first += atOnce * apart) {
        for (std::size_t place = 0; place < apart; ++place) {
            batch.clear();
            for (std::size_t i = 0; i < atOnce && first + i * apart + place < lines.count; ++i)
                batch.push_back(first + i * apart + place);
            pass.run(batch);
        }
    }
    rounder->finish(weight);
    return {};
}

} // namespace kernscope::codec
