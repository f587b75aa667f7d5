// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/form_name.h"

#include "core/base/csv.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::plan {

namespace {

using codec::FormSpec;

constexpr std::string_view kExpected =
    "a form such as keep, dense, int8, int8-offset, palette4, palette4-g8, palette4-v2, "
    "blockwise-int4-32, sparse-0.5, sparse-2:4 or sparse-0.5+palette4";

std::string paletteName(const codec::PaletteOptions &palette)
{
    std::string name = fmt::format("palette{}", palette.bits);
    if (palette.groups != 1)
        name += fmt::format("-g{}", palette.groups);
    if (palette.vector != 1)
        name += fmt::format("-v{}", palette.vector);
    if (palette.entryType == ElementType::Int8)
        name += "-int8";
    if (palette.entryType == ElementType::Fp8E4M3Fn)
        name += "-e4m3";
    return name;
}

std::string blockwiseName(const codec::BlockwiseOptions &blocks)
{
    return fmt::format("blockwise-{}-{}{}", elementTypeName(blocks.codeType), blocks.block,
                       blocks.withOffset && isSignedInteger(blocks.codeType) ? "-offset" : "");
}

std::string affineName(const codec::AffineOptions &affine)
{
    std::string name(elementTypeName(affine.codeType));
    if (!affine.axis)
        name += "-tensor";
    if (!affine.symmetric)
        name += "-offset";
    return name;
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
    if (spec.survivors == FormNode::Palette)
        name += "+" + paletteName(spec.palette);
    if (spec.survivors == FormNode::Blockwise)
        name += "+" + blockwiseName(spec.blockwise);
    return name;
}

/// Takes "-" and the next word from the front.
std::string_view nextWord(std::string_view &rest)
{
    if (!rest.starts_with('-'))
        return {};
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find('-'));
    rest.remove_prefix(word.size());
    return word;
}

std::optional<std::uint64_t> positive(std::string_view text)
{
    const bool digits =
        !text.empty() && text.size() < 10 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const auto number = digits ? parseInteger(text) : std::nullopt;
    return number && *number > 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                 : std::nullopt;
}

bool readPalette(std::string_view name, codec::PaletteOptions &palette)
{
    name.remove_prefix(std::string_view("palette").size());
    const auto bits = positive(name.substr(0, name.find('-')));
    if (!bits)
        return false;
    palette.bits = static_cast<unsigned>(*bits);
    name.remove_prefix(std::min(name.find('-'), name.size()));
    while (!name.empty()) {
        const std::string_view word = nextWord(name);
        if (word == "int8") {
            palette.entryType = ElementType::Int8;
        } else if (word == "e4m3") {
            palette.entryType = ElementType::Fp8E4M3Fn;
        } else {
            const auto number = word.empty() ? std::nullopt : positive(word.substr(1));
            if (!number || (word.front() != 'g' && word.front() != 'v'))
                return false;
            (word.front() == 'g' ? palette.groups : palette.vector) = *number;
        }
    }
    const bool vectors = palette.vector < 6 && ((0x36U >> palette.vector) & 1U) != 0; // chapter 25
    return vectors && unsignedType(palette.bits) != ElementType::Unknown;
}

bool readBlockwise(std::string_view name, const Axes &axes, codec::BlockwiseOptions &blocks)
{
    name.remove_prefix(std::string_view("blockwise").size());
    const std::string_view type = nextWord(name);
    if (type != "int4" && type != "uint4" && type != "int8" && type != "uint8")
        return false;
    blocks.codeType = elementTypeFromName(type);
    const auto block = positive(nextWord(name));
    if (!block || (!name.empty() && name != "-offset"))
        return false;
    blocks.block = *block;
    blocks.axis = axes.input;
    blocks.channels = axes.output;
    blocks.withOffset = !name.empty() || !isSignedInteger(blocks.codeType);
    return true;
}

