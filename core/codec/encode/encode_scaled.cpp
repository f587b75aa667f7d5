// SPDX-License-Identifier: GPL-3.0-or-later
// Encoders of the forms with integer codes and scales: affine, blockwise.
#include "core/codec/encode/encoder.h"

#include "core/base/large_pages.h"
#include "core/codec/decode/grid_map.h"
#include "core/codec/edit/stored_code.h"
#include "core/codec/encode/fit_scales.h"
#include "core/codec/encode/fitted.h"
#include "core/codec/kernels/encode_kernels.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

void storeHalf(EncodedPart &part, std::uint64_t index, float value)
{
    storeCode(part, index, floatToHalf(value));
}

/// Codes and scales of a tensor seen as [outer, channels, inner], one grid a channel.
struct Channels {
    std::uint64_t outer = 1;
    std::uint64_t channels = 1;
    std::uint64_t inner = 1;
};

QuantGrid gridOfRange(const RunRange &range, ElementType codeType, bool symmetric)
{
    const std::int64_t low = smallestCode(codeType);
    const std::int64_t high = largestCode(codeType);
    if (!symmetric)
        return rangeGrid(range.least, range.largest, low, high);
    const std::array<float, 2> ends{range.least, range.largest};
    // Unsigned codes have their zero in the middle: 128 of 0 to 255.
    const std::int64_t zero = isSignedInteger(codeType) ? 0 : (high + 1) / 2;
    return symmetricGrid(ends, static_cast<double>((high - low) / 2), zero);
}

StepRun stepsOf(const QuantGrid &grid, std::int64_t low, std::int64_t high)
{
    return {grid.scale, static_cast<std::int32_t>(grid.zero), static_cast<std::int32_t>(low),
            static_cast<std::int32_t>(high)};
}

/// Channels up to this length (256 KiB) stay near until their codes are made.
constexpr std::uint64_t kNearValues = 65536;

/// Codes at the end of `bytes`, a part at a time that stays in a cache.
void appendCodes(std::span<const float> values, const StepRun &steps, std::vector<std::byte> &bytes)
{
    constexpr std::size_t kPart = 4096;
    std::array<std::uint8_t, kPart> codes;
    for (std::size_t at = 0; at < values.size(); at += kPart) {
        const auto part = values.subspan(at, std::min(kPart, values.size() - at));
        const auto some = std::span(codes).first(part.size());
        quantizeSteps(part, steps, some);
        const auto more = std::as_bytes(std::span<const std::uint8_t>(some));
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
}

/// Lowest code in use: the symmetric range leaves out the one without a counterpart.
std::int64_t lowestUsed(ElementType codeType, bool symmetric)
{
    return smallestCode(codeType) + (symmetric ? 1 : 0);
}

} // namespace

namespace {

Result<void> checkAffine(std::span<const float> values, const Shape &shape,
                         const AffineOptions &options)
{
    if (auto checked = checkValues(values, shape); !checked)
        return checked;
    if (options.codeType != ElementType::Int8 && options.codeType != ElementType::Uint8)
        return tl::unexpected(badArgument("codeType", "int8 or uint8",
                                          std::string(elementTypeName(options.codeType)),
                                          "Affine codes are bytes"));
    if (options.axis && *options.axis >= shape.size())
        return tl::unexpected(badArgument("axis", fmt::format("below {}", shape.size()),
                                          fmt::format("{}", *options.axis),
                                          "The shape has no such axis"));
    return {};
}

/// The channels along an axis; without one all values are one channel.
Channels channelsAlong(std::optional<std::size_t> axis, const Shape &shape, std::size_t elements)
{
    Channels split;
    if (!axis) {
        split.inner = elements;
        return split;
    }
    split.channels = shape[*axis];
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i != *axis)
            (i < *axis ? split.outer : split.inner) *= shape[i];
    }
    return split;
}

} // namespace

Result<EncodedWeight> encodeAffine(std::span<const float> values, const Shape &shape,
                                   const AffineOptions &options)
{
    if (auto checked = checkAffine(values, shape, options); !checked)
        return tl::unexpected(checked.error());
    const Channels split = channelsAlong(options.axis, shape, values.size());
    EncodedWeight weight;
    weight.shape = shape;
    weight.scaling = Scaling::Kind::Affine;
    weight.axis = options.axis.value_or(0);
    const Shape tableShape = options.axis ? Shape{split.channels} : Shape{};
    // Of channels that lie one after the other the codes are appended: nothing is written twice.
    const bool inOrder = split.outer == 1;
    EncodedPart data = makePart(PartRole::Data, options.codeType, inOrder ? Shape{0} : shape);
    data.shape = shape;
    reserveLarge(data.bytes, values.size());
    EncodedPart scale = makePart(PartRole::Scale, ElementType::Fp16, tableShape);
    EncodedPart zeroPoint = makePart(PartRole::ZeroPoint, options.codeType, tableShape);
    const std::int64_t low = lowestUsed(options.codeType, options.symmetric);
    const std::int64_t high = largestCode(options.codeType);
    const auto codes =
        std::span(reinterpret_cast<std::uint8_t *>(data.bytes.data()), data.bytes.size());
    for (std::uint64_t c = 0; c < split.channels; ++c) {
        RunRange range;
        const auto forEachRow = [&](auto each) {
            for (std::uint64_t o = 0; o < split.outer; ++o)
                each((o * split.channels + c) * split.inner);
        };
        forEachRow(
            [&](std::uint64_t at) { range = rangeOf(values.subspan(at, split.inner), range); });
        const QuantGrid grid = gridOfRange(range, options.codeType, options.symmetric);
        StepRun steps = stepsOf(grid, low, high);
        if (inOrder) {
            if (split.inner <= kNearValues && c + 1 < split.channels)
                steps.ahead = split.inner; // the range of the next channel comes next
            appendCodes(values.subspan(c * split.inner, split.inner), steps, data.bytes);
        } else {
            forEachRow([&](std::uint64_t at) {
                quantizeSteps(values.subspan(at, split.inner), steps,
                              codes.subspan(at, split.inner));
            });
        }
        storeHalf(scale, c, grid.scale);
        storeCode(zeroPoint, c, grid.zero);
    }
    weight.parts.push_back(std::move(data));
    weight.parts.push_back(std::move(scale));
    weight.parts.push_back(std::move(zeroPoint));
    return weight;
}

