// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_encoder.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::array<std::string_view, 1> kDensePrefixes{"dense"};

std::string describeDense(const FormSpec &spec)
{
    return fmt::format("dense {}", elementTypeName(spec.denseType));
}

} // namespace

extern const FormEncoder kDenseEncoder;
const FormEncoder kDenseEncoder{
    .node = FormNode::Dense,
    .word = "dense",
    .prefixes = kDensePrefixes,
    .examples = "dense",
    .encode = [](std::span<const float> values, const Shape &shape, const FormSpec &spec,
                 std::span<const float>) { return encodeDense(values, shape, spec.denseType); },
    .describe = describeDense,
    .name = [](const FormSpec &) { return std::string("dense"); },
    .read = [](std::string_view name, const EncodedAxes &, FormSpec &) { return name == "dense"; },
    .made = [](const FormSpec &) { return ElementsMade(); },
    .symmetric = [](const FormSpec &) { return true; },
};

} // namespace kernscope::codec
