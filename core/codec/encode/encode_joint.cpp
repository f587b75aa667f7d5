// SPDX-License-Identifier: GPL-3.0-or-later
// The joint forms: survivors of a mask that are palette indices or scaled codes.
#include "core/codec/encode/encoder.h"

#include "core/codec/encode/fitted.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// The mask of a sparse weight, checked against the values that the weight was made from.
Result<const EncodedPart *> maskOf(std::span<const float> values, const EncodedWeight &sparse)
{
    if (auto fits = checkValues(values, sparse.shape); !fits)
        return tl::unexpected(fits.error());
    const auto at =
        std::find_if(sparse.parts.begin(), sparse.parts.end(),
                     [](const EncodedPart &part) { return part.role == PartRole::Mask; });
    if (at == sparse.parts.end() || sparse.parts.size() != 2 || sparse.scaling)
        return tl::unexpected(
            badArgument("sparse", "a mask and non-zero values", "another form",
                        "Only a sparse weight has non-zero values beside a mask"));
    return &*at;
}

bool isKept(const EncodedPart &mask, std::uint64_t index)
{
    return ((std::to_integer<unsigned>(mask.bytes[index / 8]) >> (index % 8)) & 1u) != 0;
}

/// The kept ones of elements [first, end).
std::vector<float> survivors(std::span<const float> values, const EncodedPart &mask,
                             std::uint64_t first, std::uint64_t end)
{
    std::vector<float> kept;
    kept.reserve(countBits(mask.bytes, first, end - first));
    for (std::uint64_t i = first; i < end; ++i) {
        if (isKept(mask, i))
            kept.push_back(values[i]);
    }
    return kept;
}

const EncodedPart &partOfRole(const EncodedWeight &weight, PartRole role)
{
    return *std::find_if(weight.parts.begin(), weight.parts.end(),
                         [role](const EncodedPart &part) { return part.role == role; });
}

Result<void> checkJointPalette(const Shape &shape, const PaletteOptions &options)
{
    if (options.vector != 1)
        return tl::unexpected(badArgument("vector", "1 where a mask leaves elements out",
                                          fmt::format("{}", options.vector),
                                          "Non-zero values are looked up one by one"));
    if (options.entryType != ElementType::Fp16)
        return tl::unexpected(badArgument("entryType", "fp16 where a mask leaves elements out",
                                          std::string(elementTypeName(options.entryType)),
                                          "Non-zero values have no scaled codebook"));
    const std::uint64_t extent = shape.empty() ? 1 : shape[0];
    if (options.groups == 0 || extent % options.groups != 0)
        return tl::unexpected(badArgument("groups", fmt::format("a divisor of {} rows", extent),
                                          fmt::format("{}", options.groups),
                                          "The codebooks do not divide the rows"));
    return {};
}

} // namespace

Result<EncodedWeight> encodeSparsePalette(std::span<const float> values,
                                          const EncodedWeight &sparse,
                                          const PaletteOptions &options)
{
    return encodeSparsePalette(values, sparse, options, {});
}

Result<EncodedWeight> encodeSparsePalette(std::span<const float> values,
                                          const EncodedWeight &sparse,
                                          const PaletteOptions &options,
                                          std::span<const float> masses)
{
    const auto mask = maskOf(values, sparse);
    if (!mask)
        return tl::unexpected(mask.error());
    if (auto checked = checkJointPalette(sparse.shape, options); !checked)
        return tl::unexpected(checked.error());
    EncodedWeight weight;
    weight.type = sparse.type;
    weight.shape = sparse.shape;
    weight.grid.assign(sparse.shape.size(), 1);
    if (!weight.grid.empty())
        weight.grid[0] = options.groups;
    EncodedPart lut;
    std::vector<std::uint8_t> codes;
    // Axis 0 is the outermost: the survivors of a group lie together.
    const std::uint64_t length = values.size() / options.groups;
    for (std::uint64_t group = 0; group < options.groups; ++group) {
        const auto kept = survivors(values, **mask, group * length, (group + 1) * length);
        const auto weighing = masses.empty()
                                  ? std::vector<float>()
                                  : survivors(masses, **mask, group * length, (group + 1) * length);
        const auto one =
            encodePalette(kept, {kept.size()}, {options.bits, 1, 1, ElementType::Fp16}, weighing);
        if (!one)
            return tl::unexpected(one.error());
        weight.entries = one->entries;
        const EncodedPart &book = partOfRole(*one, PartRole::Lut);
        lut.bytes.insert(lut.bytes.end(), book.bytes.begin(), book.bytes.end());
        const std::size_t before = codes.size();
        codes.resize(before + kept.size());
        unpackCodes(partOfRole(*one, PartRole::Indices).bytes, options.bits, 0,
                    std::span(codes).subspan(before));
    }
    EncodedPart indices =
        makePart(PartRole::Indices, unsignedType(options.bits), Shape{codes.size()});
    packCodes(codes, options.bits, 0, indices.bytes);
    lut.role = PartRole::Lut;
    lut.type = ElementType::Fp16;
    lut.shape = weight.grid;
    lut.shape.insert(lut.shape.end(), {weight.entries, 1});
    weight.parts = {**mask, std::move(indices), std::move(lut)};
    return weight;
}

Result<EncodedWeight> encodeSparseBlockwise(std::span<const float> values,
                                            const EncodedWeight &sparse,
                                            const BlockwiseOptions &options)
{
    return encodeSparseBlockwise(values, sparse, options, {});
}

Result<EncodedWeight> encodeSparseBlockwise(std::span<const float> values,
                                            const EncodedWeight &sparse,
                                            const BlockwiseOptions &options,
                                            std::span<const float> masses)
{
    const auto mask = maskOf(values, sparse);
    if (!mask)
        return tl::unexpected(mask.error());
    // What is left out counts as 0, which every block's range holds anyway.
    std::vector<float> masked(values.begin(), values.end());
    for (std::uint64_t i = 0; i < masked.size(); ++i) {
        if (!isKept(**mask, i))
            masked[i] = 0;
    }
    auto weight = encodeBlockwise(masked, sparse.shape, options, masses);
    if (!weight)
        return weight;
    weight->type = sparse.type;
    const EncodedPart dense = partOfRole(*weight, PartRole::Data);
    std::vector<std::int64_t> codes;
    for (std::uint64_t i = 0; i < masked.size(); ++i) {
        if (isKept(**mask, i))
            codes.push_back(loadCode(dense.bytes, dense.type, i));
    }
    EncodedPart kept = makePart(PartRole::NonzeroData, dense.type, Shape{codes.size()});
    for (std::uint64_t i = 0; i < codes.size(); ++i)
        storeCode(kept, i, codes[i]);
    weight->parts.front() = std::move(kept);
    weight->parts.insert(weight->parts.begin(), **mask);
    return weight;
}

} // namespace kernscope::codec