namespace {

Result<void> checkBlockwise(const Shape &shape, const BlockwiseOptions &options)
{
    const ElementType codeType = options.codeType;
    const bool legal = codeType == ElementType::Int4 || codeType == ElementType::Uint4 ||
                       codeType == ElementType::Int8 || codeType == ElementType::Uint8;
    if (!legal)
        return tl::unexpected(badArgument("codeType", "int4, uint4, int8 or uint8",
                                          std::string(elementTypeName(codeType)),
                                          "Blockwise codes have 4 or 8 bits"));
    if (!options.withOffset && !isSignedInteger(codeType))
        return tl::unexpected(badArgument("withOffset", "true for unsigned codes", "false",
                                          "Unsigned codes without an offset have no negatives"));
    if (options.axis >= shape.size() || options.block == 0 ||
        shape[options.axis] % options.block != 0)
        return tl::unexpected(badArgument(
            "block", "a size that divides the axis",
            fmt::format("{} along axis {} of {}", options.block, options.axis, shapeText(shape)),
            "The blocks do not divide the axis"));
    return {};
}

} // namespace

Shape blockScales(const Shape &shape, const BlockwiseOptions &options)
{
    Shape scales(shape.size(), 1);
    for (std::size_t i = 0; i < shape.size() && i <= options.channels; ++i)
        scales[i] = shape[i];
    scales[options.axis] = shape[options.axis] / options.block;
    return scales;
}

Result<EncodedWeight> encodeBlockwise(std::span<const float> values, const Shape &shape,
                                      const BlockwiseOptions &options)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (auto checked = checkBlockwise(shape, options); !checked)
        return tl::unexpected(checked.error());
    const ElementType codeType = options.codeType;
    const Shape scaleShape = blockScales(shape, options);
    EncodedWeight weight;
    weight.shape = shape;
    weight.scaling = Scaling::Kind::Blockwise;
    EncodedPart data = makePart(PartRole::Data, codeType, shape);
    EncodedPart scale = makePart(PartRole::Scale, ElementType::Fp16, scaleShape);
    EncodedPart offset = makePart(PartRole::Offset, codeType, scaleShape);
    if (!values.empty()) {
        const GridMap map(shape, scaleShape);
        std::vector<RunRange> ranges(elementCount(scaleShape)->value);
        forEachRun(map, values.size(), [&](std::uint64_t cell, std::size_t at, std::size_t count) {
            ranges[cell] = rangeOf(values.subspan(at, count), ranges[cell]);
        });
        std::vector<QuantGrid> grids;
        grids.reserve(ranges.size());
        for (const RunRange &range : ranges) {
            grids.push_back(gridOfRange(range, codeType, !options.withOffset));
            storeHalf(scale, grids.size() - 1, grids.back().scale);
            storeCode(offset, grids.size() - 1, grids.back().zero);
        }
        const std::int64_t low = lowestUsed(codeType, !options.withOffset);
        const std::int64_t high = largestCode(codeType);
        const bool bytes = bitWidth(codeType) == 8;
        std::vector<std::uint8_t> codes(bytes ? 0 : values.size());
        const auto out = bytes ? std::span(reinterpret_cast<std::uint8_t *>(data.bytes.data()),
                                           data.bytes.size())
                               : std::span(codes);
        forEachRun(map, values.size(), [&](std::uint64_t cell, std::size_t at, std::size_t count) {
            quantizeSteps(values.subspan(at, count), stepsOf(grids[cell], low, high),
                          out.subspan(at, count));
        });
        if (!bytes)
            packCodes(codes, bitWidth(codeType), 0, data.bytes);
    }
    weight.parts.push_back(std::move(data));
    weight.parts.push_back(std::move(scale));
    if (options.withOffset)
        weight.parts.push_back(std::move(offset));
    return weight;
}

Result<EncodedWeight> encodeAffine(std::span<const float> values, const Shape &shape,
                                   const AffineOptions &options, std::span<const float> masses)
{
    auto weight = encodeAffine(values, shape, options);
    if (weight && !masses.empty())
        fitScales(*weight, affineCells(shape, options.axis), values, masses, !options.symmetric);
    return weight;
}

Result<EncodedWeight> encodeBlockwise(std::span<const float> values, const Shape &shape,
                                      const BlockwiseOptions &options,
                                      std::span<const float> masses)
{
    auto weight = encodeBlockwise(values, shape, options);
    if (weight && !masses.empty())
        fitScales(*weight, blockCells(shape, options), values, masses, options.withOffset);
    return weight;
}

} // namespace kernscope::codec
