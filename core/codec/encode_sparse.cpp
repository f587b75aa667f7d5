// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encoder.h"

#include "core/codec/quantize.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// Mask and survivors of the elements that `keep(position, half)` wants.
template <class Keep>
EncodedWeight sparseWeight(std::span<const std::uint16_t> halves, const Shape &shape, Keep keep)
{
    EncodedWeight weight;
    weight.shape = shape;
    EncodedPart mask = makePart(PartRole::Mask, ElementType::Uint1, shape);
    std::vector<std::uint16_t> survivors;
    for (std::size_t i = 0; i < halves.size(); ++i) {
        if (!keep(i, halves[i]))
            continue;
        mask.bytes[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        survivors.push_back(halves[i]);
    }
    EncodedPart data = makePart(PartRole::NonzeroData, ElementType::Fp16, {survivors.size()});
    if (!survivors.empty())
        std::memcpy(data.bytes.data(), survivors.data(), data.bytes.size());
    weight.parts = {std::move(mask), std::move(data)};
    return weight;
}

constexpr std::uint16_t magnitudeOf(std::uint16_t half)
{
    return half & 0x7fffu;
}

} // namespace

Result<EncodedWeight> encodeSparse(std::span<const float> values, const Shape &shape,
                                   float threshold)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (std::isnan(threshold))
        return tl::unexpected(
            badArgument("threshold", "a number", "nan", "The threshold is not a number"));
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    return sparseWeight(halves, shape, [&](std::size_t i, std::uint16_t half) {
        // A NaN is no zero: it is kept, so that it is seen.
        return magnitudeOf(half) != 0 && !(std::abs(values[i]) < threshold);
    });
}

Result<EncodedWeight> encodeSparseDensity(std::span<const float> values, const Shape &shape,
                                          double density)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (!(density >= 0 && density <= 1))
        return tl::unexpected(badArgument("density", "0 to 1", fmt::format("{}", density),
                                          "The density is not a share"));
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    // fp16 magnitudes are in the order of their bits: a histogram finds the smallest one kept.
    std::vector<std::uint64_t> histogram(0x8000);
    for (const std::uint16_t half : halves)
        ++histogram[magnitudeOf(half)];
    auto left =
        static_cast<std::uint64_t>(std::llround(density * static_cast<double>(values.size())));
    std::uint32_t least = 0x8000;
    while (least > 1 && left >= histogram[least - 1])
        left -= histogram[--least];
    // All above `least` are kept, and of those just below it the first `left`.
    return sparseWeight(halves, shape, [&](std::size_t, std::uint16_t half) {
        const std::uint32_t magnitude = magnitudeOf(half);
        if (magnitude >= least)
            return true;
        if (magnitude == 0 || magnitude + 1 != least || left == 0)
            return false;
        --left;
        return true;
    });
}

Result<EncodedWeight> encodeSparsePattern(std::span<const float> values, const Shape &shape,
                                          const SparsePattern &pattern)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (pattern.of == 0 || pattern.keep > pattern.of)
        return tl::unexpected(badArgument("pattern", "n:m with n <= m",
                                          fmt::format("{}:{}", pattern.keep, pattern.of),
                                          "The pattern keeps more than there are"));
    if (pattern.axis >= shape.size())
        return tl::unexpected(badArgument("axis", fmt::format("below {}", shape.size()),
                                          fmt::format("{}", pattern.axis),
                                          "The shape has no such axis"));
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    const std::uint64_t extent = shape[pattern.axis];
    std::uint64_t inner = 1;
    for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    std::vector<bool> kept(values.size(), false);
    std::vector<std::uint64_t> group;
    for (std::uint64_t lane = 0; !values.empty() && lane < values.size() / extent; ++lane) {
        const std::uint64_t start = lane / inner * extent * inner + lane % inner;
        for (std::uint64_t at = 0; at < extent; at += group.size()) {
            group.resize(std::min(pattern.of, extent - at));
            for (std::uint64_t i = 0; i < group.size(); ++i)
                group[i] = start + (at + i) * inner;
            std::stable_sort(group.begin(), group.end(), [&](std::uint64_t a, std::uint64_t b) {
                return magnitudeOf(halves[a]) > magnitudeOf(halves[b]);
            });
            for (std::uint64_t i = 0; i < std::min<std::uint64_t>(pattern.keep, group.size()); ++i)
                kept[group[i]] = true;
        }
    }
    return sparseWeight(halves, shape, [&](std::size_t i, std::uint16_t half) {
        return magnitudeOf(half) != 0 && kept[i];
    });
}

} // namespace kernscope::codec
