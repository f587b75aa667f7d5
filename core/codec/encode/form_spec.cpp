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
    switch (spec.survivors) {
    case FormSpec::Survivors::Palette:
        return describeMask(spec) + ", survivors " + describePalette(spec.palette);
    case FormSpec::Survivors::Blockwise:
        return describeMask(spec) + ", survivors " + describeBlockwise(spec.blockwise);
    case FormSpec::Survivors::Plain: break;
    }
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

} // namespace

std::string describe(const FormSpec &spec)
{
    switch (spec.kind) {
    case FormSpec::Kind::Dense: return fmt::format("dense {}", elementTypeName(spec.denseType));
    case FormSpec::Kind::Affine:
        return fmt::format("affine {} {}, {}", elementTypeName(spec.affine.codeType),
                           spec.affine.axis
                               ? fmt::format("per channel of axis {}", *spec.affine.axis)
                               : "per tensor",
                           spec.affine.symmetric ? "symmetric" : "with zero points");
    case FormSpec::Kind::Palette: return describePalette(spec.palette);
    case FormSpec::Kind::Sparse: return describeSparse(spec);
    case FormSpec::Kind::Blockwise: return describeBlockwise(spec.blockwise);
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
    switch (spec.kind) {
    case FormSpec::Kind::Dense: return encodeDense(values, shape, spec.denseType);
    case FormSpec::Kind::Affine: return encodeAffine(values, shape, spec.affine);
    case FormSpec::Kind::Palette: return encodePalette(values, shape, spec.palette);
    case FormSpec::Kind::Blockwise: return encodeBlockwise(values, shape, spec.blockwise);
    case FormSpec::Kind::Sparse: break;
    }
    auto sparse = encodeMask(values, shape, spec);
    if (!sparse || spec.survivors == FormSpec::Survivors::Plain)
        return sparse;
    return spec.survivors == FormSpec::Survivors::Palette
               ? encodeSparsePalette(values, *sparse, spec.palette)
               : encodeSparseBlockwise(values, *sparse, spec.blockwise);
}

} // namespace kernscope::codec