bool readAffine(std::string_view name, const Axes &axes, codec::AffineOptions &affine)
{
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

bool readMask(std::string_view name, const Axes &axes, FormSpec &spec)
{
    name.remove_prefix(std::string_view("sparse").size());
    if (name.empty())
        return true;
    if (!name.starts_with('-'))
        return false;
    name.remove_prefix(1);
    if (const auto colon = name.find(':'); colon != name.npos) {
        const auto keep = positive(name.substr(0, colon));
        const auto of = positive(name.substr(colon + 1));
        if (!keep || !of || *keep > *of)
            return false;
        spec.pattern = codec::SparsePattern{*keep, *of, axes.input};
        return true;
    }
    spec.density = parseNumber(name);
    return spec.density && *spec.density > 0 && *spec.density <= 1;
}

bool readSparse(std::string_view name, const Axes &axes, FormSpec &spec)
{
    const auto plus = name.find('+');
    if (!readMask(name.substr(0, plus), axes, spec))
        return false;
    if (plus == name.npos)
        return true;
    const std::string_view survivors = name.substr(plus + 1);
    if (survivors.starts_with("palette")) {
        spec.survivors = FormNode::Palette;
        return readPalette(survivors, spec.palette);
    }
    spec.survivors = FormNode::Blockwise;
    return survivors.starts_with("blockwise") && readBlockwise(survivors, axes, spec.blockwise);
}

bool readForm(std::string_view name, const Axes &axes, FormSpec &spec)
{
    if (name == "dense")
        return true;
    if (name.starts_with("palette")) {
        spec.node = FormNode::Palette;
        return readPalette(name, spec.palette);
    }
    if (name.starts_with("blockwise")) {
        spec.node = FormNode::Blockwise;
        return readBlockwise(name, axes, spec.blockwise);
    }
    if (name.starts_with("sparse")) {
        spec.node = FormNode::Sparse;
        return readSparse(name, axes, spec);
    }
    spec.node = FormNode::Affine;
    return (name.starts_with("int8") || name.starts_with("uint8")) &&
           readAffine(name, axes, spec.affine);
}

void describeBlocks(const codec::BlockwiseOptions &blocks, decision::WeightForm &form)
{
    form.node = FormNode::Blockwise;
    form.element = blocks.codeType;
    form.bits = bitWidth(blocks.codeType);
    form.zeroPoint = blocks.withOffset;
}

void describeEntries(const codec::PaletteOptions &palette, decision::WeightForm &form)
{
    form.node = FormNode::Palette;
    form.bits = palette.bits;
    form.vectorSize = palette.vector;
    form.codebooks = palette.groups;
    form.element = palette.entryType;
}

} // namespace

std::string formName(const FormSpec &spec)
{
    switch (spec.node) {
    case FormNode::Dense: return "dense";
    case FormNode::Affine: return affineName(spec.affine);
    case FormNode::Palette: return paletteName(spec.palette);
    case FormNode::Sparse: return sparseName(spec);
    case FormNode::Blockwise: return blockwiseName(spec.blockwise);
    case FormNode::Microscaled:
    case FormNode::ActivationTable:
    case FormNode::Unknown: break;
    }
    return {};
}

Result<FormSpec> formFromName(std::string_view name, const Axes &axes)
{
    FormSpec spec;
    if (readForm(name, axes, spec))
        return spec;
    return refused("plan.form", "form", std::string(kExpected), std::string(name),
                   "There is no form of this name");
}

std::string storedFormName(const decision::WeightForm &form)
{
    return form.key();
}

decision::WeightForm proposedForm(const FormSpec &spec, const decision::WeightForm &stored,
                                  ElementType type)
{
    decision::WeightForm form;
    form.element = type;
    form.bits = bitWidth(type);
    form.use = stored.use;
    form.shape = stored.shape;
    form.elements = stored.elements;
    form.storedBytes = stored.storedBytes;
    form.denseBytes = stored.denseBytes;
    switch (spec.node) {
    case FormNode::Dense: break;
    case FormNode::Affine:
        form.node = FormNode::Affine;
        form.element = spec.affine.codeType;
        form.bits = 8;
        form.zeroPoint = !spec.affine.symmetric || !isSignedInteger(spec.affine.codeType);
        break;
    case FormNode::Palette: describeEntries(spec.palette, form); break;
    case FormNode::Blockwise: describeBlocks(spec.blockwise, form); break;
    case FormNode::Sparse:
        form.masked = true;
        if (spec.survivors == FormNode::Palette)
            describeEntries(spec.palette, form);
        if (spec.survivors == FormNode::Blockwise)
            describeBlocks(spec.blockwise, form);
        break;
    case FormNode::Microscaled:
    case FormNode::ActivationTable:
    case FormNode::Unknown: break;
    }
    return form;
}

} // namespace kernscope::plan
