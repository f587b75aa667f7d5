// SPDX-License-Identifier: GPL-3.0-or-later
// The forms that are tried for a weight: what an encoder is asked for, and the bytes that it makes.
#include "core/assessment/assess.h"
#include "core/assessment/choose_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kernscope {

namespace {

constexpr std::array<std::string_view, 5> kCandidates{"palette4", "palette8", "sparse", "int8",
                                                      "blockwise"};

/// Of a scale, an entry of a codebook or a kept value.
std::uint64_t numberBytes(const decision::WeightForm &form)
{
    return form.wide ? 4 : 2;
}

/// Bytes of a blockwise weight: the codes, and scales of `number` bytes.
std::uint64_t blockwiseBytes(const codec::FormSpec &spec, const Shape &shape, std::uint64_t codes,
                             std::uint64_t number)
{
    const auto scales = elementCount(codec::blockScales(shape, spec.blockwise));
    return codes + number * (scales ? scales->value : 0); // no more than codes: known of them
}

/// Bytes of int8 codes with a scale and a zero point, a byte, for each output channel.
std::uint64_t affineBytes(const codec::FormSpec &spec, const Shape &shape, std::uint64_t codes,
                          std::uint64_t number)
{
    return codes + (number + 1) * (spec.affine.axis ? shape[*spec.affine.axis] : 1);
}

/// A bit for each element, and the values that are kept.
std::uint64_t sparseBytes(std::uint64_t elements, double density, std::uint64_t number)
{
    const double kept = density * static_cast<double>(elements);
    return elements / 8 + (elements % 8 == 0 ? 0 : 1) +
           number * static_cast<std::uint64_t>(std::llround(kept));
}

/// The share of the elements that an encoder of the sparse form keeps.
std::optional<double> keptBySparse(const decision::WeightForm &form)
{
    return form.nonzero ? form.nonzero : form.density;
}

} // namespace

std::optional<codec::FormSpec> formSpecOf(std::string_view form, const Shape &shape,
                                          const ChannelAxes &axes)
{
    codec::FormSpec spec;
    if (form == "palette4" || form == "palette8") {
        spec.node = FormNode::Palette;
        spec.palette.bits = form == "palette4" ? 4 : 8;
    } else if (form == "int8") {
        spec.node = FormNode::Affine;
        if (shape.empty())
            spec.affine.axis.reset();
    } else if (form == "sparse") {
        spec.node = FormNode::Sparse;
    } else if (form == "blockwise") {
        if (shape.size() < 2 || axes.input >= shape.size())
            return std::nullopt;
        spec.node = FormNode::Blockwise;
        spec.blockwise.block = kCandidateBlock;
        while (shape[axes.input] % spec.blockwise.block != 0)
            spec.blockwise.block /= 2;
    } else if (form == "dense") {
        spec.node = FormNode::Dense;
    } else {
        return std::nullopt;
    }
    return alongChannels(std::move(spec), axes);
}

namespace roofline {

using decision::WeightForm;

std::span<const std::string_view> candidateForms()
{
    return kCandidates;
}

std::optional<WeightForm> sizedForm(const WeightForm &form, std::string_view key)
{
    const auto spec = formSpecOf(key, form.shape, form.axes);
    if (!spec)
        return std::nullopt;
    WeightForm other;
    other.use = form.use;
    other.shape = form.shape;
    other.axes = form.axes;
    other.wide = form.wide;
    const std::uint64_t number = numberBytes(form);
    other.elements = form.elements;
    other.denseBytes = form.denseBytes;
    other.density = form.density;
    const std::uint64_t n = form.elements;
    switch (spec->node) {
    case FormNode::Palette:
        other.node = FormNode::Palette;
        other.bits = spec->palette.bits;
        other.storedBytes = (other.bits == 4 ? n / 2 + n % 2 : n) + (number << other.bits);
        break;
    case FormNode::Affine:
    case FormNode::Blockwise:
        other.node = spec->node;
        other.bits = 8;
        other.element = ElementType::Int8;
        other.storedBytes = spec->node == FormNode::Affine
                                ? affineBytes(*spec, form.shape, n, number)
                                : blockwiseBytes(*spec, form.shape, n, number);
        break;
    case FormNode::Sparse:
        other.density = keptBySparse(form);
        if (!other.density)
            return std::nullopt;
        other.masked = true;
        other.storedBytes = sparseBytes(n, *other.density, number);
        break;
    default: other.storedBytes = form.denseBytes; break; // dense
    }
    return other;
}

std::optional<WeightForm> asForm(const WeightForm &form, std::string_view key)
{
    if (key == "sparse" && keptBySparse(form).value_or(1) > 0.5)
        return std::nullopt;
    return sizedForm(form, key);
}

} // namespace roofline

} // namespace kernscope
