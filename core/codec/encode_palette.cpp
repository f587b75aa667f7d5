// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encoder.h"

#include "core/codec/kmeans.h"
#include "core/codec/quantize.h"
#include "core/codec/stored_code.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

ElementType indexType(unsigned bits)
{
    switch (bits) {
    case 1: return ElementType::Uint1;
    case 2: return ElementType::Uint2;
    case 3: return ElementType::Uint3;
    case 4: return ElementType::Uint4;
    case 6: return ElementType::Uint6;
    case 8: return ElementType::Uint8;
    default: return ElementType::Unknown;
    }
}

Result<void> checkOptions(std::span<const float> values, const Shape &shape,
                          const PaletteOptions &options)
{
    if (indexType(options.bits) == ElementType::Unknown)
        return tl::unexpected(badArgument("bits", "1, 2, 3, 4, 6 or 8",
                                          fmt::format("{}", options.bits),
                                          "Palettes have no such index width"));
    if (options.vector >= 6 || ((0x36u >> options.vector) & 1u) == 0)
        return tl::unexpected(badArgument("vector", "1, 2, 4 or 5 (mask 0x36)",
                                          fmt::format("{}", options.vector),
                                          "Palettes have no such vector size"));
    if (options.entryType != ElementType::Fp16 && options.entryType != ElementType::Int8 &&
        options.entryType != ElementType::Fp8E4M3Fn)
        return tl::unexpected(badArgument("entryType", "fp16, int8 or fp8e4m3fn",
                                          std::string(elementTypeName(options.entryType)),
                                          "Codebooks have no such entries"));
    const auto rows = checkedMultiply(options.groups, options.vector);
    const std::uint64_t extent = shape.empty() ? 1 : shape[0];
    if (!rows || *rows == 0 || extent % *rows != 0)
        return tl::unexpected(badArgument(
            "groups", fmt::format("groups of whole vectors that divide {} rows", extent),
            fmt::format("{} groups, vectors of {}", options.groups, options.vector),
            "The codebooks do not divide the rows"));
    const bool finite = std::all_of(values.begin(), values.end(), [](float value) {
        return std::isfinite(halfToFloat(floatToHalf(value)));
    });
    if (!finite)
        return tl::unexpected(badArgument("values", "numbers that fp16 can hold",
                                          "infinities, NaN or numbers beyond 65504",
                                          "A palette cannot be fitted to these values"));
    return {};
}

/// fp16 values of a run in ascending order with their counts; -0 counts as +0.
std::vector<WeightedValue> histogramOf(std::span<const std::uint16_t> halves)
{
    std::vector<std::uint64_t> counts(0x10000);
    for (const std::uint16_t half : halves)
        ++counts[half == 0x8000u ? 0u : half];
    std::vector<WeightedValue> values;
    const auto add = [&](std::uint32_t half) {
        if (counts[half] > 0)
            values.push_back({halfToFloat(static_cast<std::uint16_t>(half)), counts[half]});
    };
    for (std::uint32_t half = 0xfbff; half > 0x8000; --half)
        add(half);
    for (std::uint32_t half = 0; half < kHalfInfinity; ++half)
        add(half);
    return values;
}

/// Nearest entry of an ascending codebook for every fp16 number, the lower of two equally near.
std::vector<std::uint8_t> assignments(std::span<const float> entries)
{
    std::vector<std::uint8_t> indices(0x10000);
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
        const float value = halfToFloat(static_cast<std::uint16_t>(half));
        if (!std::isfinite(value))
            continue;
        const auto above = std::lower_bound(entries.begin(), entries.end(), value);
        auto nearest = above;
        if (above == entries.end() ||
            (above != entries.begin() && value - *(above - 1) <= *above - value))
            nearest = above - 1;
        // Of equal entries, the first.
        nearest = std::lower_bound(entries.begin(), entries.end(), *nearest);
        indices[half] = static_cast<std::uint8_t>(nearest - entries.begin());
    }
    return indices;
}

/// Where the codebooks of a weight are collected.
struct Books {
    ElementType entryType = ElementType::Fp16;
    EncodedPart lut;
    EncodedPart scale; ///< one a codebook; not used for fp16 entries

