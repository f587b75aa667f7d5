// SPDX-License-Identifier: GPL-3.0-or-later
// Sparse weights of fp32: what is kept is chosen, and stored, without a step through fp16.
#include "core/codec/encode/fitted.h"
#include "core/codec/microscaled/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

namespace kernscope::codec {

namespace {

/// mass * w² as the bits of a number that is not negative: they are in its order. 0 for zeros
/// alone; NaN and infinities come first.
std::uint64_t wideLoss(float value, float mass)
{
    if (value == 0)
        return 0;
    if (!std::isfinite(value))
        return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
    const auto wide = static_cast<double>(value);
    return std::max<std::uint64_t>(
        std::bit_cast<std::uint64_t>(static_cast<double>(mass) * wide * wide), 1);
}

/// Which elements stay, one byte each.
class WideMask
{
public:
    WideMask(std::span<const float> values, std::span<const float> masses)
        : m_values(values), m_masses(masses), m_kept(values.size(), 0)
    {
    }

    void keepFrom(float threshold)
    {
        for (std::size_t i = 0; i < m_values.size(); ++i)
            m_kept[i] = m_values[i] != 0 && !(std::abs(m_values[i]) < threshold) ? 1 : 0;
    }

    /// Of the elements `first`, `first + stride`, ... those of the largest losses, ties by
    /// position.
    void keepLargest(std::size_t first, std::size_t stride, std::size_t count, std::size_t wanted)
    {
        m_losses.resize(count);
        for (std::size_t i = 0; i < count; ++i)
            m_losses[i] = lossAt(first + i * stride);
        std::uint64_t least = 0;
        std::uint64_t ties = wanted;
        if (wanted < count) {
            m_order.assign(m_losses.begin(), m_losses.end());
            const auto at = m_order.begin() + static_cast<std::ptrdiff_t>(wanted);
            std::nth_element(m_order.begin(), at, m_order.end(), std::greater<>());
            least = *at;
            ties -= static_cast<std::uint64_t>(std::count_if(
                m_order.begin(), at, [least](std::uint64_t loss) { return loss > least; }));
        }
        for (std::size_t i = 0; i < count; ++i) {
            const bool tie = m_losses[i] == least && ties > 0;
            ties -= tie ? 1 : 0;
            m_kept[first + i * stride] = m_losses[i] != 0 && (m_losses[i] > least || tie) ? 1 : 0;
        }
    }

    EncodedWeight take(const Shape &shape) const;

private:
    std::uint64_t lossAt(std::size_t at) const
    {
        return wideLoss(m_values[at], m_masses.empty() ? 1.0f : m_masses[at]);
    }

    std::span<const float> m_values;
    std::span<const float> m_masses;
    std::vector<std::uint8_t> m_kept;
    std::vector<std::uint64_t> m_losses;
    std::vector<std::uint64_t> m_order;
};

EncodedWeight WideMask::take(const Shape &shape) const
{
    EncodedPart mask{PartRole::Mask, ElementType::Uint1, shape, {}};
    mask.bytes.resize(m_kept.size() / 8 + (m_kept.size() % 8 != 0 ? 1 : 0));
    std::vector<float> kept;
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        if (m_kept[i] == 0)
            continue;
        mask.bytes[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        kept.push_back(m_values[i]);
    }
    const auto bytes = std::as_bytes(std::span<const float>(kept));
    EncodedPart data{PartRole::NonzeroData, ElementType::Fp32, {kept.size()}, {}};
    data.bytes.assign(bytes.begin(), bytes.end());
    EncodedWeight weight;
    weight.type = ElementType::Fp32;
    weight.shape = shape;
    weight.parts.push_back(std::move(mask));
    weight.parts.push_back(std::move(data));
    return weight;
}

void keepPattern(WideMask &mask, const Shape &shape, const SparsePattern &pattern,
                 std::size_t elements)
{
    std::size_t inner = 1;
    for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::size_t extent = shape[pattern.axis];
    const std::size_t lanes = elements == 0 ? 0 : elements / extent;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t start = lane / inner * (extent * inner) + lane % inner;
        for (std::size_t at = 0; at < extent; at += pattern.of)
            mask.keepLargest(start + at * inner, inner,
                             std::min<std::size_t>(pattern.of, extent - at), pattern.keep);
    }
}

} // namespace

Result<EncodedWeight> encodeWideSparse(std::span<const float> values, const Shape &shape,
                                       const FormSpec &spec, std::span<const float> masses)
{
    // Arguments are checked by the encoders of fp16.
    WideMask mask(values, masses);
    if (spec.pattern) {
        if (auto plain = encodeSparsePattern(values, shape, *spec.pattern); !plain)
            return plain;
        keepPattern(mask, shape, *spec.pattern, values.size());
    } else if (spec.density) {
        if (auto checked = checkDensity(values, shape, *spec.density); !checked)
            return tl::unexpected(checked.error());
        mask.keepLargest(0, 1, values.size(),
                         static_cast<std::size_t>(
                             std::llround(*spec.density * static_cast<double>(values.size()))));
    } else {
        const float threshold = spec.threshold.value_or(0.0f);
        if (auto plain = encodeSparse(values.first(0), {0}, threshold); !plain)
            return plain;
        if (auto checked = checkValues(values, shape); !checked)
            return tl::unexpected(checked.error());
        mask.keepFrom(threshold);
    }
    return mask.take(shape);
}

} // namespace kernscope::codec
