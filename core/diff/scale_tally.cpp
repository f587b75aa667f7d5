// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/scale_tally.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kernscope::diff {

namespace {

/// The number of a type that is nearest to a value.
std::optional<double> roundedTo(ElementType type, double value)
{
    switch (type) {
    case ElementType::Fp16: return static_cast<double>(halfToFloat(doubleToHalf(value)));
    case ElementType::Bf16:
        return static_cast<double>(bfloat16ToFloat(floatToBfloat16(doubleToFloatOdd(value))));
    case ElementType::Fp32: return static_cast<double>(static_cast<float>(value));
    case ElementType::Fp64: return value;
    default: return std::nullopt;
    }
}

} // namespace

ScaleTally::ScaleTally(const codec::Operand &scale, std::uint64_t cells)
    : m_scale(scale), m_fits(static_cast<std::size_t>(cells))
{
}

bool ScaleTally::canRound(ElementType type)
{
    return roundedTo(type, 1).has_value();
}

void ScaleTally::add(std::uint64_t cell, double a, double b)
{
    if (!std::isfinite(a) || !std::isfinite(b))
        return;
    Fit &fit = m_fits[static_cast<std::size_t>(cell)];
    fit.ab += a * b;
    fit.bb += b * b;
    fit.aa += a * a;
    fit.error += (a - b) * (a - b);
    ++fit.count;
}

ScaleCheck ScaleTally::finish() const
{
    // Decoded values are rounded: a gain of less than this is none.
    constexpr double kGain = 0.001;
    ScaleCheck check;
    double stored = 0, best = 0;
    std::uint64_t elements = 0;
    for (std::size_t cell = 0; cell < m_fits.size(); ++cell) {
        const Fit &fit = m_fits[cell];
        const double scale = codec::operandValue(m_scale, cell).value_or(0);
        elements += fit.count;
        stored += fit.error;
        best += fit.error;
        if (fit.count == 0 || fit.bb == 0 || scale == 0 || !std::isfinite(scale))
            continue;
        ++check.scales;
        const double wanted = roundedTo(m_scale.type, scale * fit.ab / fit.bb).value_or(scale);
        const double ratio = wanted / scale;
        const double error = std::max(0.0, fit.aa - 2 * ratio * fit.ab + ratio * ratio * fit.bb);
        if (wanted == scale || !std::isfinite(ratio) || !(error < fit.error * (1 - kGain)))
            continue;
        ++check.notBest;
        best -= fit.error - error;
        const double gain = (fit.error - error) / static_cast<double>(fit.count);
        if (gain > check.worstGain) {
            check.worstGain = gain;
            check.worst = cell;
            check.worstStored = scale;
            check.worstBest = wanted;
        }
    }
    if (elements > 0) {
        check.rmseStored = std::sqrt(stored / static_cast<double>(elements));
        check.rmseBest = std::sqrt(std::max(0.0, best) / static_cast<double>(elements));
    }
    return check;
}

} // namespace kernscope::diff
