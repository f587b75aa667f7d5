// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_spec.h"

#include "core/numeric/convert.h"

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

std::string describePalette(const PaletteOptions &options)
{
    std::string text = fmt::format("palette {} bit", options.bits);
    if (options.groups != 1)
        text += fmt::format(", {} codebooks", options.groups);
    if (options.vector != 1)
        text += fmt::format(", vectors of {}", options.vector);
    if (options.entryType != ElementType::Fp16)
        text += fmt::format(", {} entries", elementTypeName(options.entryType));
    return text;
}

std::string describeBlockwise(const BlockwiseOptions &options)
{
    return fmt::format("blockwise {}, blocks of {} along axis {}{}",
                       elementTypeName(options.codeType), options.block, options.axis,
                       options.withOffset ? ", with offsets" : "");
}

std::string describeMask(const FormSpec &spec)
{
    if (spec.pattern)
        return fmt::format("sparse {}:{} along axis {}", spec.pattern->keep, spec.pattern->of,
                           spec.pattern->axis);
    if (spec.density)
        return fmt::format("sparse, density {}", *spec.density);
    if (spec.threshold)
        return fmt::format("sparse, threshold {}", *spec.threshold);
    return "sparse, every non-zero";
}

std::string describeSparse(const FormSpec &spec)
{
    if (spec.survivors == FormNode::Palette)
        return describeMask(spec) + ", survivors " + describePalette(spec.palette);
    if (spec.survivors == FormNode::Blockwise)
        return describeMask(spec) + ", survivors " + describeBlockwise(spec.blockwise);
    return describeMask(spec);
}

Result<EncodedWeight> encodeMask(std::span<const float> values, const Shape &shape,
                                 const FormSpec &spec)
{
    if (spec.pattern)
        return encodeSparsePattern(values, shape, *spec.pattern);
    if (spec.density)
        return encodeSparseDensity(values, shape, *spec.density);
    return encodeSparse(values, shape, spec.threshold.value_or(0.0f));
}

Result<EncodedWeight> encodeWithMask(std::span<const float> values, const Shape &shape,
                                     const FormSpec &spec)
{
    auto sparse = encodeMask(values, shape, spec);
    if (sparse && spec.survivors == FormNode::Palette)
        return encodeSparsePalette(values, *sparse, spec.palette);
    if (sparse && spec.survivors == FormNode::Blockwise)
        return encodeSparseBlockwise(values, *sparse, spec.blockwise);
    return sparse;
}

} // namespace

std::string describe(const FormSpec &spec)
{
    switch (spec.node) {
    case FormNode::Dense: return fmt::format("dense {}", elementTypeName(spec.denseType));
    case FormNode::Affine:
        return fmt::format("affine {} {}, {}", elementTypeName(spec.affine.codeType),
                           spec.affine.axis
                               ? fmt::format("per channel of axis {}", *spec.affine.axis)
                               : "per tensor",
                           spec.affine.symmetric ? "symmetric" : "with zero points");
    case FormNode::Palette: return describePalette(spec.palette);
    case FormNode::Sparse: return describeSparse(spec);
    case FormNode::Blockwise: return describeBlockwise(spec.blockwise);
    case FormNode::Microscaled:
    case FormNode::ActivationTable:
    case FormNode::Unknown: break;
    }
    return {};
}

void widenToFp32(EncodedWeight &weight)
{
    if (weight.type != ElementType::Fp16)
        return;
    weight.type = ElementType::Fp32;
    for (EncodedPart &part : weight.parts) {
        if (part.type != ElementType::Fp16)
            continue;
        std::vector<float> values(part.bytes.size() / 2);
        convertHalfToFloat(std::span<const std::byte>(part.bytes), values);
        const auto bytes = std::as_bytes(std::span<const float>(values));
        part.type = ElementType::Fp32;
        part.bytes.assign(bytes.begin(), bytes.end());
    }
}

Result<EncodedWeight> encodeForm(std::span<const float> values, const Shape &shape,
                                 const FormSpec &spec)
{
    switch (spec.node) {
    case FormNode::Dense: return encodeDense(values, shape, spec.denseType);
    case FormNode::Affine: return encodeAffine(values, shape, spec.affine);
    case FormNode::Palette: return encodePalette(values, shape, spec.palette);
    case FormNode::Blockwise: return encodeBlockwise(values, shape, spec.blockwise);
    case FormNode::Sparse: return encodeWithMask(values, shape, spec);
    case FormNode::Microscaled:
    case FormNode::ActivationTable:
    case FormNode::Unknown: break;
    }
    Error error;
    error.code = "encode.form";
    error.expected = "dense, affine, palette, sparse or blockwise";
    error.message = "There is no encoder of this form";
    return tl::unexpected(std::move(error));
}

} // namespace kernscope::codec
