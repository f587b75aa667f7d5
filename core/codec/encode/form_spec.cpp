// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_spec.h"

#include "core/base/error_builder.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/fitted.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/convert.h"

#include <utility>
#include <vector>

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
        return describeMask(spec) + ", non-zero values " + describePalette(spec.palette);
    if (spec.survivors == FormNode::Blockwise)
        return describeMask(spec) + ", non-zero values " + describeBlockwise(spec.blockwise);
    return describeMask(spec);
}

/// All encoders with masses (none: the plain ones).
Result<EncodedWeight> encodeMask(std::span<const float> values, const Shape &shape,
                                 const FormSpec &spec, std::span<const float> masses)
{
    if (spec.pattern)
        return encodeSalientPattern(values, shape, *spec.pattern, masses);
    if (spec.density)
        return encodeSalientDensity(values, shape, *spec.density, masses);
    return encodeSparse(values, shape, spec.threshold.value_or(0.0f));
}

Result<EncodedWeight> encodeWithMask(std::span<const float> values, const Shape &shape,
                                     const FormSpec &spec, std::span<const float> masses)
{
    if (spec.denseType == ElementType::Fp32 && spec.survivors == FormNode::Dense)
        return encodeWideSparse(values, shape, spec, masses);
    auto sparse = encodeMask(values, shape, spec, masses);
    if (sparse && spec.survivors == FormNode::Palette)
        return encodeSparsePalette(values, *sparse, spec.palette, masses, spec.codebooks.get());
    if (sparse && spec.survivors == FormNode::Blockwise)
        return encodeSparseBlockwise(values, *sparse, spec.blockwise, masses);
    return sparse;
}

Result<EncodedWeight> encodeMassed(std::span<const float> values, const Shape &shape,
                                   const FormSpec &spec, std::span<const float> masses)
{
    switch (spec.node) {
    case FormNode::Dense: return encodeDense(values, shape, spec.denseType);
    case FormNode::Affine: return encodeAffine(values, shape, spec.affine, masses);
    case FormNode::Palette:
        return encodePalette(values, shape, spec.palette, masses, spec.codebooks.get());
    case FormNode::Blockwise: return encodeBlockwise(values, shape, spec.blockwise, masses);
    case FormNode::Sparse: return encodeWithMask(values, shape, spec, masses);
    case FormNode::Microscaled:
    case FormNode::ActivationTable:
    case FormNode::Unknown: break;
    }
    return ErrorBuilder("encode.form")
        .expected("dense, affine, palette, sparse or blockwise")
        .message("There is no encoder of this form")
        .unexpected();
}

/// Whether integer codes leave out the one without a counterpart.
bool isSymmetric(const FormSpec &spec)
{
    return spec.node == FormNode::Affine ? spec.affine.symmetric : !spec.blockwise.withOffset;
}

/// Of the weights, the one whose outputs are nearest, of equally near ones the first.
Result<EncodedWeight> nearestOutputs(std::vector<EncodedWeight> weights,
                                     std::span<const float> values, const Shape &shape,
                                     const InputStatistics &inputs)
{
    std::vector<float> stored(values.size());
    std::size_t best = 0;
    double least = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const auto decoder = Decoder::make(weights[i].encoding());
        if (!decoder)
            return tl::unexpected(decoder.error());
        decoder->decodeFloat(0, stored);
        const auto error = inputError(values, stored, shape, inputs);
        if (!error)
            return tl::unexpected(error.error());
        if (i == 0 || *error < least) {
            least = *error;
            best = i;
        }
    }
    return std::move(weights[best]);
}

Result<EncodedWeight> encodeWithFeedback(std::span<const float> values, const Shape &shape,
                                         const FormSpec &spec, EncodedWeight fitted)
{
    if (!spec.inputs)
        return tl::unexpected(badArgument("inputs", "means or second moments of the inputs",
                                          "no statistics",
                                          "Errors are fed back by what flows through"));
    EncodedWeight fed = fitted;
    if (auto done = feedBack(fed, values, *spec.inputs, isSymmetric(spec)); !done)
        return tl::unexpected(std::move(done.error()));
    auto plain = encodeMassed(values, shape, spec, {});
    if (!plain)
        return plain;
    std::vector<EncodedWeight> all;
    all.push_back(std::move(*plain));
    all.push_back(std::move(fitted));
    all.push_back(std::move(fed));
    return nearestOutputs(std::move(all), values, shape, *spec.inputs);
}

} // namespace

static std::string describeForm(const FormSpec &spec)
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

std::string describe(const FormSpec &spec)
{
    if (spec.method == EncodeMethod::Plain || spec.node == FormNode::Dense)
        return describeForm(spec);
    return describeForm(spec) +
           (spec.method == EncodeMethod::Fitted ? ", fitted" : ", with error feedback");
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
    if (spec.method == EncodeMethod::Plain || spec.node == FormNode::Dense)
        return encodeMassed(values, shape, spec, {});
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (spec.inputs) {
        if (auto checked = checkInputs(*spec.inputs, shape); !checked)
            return tl::unexpected(checked.error());
    }
    const auto masses =
        spec.inputs ? inputMasses(*spec.inputs, shape) : std::vector<float>(values.size(), 1.0f);
    auto fitted = encodeMassed(values, shape, spec, masses);
    if (!fitted || values.empty() || spec.method == EncodeMethod::Fitted)
        return fitted;
    return encodeWithFeedback(values, shape, spec, std::move(*fitted));
}

Result<EncodedWeight> encodeForm(std::span<const float> values, const Shape &shape,
                                 const FormSpec &spec, ElementType type)
{
    if (type != ElementType::Fp32)
        return encodeForm(values, shape, spec);
    FormSpec wide = spec;
    wide.denseType = ElementType::Fp32;
    auto encoded = encodeForm(values, shape, wide);
    if (encoded)
        widenToFp32(*encoded);
    return encoded;
}

} // namespace kernscope::codec
