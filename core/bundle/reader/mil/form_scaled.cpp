// SPDX-License-Identifier: GPL-3.0-or-later
// The forms that scale what is stored: affine, blockwise, sparse blockwise.
#include "core/bundle/reader/mil/form_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

using codec::Scaling;

namespace {

/// What blocks of scales may multiply.
constexpr auto kBlockData = {ElementType::Int4,      ElementType::Uint4,  ElementType::Int8,
                             ElementType::Uint8,     ElementType::Fp16,   ElementType::Fp32,
                             ElementType::Fp8E4M3Fn, ElementType::Fp8E5M2};

/// A palette's result can be scaled in place; anything else stays an encoding of its own.
bool canScaleInPlace(const codec::Encoding &encoding)
{
    return encoding.palette && !encoding.scaling && !encoding.mask;
}

} // namespace

Result<ReadValue> FormReader::affine(const mil::Operation &operation, PartRole role)
{
    auto data =
        TRY(stored(operation, "quantized_data", role, {ElementType::Int8, ElementType::Uint8}));
    auto scale =
        TRY(stored(operation, "scale", PartRole::Scale, {ElementType::Fp16, ElementType::Fp32}));
    auto zero = TRY(stored(operation, "zero_point", PartRole::ZeroPoint,
                           {ElementType::Int8, ElementType::Uint8, ElementType::Fp32}));
    ReadValue form;
    form.type = scale.type;
    form.encoding.type = scale.type;
    form.encoding.shape = data.shape;
    Scaling scaling;
    scaling.kind = Scaling::Kind::Affine;
    for (const codec::Operand *vector : {&scale, &zero}) {
        if (vector->shape.empty())
            continue;
        auto axis = TRY(axisOperand(operation, "axis", data.shape.size()));
        scaling.axis = axis;
        if (vector->shape.size() != 1 || vector->shape[0] != data.shape[axis])
            return tl::unexpected(m_operands.fault(
                operation, "codec.scale", codec::partRoleName(vector->role),
                fmt::format("a scalar or [{}]", data.shape[axis]), shapeText(vector->shape),
                "A vector does not have one number for each index of the axis."));
    }
    form.encoding.payload = std::move(data);
    scaling.scale = std::move(scale);
    scaling.offset = std::move(zero);
    form.encoding.scaling = std::move(scaling);
    return form;
}

/// Reads scale and offset, which follow the data, and checks that they divide it.
Result<void> FormReader::addBlocks(const mil::Operation &operation, ReadValue &form,
                                   ElementType dataType)
{
    auto scale = TRY(source(operation, "scale", PartRole::Scale));
    TRY(checkType(operation, "scale", scale.type, {ElementType::Fp16, ElementType::Fp32}));
    const Shape &shape = form.encoding.shape;
    if (!codec::dividesInto(scale.shape, shape))
        return tl::unexpected(m_operands.fault(
            operation, "codec.scale", "scale", "extents that divide " + shapeText(shape),
            shapeText(scale.shape), "The scales do not divide the data into equal blocks."));
    Scaling scaling;
    scaling.kind = Scaling::Kind::Blockwise;
    scaling.scale = scale.source;
    if (operation.operand("offset")) {
        auto offset = TRY(source(operation, "offset", PartRole::Offset));
        TRY(checkType(operation, "offset", offset.type,
                      {dataType, ElementType::Fp16, ElementType::Fp32}));
        if (offset.shape != scale.shape)
            return tl::unexpected(m_operands.fault(operation, "codec.scale", "offset",
                                                   shapeText(scale.shape), shapeText(offset.shape),
                                                   "The offsets do not match the scales."));
        scaling.offset = offset.source;
    }
    form.encoding.scaling = std::move(scaling);
    form.encoding.type = scale.type;
    form.type = scale.type;
    return {};
}

Result<ReadValue> FormReader::blockwise(const mil::Operation &operation, PartRole role)
{
    auto data = TRY(source(operation, "data", role));
    TRY(checkType(operation, "data", data.type, kBlockData));
    ReadValue form;
    if (data.made && canScaleInPlace(*data.made))
        form.encoding = *data.made;
    else
        form.encoding.payload = data.source;
    form.encoding.shape = data.shape;
    TRY(addBlocks(operation, form, data.type));
    return form;
}

Result<ReadValue> FormReader::sparseBlockwise(const mil::Operation &operation, PartRole)
{
    ReadValue form;
    ElementType dataType = ElementType::Unknown;
    if (const mil::Operation *maker = compactMaker(operation)) {
        auto inner = TRY(readAs(*maker, PartRole::NonzeroData));
        TRY(sameMask(operation, "data_mask", inner, *maker));
        if (inner.encoding.scaling)
            return tl::unexpected(m_operands.fault(operation, "mil.unsupported", "nonzero_data",
                                                   "values that no operation has scaled yet",
                                                   maker->type,
                                                   "Compacted values are scaled once at most."));
        dataType = inner.type;
        form = std::move(inner);
    } else {
        auto mask = TRY(stored(operation, "data_mask", PartRole::Mask, {ElementType::Uint1}));
        auto data = TRY(stored(operation, "nonzero_data", PartRole::NonzeroData, kBlockData));
        TRY(checkSurvivors(m_operands, operation, data.shape, mask.shape));
        dataType = data.type;
        form.encoding.shape = mask.shape;
        form.encoding.mask = std::move(mask);
        form.encoding.payload = survivorsOf(operation, std::move(data));
    }
    TRY(addBlocks(operation, form, dataType));
    return form;
}

} // namespace kernscope