    /// Stores codebook `group` and makes `entries` what it decodes to.
    void store(std::uint64_t group, std::span<float> entries)
    {
        const std::uint64_t first = group * entries.size();
        if (entryType == ElementType::Fp16) {
            std::vector<std::uint16_t> halves(entries.size());
            convertFloatToHalf(entries, halves);
            std::memcpy(lut.bytes.data() + 2 * first, halves.data(), 2 * halves.size());
            convertHalfToFloat(halves, entries);
            return;
        }
        const bool integers = entryType == ElementType::Int8;
        const QuantGrid grid = symmetricGrid(entries, integers ? 127.0 : 448.0, 0);
        storeCode(scale, group, floatToHalf(grid.scale));
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const auto steps = static_cast<double>(entries[i]) / static_cast<double>(grid.scale);
            const std::int64_t code =
                integers ? grid.codeOf(entries[i], -127, 127) : nearestCode(entryType, steps);
            storeCode(lut, first + i, code);
            entries[i] = halfToFloat(
                doubleToHalf(codeValue(entryType, code) * static_cast<double>(grid.scale)));
        }
    }
};

/// One group of single values: `indices` and codebook number `group`, of `size` entries.
void encodeScalarGroup(std::span<const float> values, std::span<std::uint8_t> indices, Books &books,
                       std::uint64_t group, std::size_t size)
{
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    std::vector<float> entries = optimalCentres(histogramOf(halves), size);
    // Entries beyond the distinct values repeat the last one; no index names them.
    entries.resize(size, entries.empty() ? 0.0f : entries.back());
    books.store(group, entries);
    const std::vector<std::uint8_t> nearest = assignments(entries);
    for (std::size_t i = 0; i < values.size(); ++i)
        indices[i] = nearest[halves[i]];
}

/// One group of vectors along axis 0: rows * V rows of `inner` values.
void encodeVectorGroup(std::span<const float> values, std::size_t vector, std::size_t inner,
                       std::span<std::uint8_t> indices, Books &books, std::uint64_t group,
                       std::size_t size)
{
    std::vector<float> points(values.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::size_t row = i / inner;
        for (std::size_t lane = 0; lane < vector; ++lane)
            points[i * vector + lane] = values[(row * vector + lane) * inner + i % inner];
    }
    std::vector<float> centres = vectorCentres(points, vector, size);
    books.store(group, centres);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto point = std::span<const float>(points).subspan(i * vector, vector);
        indices[i] = static_cast<std::uint8_t>(nearestCentre(centres, point));
    }
}

} // namespace

Result<EncodedWeight> encodePalette(std::span<const float> values, const Shape &shape,
                                    const PaletteOptions &options)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (auto checked = checkOptions(values, shape, options); !checked)
        return tl::unexpected(checked.error());
    const std::uint64_t vector = options.vector;
    const std::uint64_t entries = std::uint64_t{1} << options.bits;
    Shape indexShape = shape;
    if (vector > 1)
        indexShape[0] /= vector;
    const std::uint64_t inner =
        shape.empty() || shape[0] == 0 ? 1 : std::max<std::uint64_t>(1, values.size() / shape[0]);
    EncodedWeight weight;
    weight.shape = shape;
    weight.grid.assign(shape.size(), 1);
    if (!shape.empty())
        weight.grid[0] = options.groups;
    weight.entries = entries;
    weight.vector = vector;
    Shape lutShape = weight.grid;
    lutShape.push_back(entries);
    lutShape.push_back(vector);
    std::vector<std::uint8_t> codes(values.size() / vector);
    Books books{options.entryType, makePart(PartRole::Lut, options.entryType, lutShape),
                makePart(PartRole::Scale, ElementType::Fp16, weight.grid)};
    const std::size_t groupValues = values.size() / options.groups;
    for (std::uint64_t g = 0; g < options.groups && groupValues > 0; ++g) {
        const auto group = values.subspan(g * groupValues, groupValues);
        const auto indices =
            std::span(codes).subspan(g * groupValues / vector, groupValues / vector);
        if (vector == 1)
            encodeScalarGroup(group, indices, books, g, entries);
        else
            encodeVectorGroup(group, vector, inner, indices, books, g, entries);
    }
    EncodedPart indices = makePart(PartRole::Indices, indexType(options.bits), indexShape);
    packCodes(codes, options.bits, 0, indices.bytes);
    weight.parts = {std::move(indices), std::move(books.lut)};
    if (options.entryType != ElementType::Fp16) {
        weight.scaling = Scaling::Kind::Blockwise;
        weight.parts.push_back(std::move(books.scale));
    }
    return weight;
}

} // namespace kernscope::codec
