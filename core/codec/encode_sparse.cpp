// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encoder.h"

#include "core/codec/encode_kernels.h"
#include "core/codec/quantize.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
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

/// About how many values are kept, and a little more, from a part of them evenly picked.
std::size_t expectedSurvivors(std::span<const float> values, float threshold)
{
    constexpr std::size_t kRuns = 64;
    constexpr std::size_t kRun = 256;
    if (values.size() < 4 * kRuns * kRun)
        return values.size();
    std::size_t kept = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
        const auto part = values.subspan(values.size() / kRuns * run, kRun);
        kept += static_cast<std::size_t>(
            std::count_if(part.begin(), part.end(), [threshold](float value) {
                return value != 0 && !(std::abs(value) < threshold);
            }));
    }
    const double share = static_cast<double>(kept) / (kRuns * kRun) * 1.05 + 0.01;
    return static_cast<std::size_t>(share * static_cast<double>(values.size()));
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
    EncodedWeight weight;
    weight.shape = shape;
    EncodedPart mask = makePart(PartRole::Mask, ElementType::Uint1, shape);
    EncodedPart data;
    data.role = PartRole::NonzeroData;
    data.type = ElementType::Fp16;
    data.bytes.reserve(2 * expectedSurvivors(values, threshold));
    // A part at a time, so that what is kept stays in a cache until it has its place.
    constexpr std::size_t kPart = 8192;
    std::array<std::uint16_t, kPart + 32> kept;
    for (std::size_t at = 0; at < values.size(); at += kPart) {
        const auto part = values.subspan(at, std::min(kPart, values.size() - at));
        const std::size_t count =
            keepLarge(part, threshold, std::span(mask.bytes).subspan(at / 8), kept);
        const auto bytes = std::as_bytes(std::span(kept).first(count));
        data.bytes.insert(data.bytes.end(), bytes.begin(), bytes.end());
    }
    data.shape = {data.bytes.size() / 2};
    weight.parts = {std::move(mask), std::move(data)};
    return weight;
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
