// SPDX-License-Identifier: GPL-3.0-or-later
// A mask, and the elements that it keeps: as they are, or coded by another encoder.
#include "core/base/csv.h"
#include "core/codec/encode/form_encoder.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::array<std::string_view, 1> kSparsePrefixes{"sparse"};

/// The encoder of the survivors; null where they stay as they are.
const FormEncoder *survivorsEncoder(const FormSpec &spec)
{
    const FormEncoder *row = formEncoder(spec.survivors);
    return row != nullptr && row->encodeKept != nullptr ? row : nullptr;
}

Result<EncodedWeight> encodeMask(std::span<const float> values, const Shape &shape,
                                 const FormSpec &spec, std::span<const float> masses)
{
    if (spec.pattern)
        return encodeSalientPattern(values, shape, *spec.pattern, masses);
    if (spec.density)
        return encodeSalientDensity(values, shape, *spec.density, masses);
    return encodeSparse(values, shape, spec.threshold.value_or(0.0f));
}

Result<EncodedWeight> encodeAsSparse(std::span<const float> values, const Shape &shape,
                                     const FormSpec &spec, std::span<const float> masses)
{
    const FormEncoder *survivors = survivorsEncoder(spec);
    if (spec.denseType == ElementType::Fp32 && survivors == nullptr)
        return encodeWideSparse(values, shape, spec, masses);
    auto sparse = encodeMask(values, shape, spec, masses);
    if (sparse && survivors != nullptr)
        return survivors->encodeKept(values, *sparse, spec, masses);
    return sparse;
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
    const FormEncoder *survivors = survivorsEncoder(spec);
    return describeMask(spec) +
           (survivors != nullptr ? ", non-zero values " + survivors->describe(spec) : "");
}

std::string sparseName(const FormSpec &spec)
{
    std::string name = "sparse";
    if (spec.pattern)
        name += fmt::format("-{}:{}", spec.pattern->keep, spec.pattern->of);
    else if (spec.density)
        name += fmt::format("-{:g}", *spec.density);
    else if (spec.threshold && *spec.threshold > 0)
        name += fmt::format("-above-{:g}", *spec.threshold);
    const FormEncoder *survivors = survivorsEncoder(spec);
    return survivors != nullptr ? name + "+" + survivors->name(spec) : name;
}

bool readMask(std::string_view name, const EncodedAxes &axes, FormSpec &spec)
{
    name.remove_prefix(kSparsePrefixes.front().size());
    if (name.empty())
        return true;
    if (!name.starts_with('-'))
        return false;
    name.remove_prefix(1);
    if (const auto colon = name.find(':'); colon != name.npos) {
        const auto keep = positiveNumber(name.substr(0, colon));
        const auto of = positiveNumber(name.substr(colon + 1));
        if (!keep || !of || *keep > *of)
            return false;
        spec.pattern = SparsePattern{*keep, *of, axes.input};
        return true;
    }
    spec.density = parseNumber(name);
    return spec.density && *spec.density > 0 && *spec.density <= 1;
}

bool readSparse(std::string_view name, const EncodedAxes &axes, FormSpec &spec)
{
    const auto plus = name.find('+');
    if (!readMask(name.substr(0, plus), axes, spec))
        return false;
    if (plus == name.npos)
        return true;
    const std::string_view survivors = name.substr(plus + 1);
    const FormEncoder *row = formEncoderOfName(survivors);
    if (row == nullptr || row->encodeKept == nullptr)
        return false;
    spec.survivors = row->node;
    return row->read(survivors, axes, spec);
}

ElementsMade sparseMade(const FormSpec &spec)
{
    const FormEncoder *survivors = survivorsEncoder(spec);
    ElementsMade made = survivors != nullptr ? survivors->made(spec) : ElementsMade();
    made.masked = true;
    return made;
}

bool sparseSymmetric(const FormSpec &spec)
{
    const FormEncoder *survivors = survivorsEncoder(spec);
    return survivors == nullptr || survivors->symmetric(spec);
}

} // namespace

extern const FormEncoder kSparseEncoder;
const FormEncoder kSparseEncoder{
    .node = FormNode::Sparse,
    .word = "sparse",
    .prefixes = kSparsePrefixes,
    .examples = "sparse-0.5, sparse-2:4, sparse-0.5+palette4",
    .reads = {.mask = true},
    .encode = encodeAsSparse,
    .describe = describeSparse,
    .name = sparseName,
    .read = readSparse,
    .made = sparseMade,
    .symmetric = sparseSymmetric,
};

} // namespace kernscope::codec
