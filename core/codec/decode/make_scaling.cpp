// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the scale step.
#include "core/codec/decode/decoder_make.h"
#include "core/codec/microscaled/microscaled.h"

#include <fmt/format.h>

namespace kernscope::codec {

EncodingMaker::Step EncodingMaker::scaling()
{
    if (!encoding().scaling)
        return {};
    const Scaling &given = *encoding().scaling;
    ScalingState &scaling = m_state->scaling.emplace();
    scaling.kind = given.kind;
    scaling.addsOffset = given.addsOffset;
    auto scale = resolve(given.scale, PartRole::Scale);
    if (!scale)
        return tl::unexpected(scale.error());
    scaling.scale = std::move(*scale);
    std::uint64_t offsets = 0;
    if (given.offset) {
        const bool affine = given.kind == Scaling::Kind::Affine;
        auto offset = resolve(*given.offset, given.addsOffset ? PartRole::Bias
                                             : affine         ? PartRole::ZeroPoint
                                                              : PartRole::Offset);
        if (!offset)
            return tl::unexpected(offset.error());
        scaling.offset = std::move(*offset);
        offsets = elementCount(scaling.offset->shape)->value;
    }
    const ElementType scaleType = scaling.scale.type;
    const bool power = scaleType == ElementType::Fp8E8M0 && given.kind == Scaling::Kind::Blockwise;
    if (scaleType != ElementType::Fp16 && scaleType != ElementType::Fp32 && !power)
        return tl::unexpected(makeFault("codec.type", "scale", "fp16, fp32 or blocks of fp8e8m0",
                                        std::string(elementTypeName(scaleType)),
                                        "The scale has an element type that scales lack"));
    // Product and sum of a bias are fp32, rounded once.
    if (given.kind == Scaling::Kind::Blockwise && scaleType == ElementType::Fp16 &&
        !given.addsOffset) {
        const ElementType dataType =
            m_state->palette ? m_state->palette->lut.type : m_state->payload.type;
        scaling.roundData = isFloatingPoint(dataType) && dataType != ElementType::Fp16;
        scaling.roundOffset = scaling.offset && isFloatingPoint(scaling.offset->type) &&
                              scaling.offset->type != ElementType::Fp16;
        scaling.roundDifference =
            scaling.offset && (isFloatingPoint(dataType) || isFloatingPoint(scaling.offset->type));
    }
    const std::uint64_t scales = elementCount(scaling.scale.shape)->value;
    return given.kind == Scaling::Kind::Affine ? affineGrid(scaling, scales, offsets)
                                               : blockwiseGrid(scaling, scales, offsets);
}

EncodingMaker::Step EncodingMaker::affineGrid(ScalingState &scaling, std::uint64_t scales,
                                              std::uint64_t offsets)
{
    const Shape &shape = encoding().shape;
    const std::uint64_t axis = encoding().scaling->axis;
    Shape grid(shape.size(), 1);
    scaling.oneScale = scales == 1;
    scaling.oneOffset = scaling.offset && offsets == 1;
    const bool vector = !scaling.oneScale || (scaling.offset && !scaling.oneOffset);
    if (vector) {
        const std::uint64_t channels = axis < shape.size() ? shape[axis] : 0;
        const auto fits = [&](const Operand &operand, bool one, std::uint64_t count) -> Step {
            if (one || (count == channels && axis < shape.size()))
                return {};
            return tl::unexpected(makeFault(
                "codec.scale", partRoleName(operand.role), fmt::format("1 or {} values", channels),
                fmt::format("{} values", count), "The vector does not fit the axis"));
        };
        if (auto step = fits(scaling.scale, scaling.oneScale, scales); !step)
            return step;
        if (scaling.offset) {
            if (auto step = fits(*scaling.offset, scaling.oneOffset, offsets); !step)
                return step;
        }
        grid[axis] = channels;
    }
    if (m_state->elements > 0)
        scaling.grid = GridMap(shape, grid);
    return {};
}

EncodingMaker::Step EncodingMaker::blockwiseGrid(ScalingState &scaling, std::uint64_t scales,
                                                 std::uint64_t offsets)
{
    const Shape &shape = encoding().shape;
    const Shape &grid = scaling.scale.shape;
    bool divides = grid.size() == shape.size();
    for (std::size_t i = 0; divides && i < grid.size(); ++i)
        divides = grid[i] != 0 && shape[i] % grid[i] == 0;
    if (!divides)
        return tl::unexpected(makeFault("codec.scale", "scale",
                                        fmt::format("extents that divide {}", shapeText(shape)),
                                        shapeText(grid), "The scales do not divide the data"));
    if (scaling.offset && offsets != scales)
        return tl::unexpected(makeFault("codec.scale", "offset", shapeText(grid),
                                        shapeText(scaling.offset->shape),
                                        "The offsets do not match the scales"));
    if (m_state->elements > 0)
        scaling.grid = GridMap(shape, grid);
    scaling.mxGroups = microscaledGroups(scaling);
    return {};
}

/// What the kernels of microscaled elements take; other grids are decoded like any scale.
ScalingState::MxGroups EncodingMaker::microscaledGroups(const ScalingState &scaling) const
{
    using Groups = ScalingState::MxGroups;
    const Decoder::State &state = *m_state;
    const bool element =
        state.payload.type == ElementType::Fp8E4M3Fn || state.payload.type == ElementType::Fp4E2M1;
    if (scaling.scale.type != ElementType::Fp8E8M0 || scaling.offset || !element || state.mask ||
        state.palette || state.payloadDecoder || state.payload.order || scaling.scale.shape.empty())
        return Groups::None;
    const Shape &shape = encoding().shape;
    Shape grid = scaling.scale.shape;
    const std::size_t last = grid.size() - 1;
    grid[last] *= kMxGroup;
    if (grid == shape)
        return Groups::Across;
    grid[last] /= kMxGroup;
    // A call for each row: short ones cost more than their work.
    if (grid.size() < 2 || shape[last] < kMxGroup)
        return Groups::None;
    grid[last - 1] *= kMxGroup;
    return grid == shape ? Groups::Down : Groups::None;
}

} // namespace kernscope::codec
