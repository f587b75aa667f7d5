// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_spec.h"

#include "core/base/error_builder.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/form_encoder.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/convert.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// With masses (none: all alike).
Result<EncodedWeight> encodeMassed(std::span<const float> values, const Shape &shape,
                                   const FormSpec &spec, std::span<const float> masses)
{
    if (const FormEncoder *encoder = formEncoder(spec.node))
        return encoder->encode(values, shape, spec, masses);
    return refused("encode.form", {}, encoderWords(), {}, "There is no encoder of this form");
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
        const auto decoder = TRY(Decoder::make(weights[i].encoding()));
        decoder.decodeFloat(0, stored);
        const auto error = TRY(inputError(values, stored, shape, inputs));
        if (i == 0 || error < least) {
            least = error;
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
    TRY(feedBack(fed, values, *spec.inputs, formEncoder(spec.node)->symmetric(spec)));
    auto plain = TRY(encodeMassed(values, shape, spec, {}));
    std::vector<EncodedWeight> all;
    all.push_back(std::move(plain));
    all.push_back(std::move(fitted));
    all.push_back(std::move(fed));
    return nearestOutputs(std::move(all), values, shape, *spec.inputs);
}

} // namespace

std::string describe(const FormSpec &spec)
{
    const FormEncoder *encoder = formEncoder(spec.node);
    const std::string form = encoder != nullptr ? encoder->describe(spec) : std::string();
    if (spec.method == EncodeMethod::Plain || spec.node == FormNode::Dense)
        return form;
    return form + (spec.method == EncodeMethod::Fitted ? ", fitted" : ", with error feedback");
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
    const auto odd =
        std::ranges::count_if(values, [](float value) { return !std::isfinite(value); });
    if (odd > 0 && spec.node != FormNode::Dense)
        return tl::unexpected(badArgument("values", "finite numbers",
                                          fmt::format("{} of {} not finite", odd, values.size()),
                                          "Only a dense weight holds what is not finite"));
    if (spec.method == EncodeMethod::Plain || spec.node == FormNode::Dense)
        return encodeMassed(values, shape, spec, {});
    TRY(checkValues(values, shape));
    if (spec.inputs) {
        TRY(checkInputs(*spec.inputs, shape));
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
