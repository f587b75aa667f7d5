// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_encoder.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::array<std::string_view, 2> kAffinePrefixes{"int8", "uint8"};

std::string describeAffine(const FormSpec &spec)
{
    const AffineOptions &affine = spec.affine;
    return fmt::format("affine {} {}, {}", elementTypeName(affine.codeType),
                       affine.axis ? fmt::format("per channel of axis {}", *affine.axis)
                                   : "per tensor",
                       affine.symmetric ? "symmetric" : "with zero points");
}

std::string affineName(const FormSpec &spec)
{
    std::string name(elementTypeName(spec.affine.codeType));
    if (!spec.affine.axis)
        name += "-tensor";
    if (!spec.affine.symmetric)
        name += "-offset";
    return name;
}

bool readAffine(std::string_view name, const EncodedAxes &axes, FormSpec &spec)
{
    AffineOptions &affine = spec.affine;
    affine.codeType = name.starts_with('u') ? ElementType::Uint8 : ElementType::Int8;
    affine.axis = axes.output;
    name.remove_prefix(elementTypeName(affine.codeType).size());
    while (!name.empty()) {
        const std::string_view word = nextWord(name);
        if (word == "tensor")
            affine.axis.reset();
        else if (word == "offset")
            affine.symmetric = false;
        else
            return false;
    }
    return true;
}

ElementsMade affineMade(const FormSpec &spec)
{
    const AffineOptions &affine = spec.affine;
    return {.node = FormNode::Affine,
            .type = affine.codeType,
            .bits = bitWidth(affine.codeType),
            .zeroPoint = !affine.symmetric || !isSignedInteger(affine.codeType)};
}

} // namespace

extern const FormEncoder kAffineEncoder;
const FormEncoder kAffineEncoder{
    .node = FormNode::Affine,
    .word = "affine",
    .prefixes = kAffinePrefixes,
    .examples = "int8, int8-offset",
    .reads = {.codes = true, .tensor = true},
    .encode =
        [](std::span<const float> values, const Shape &shape, const FormSpec &spec,
           std::span<const float> masses) {
            return encodeAffine(values, shape, spec.affine, masses);
        },
    .describe = describeAffine,
    .name = affineName,
    .read = readAffine,
    .made = affineMade,
    .symmetric = [](const FormSpec &spec) { return spec.affine.symmetric; },
};

} // namespace kernscope::codec
