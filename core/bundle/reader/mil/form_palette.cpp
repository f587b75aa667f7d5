// SPDX-License-Identifier: GPL-3.0-or-later
// The forms that look values up in codebooks.
#include "core/bundle/reader/mil/form_reader.h"

#include "core/numeric/element_type.h"

#include <bit>

#include <fmt/format.h>

namespace kernscope {

/// iOS 18: a codebook of shape [g0 .. g(R-1), K, V] behind an index tensor of rank R.
Result<void> FormReader::addPalette(const mil::Operation &operation, ReadValue &form,
                                    const Shape &indexShape, unsigned width)
{
    auto lut = TRY(source(operation, "lut", PartRole::Lut));
    const std::size_t rank = indexShape.size();
    const Shape &shape = lut.shape;
    if (shape.size() != rank + 2 || !codec::dividesInto(std::span(shape).first(rank), indexShape))
        return tl::unexpected(m_operands.fault(
            operation, "codec.codebook", "lut",
            fmt::format("rank {} and extents that divide {}", rank + 2, shapeText(indexShape)),
            shapeText(shape), "The codebooks do not divide the indices into equal groups."));
    codec::Palette palette;
    palette.lut = lut.source;
    palette.grid.assign(shape.begin(), shape.end() - 2);
    palette.entries = shape[rank];
    palette.vector = shape[rank + 1];
    if (palette.entries != std::uint64_t(1) << width)
        return tl::unexpected(
            m_operands.fault(operation, "codec.codebook", "lut",
                             fmt::format("{} entries for indices of {} bits", 1U << width, width),
                             fmt::format("{} entries", palette.entries),
                             "The codebook does not have one entry for every index."));
    form.encoding.shape = indexShape;
    if (palette.vector != 1) {
        auto axis = TRY(axisOperand(operation, "vector_axis", rank));
        palette.vectorAxis = axis;
        const auto extent = checkedMultiply(indexShape[axis], palette.vector);
        if (palette.vector == 0 || !extent)
            return tl::unexpected(m_operands.fault(
                operation, "codec.codebook", "lut", "vectors of 1 or more elements",
                fmt::format("{}", palette.vector), "The codebook's vectors cannot be used."));
        form.encoding.shape[axis] = *extent;
    }
    const auto count = elementCount(form.encoding.shape);
    if (!count || !packedBytes(*count, ElementType::Fp64))
        return tl::unexpected(
            m_operands.fault(operation, "codec.shape", "output", "fewer than 2^64 bytes",
                             shapeText(form.encoding.shape), "The decoded shape overflows."));
    form.type = lut.type;
    form.encoding.type = lut.type;
    form.encoding.palette = std::move(palette);
    return {};
}

Result<ReadValue> FormReader::lutToDense(const mil::Operation &operation, PartRole)
{
    return operation.operand("shape") ? paletteOfBytes(operation) : palette(operation);
}

Result<ReadValue> FormReader::palette(const mil::Operation &operation)
{
    auto indices = TRY(stored(operation, "indices", PartRole::Indices, kPaletteIndexTypes));
    ReadValue form;
    TRY(addPalette(operation, form, indices.shape, bitWidth(indices.type)));
    form.encoding.payload = std::move(indices);
    return form;
}

/// iOS 16: indices packed into plain bytes, one flat codebook, the shape beside them.
Result<ReadValue> FormReader::paletteOfBytes(const mil::Operation &operation)
{
    auto indices = TRY(stored(operation, "indices", PartRole::Indices, {ElementType::Uint8}));
    auto lut = TRY(source(operation, "lut", PartRole::Lut));
    auto shape = TRY(shapeOperand(operation));
    const std::uint64_t entries = lut.shape.size() == 1 ? lut.shape[0] : 0;
    const auto width = static_cast<unsigned>(std::countr_zero(entries));
    const ElementType type =
        std::has_single_bit(entries) ? unsignedType(width) : ElementType::Unknown;
    if (type == ElementType::Unknown)
        return tl::unexpected(m_operands.fault(
            operation, "codec.codebook", "lut", "one dimension of 2, 4, 8, 16, 64 or 256 entries",
            shapeText(lut.shape), "The codebook does not fit any width of index."));
    const auto bytes = packedBytes(*elementCount(shape), type);
    if (!bytes || indices.shape.size() != 1 || indices.shape[0] != bytes->value)
        return tl::unexpected(m_operands.fault(
            operation, "codec.shape", "indices",
            fmt::format("[{}] bytes for {} indices of {} bits", bytes ? bytes->value : 0,
                        shapeText(shape), width),
            shapeText(indices.shape), "The indices do not fit the decoded shape."));
    ReadValue form;
    form.type = lut.type;
    form.encoding.type = lut.type;
    form.encoding.payload = kernscope::readAs(std::move(indices), type, shape);
    codec::Palette palette;
    palette.lut = lut.source;
    palette.grid.assign(shape.size(), 1);
    palette.entries = entries;
    form.encoding.palette = std::move(palette);
    form.encoding.shape = std::move(shape);
    return form;
}

Result<ReadValue> FormReader::lutToSparse(const mil::Operation &operation, PartRole)
{
    auto mask = TRY(stored(operation, "indices_mask", PartRole::Mask, {ElementType::Uint1}));
    ReadValue form;
    auto indices =
        TRY(stored(operation, "indices_nonzero_data", PartRole::Indices, kPaletteIndexTypes));
    TRY(checkSurvivors(m_operands, operation, indices.shape, mask.shape));
    TRY(addPalette(operation, form, mask.shape, bitWidth(indices.type)));
    form.encoding.mask = std::move(mask);
    form.encoding.payload = survivorsOf(operation, std::move(indices));
    return form;
}

} // namespace kernscope
