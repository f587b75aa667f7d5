// SPDX-License-Identifier: GPL-3.0-or-later
// What is encoded: a row a form. A new one is a block of its functions, its row, and its name among
// kEncoders.
#include "core/codec/encode/form_encoder.h"

#include "core/base/csv.h"
#include "core/numeric/element_type.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

std::string describeDense(const FormSpec &spec)
{
    return fmt::format("dense {}", elementTypeName(spec.denseType));
}

const FormEncoder kDenseEncoder{
    .node = FormNode::Dense,
    .word = "dense",
    .examples = "dense",
    .encode = [](std::span<const float> values, const Shape &shape, const FormSpec &spec,
                 std::span<const float>) { return encodeDense(values, shape, spec.denseType); },
    .describe = describeDense,
    .name = [](const FormSpec &) { return std::string("dense"); },
    .read = [](std::string_view name, const EncodedAxes &, FormSpec &) { return name == "dense"; },
    .made = [](const FormSpec &) { return ElementsMade(); },
    .symmetric = [](const FormSpec &) { return true; },
};

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

std::string describePalette(const FormSpec &spec)
{
    const PaletteOptions &options = spec.palette;
    std::string text = fmt::format("palette {} bit", options.bits);
    if (options.groups != 1)
        text += fmt::format(", {} codebooks", options.groups);
    if (options.vector != 1)
        text += fmt::format(", vectors of {}", options.vector);
    if (options.entryType != ElementType::Fp16)
        text += fmt::format(", {} entries", elementTypeName(options.entryType));
    return text;
}

std::string paletteName(const FormSpec &spec)
{
    const PaletteOptions &palette = spec.palette;
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

bool readPalette(std::string_view name, const EncodedAxes &, FormSpec &spec)
{
    PaletteOptions &palette = spec.palette;
    name.remove_prefix(std::string_view("palette").size());
    const auto bits = positiveNumber(name.substr(0, name.find('-')));
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
            const auto number = word.empty() ? std::nullopt : positiveNumber(word.substr(1));
            if (!number || (word.front() != 'g' && word.front() != 'v'))
                return false;
            (word.front() == 'g' ? palette.groups : palette.vector) = *number;
        }
    }
    return isPaletteVector(palette.vector) && unsignedType(palette.bits) != ElementType::Unknown;
}

ElementsMade paletteMade(const FormSpec &spec)
{
    return {.node = FormNode::Palette,
            .type = spec.palette.entryType,
            .bits = spec.palette.bits,
            .vectorSize = spec.palette.vector,
            .codebooks = spec.palette.groups};
}

const FormEncoder kPaletteEncoder{
    .node = FormNode::Palette,
    .word = "palette",
    .examples = "palette4, palette4-g8, palette4-v2",
    .reads = {.palette = true},
    .encode =
        [](std::span<const float> values, const Shape &shape, const FormSpec &spec,
           std::span<const float> masses) {
            return encodePalette(values, shape, spec.palette, masses);
        },
    .encodeKept =
        [](std::span<const float> values, const EncodedWeight &sparse, const FormSpec &spec,
           std::span<const float> masses) {
            return encodeSparsePalette(values, sparse, spec.palette, masses);
        },
    .describe = describePalette,
    .name = paletteName,
    .read = readPalette,
    .made = paletteMade,
    .symmetric = [](const FormSpec &) { return true; },
};

// A mask, and the elements that it keeps: as they are, or coded by another encoder.

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
    name.remove_prefix(std::string_view("sparse").size());
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

const FormEncoder kSparseEncoder{
    .node = FormNode::Sparse,
    .word = "sparse",
    .examples = "sparse-0.5, sparse-2:4, sparse-0.5+palette4",
    .reads = {.mask = true},
    .encode = encodeAsSparse,
    .describe = describeSparse,
    .name = sparseName,
    .read = readSparse,
    .made = sparseMade,
    .symmetric = sparseSymmetric,
};

std::string describeBlockwise(const FormSpec &spec)
{
    const BlockwiseOptions &options = spec.blockwise;
    return fmt::format("blockwise {}, blocks of {} along axis {}{}",
                       elementTypeName(options.codeType), options.block, options.axis,
                       options.withOffset ? ", with offsets" : "");
}

std::string blockwiseName(const FormSpec &spec)
{
    const BlockwiseOptions &blocks = spec.blockwise;
    return fmt::format("blockwise-{}-{}{}", elementTypeName(blocks.codeType), blocks.block,
                       blocks.withOffset && isSignedInteger(blocks.codeType) ? "-offset" : "");
}

bool readBlockwise(std::string_view name, const EncodedAxes &axes, FormSpec &spec)
{
    BlockwiseOptions &blocks = spec.blockwise;
    name.remove_prefix(std::string_view("blockwise").size());
    const std::string_view type = nextWord(name);
    if (type != "int4" && type != "uint4" && type != "int8" && type != "uint8")
        return false;
    blocks.codeType = elementTypeFromName(type);
    const auto block = positiveNumber(nextWord(name));
    if (!block || (!name.empty() && name != "-offset"))
        return false;
    blocks.block = *block;
    blocks.axis = axes.input;
    blocks.channels = axes.output;
    blocks.withOffset = !name.empty() || !isSignedInteger(blocks.codeType);
    return true;
}

ElementsMade blockwiseMade(const FormSpec &spec)
{
    return {.node = FormNode::Blockwise,
            .type = spec.blockwise.codeType,
            .zeroPoint = spec.blockwise.withOffset};
}

const FormEncoder kBlockwiseEncoder{
    .node = FormNode::Blockwise,
    .word = "blockwise",
    .examples = "blockwise-int4-32",
    .reads = {.codes = true, .blocks = true},
    .encode =
        [](std::span<const float> values, const Shape &shape, const FormSpec &spec,
           std::span<const float> masses) {
            return encodeBlockwise(values, shape, spec.blockwise, masses);
        },
    .encodeKept =
        [](std::span<const float> values, const EncodedWeight &sparse, const FormSpec &spec,
           std::span<const float> masses) {
            return encodeSparseBlockwise(values, sparse, spec.blockwise, masses);
        },
    .describe = describeBlockwise,
    .name = blockwiseName,
    .read = readBlockwise,
    .made = blockwiseMade,
    .symmetric = [](const FormSpec &spec) { return !spec.blockwise.withOffset; },
};

constexpr std::array kEncoders{&kDenseEncoder, &kAffineEncoder, &kPaletteEncoder, &kSparseEncoder,
                               &kBlockwiseEncoder};

template <class Matches>
const FormEncoder *firstEncoder(const Matches &matches)
{
    const auto found =
        std::ranges::find_if(kEncoders, [&](const FormEncoder *row) { return matches(*row); });
    return found == kEncoders.end() ? nullptr : *found;
}

} // namespace

std::span<const FormEncoder *const> formEncoders()
{
    return kEncoders;
}

const FormEncoder *formEncoder(FormNode node)
{
    return firstEncoder([node](const FormEncoder &row) { return row.node == node; });
}

const FormEncoder *formEncoderOfName(std::string_view name)
{
    return firstEncoder([name](const FormEncoder &row) {
        const auto begins = [name](std::string_view prefix) { return name.starts_with(prefix); };
        return row.prefixes.empty() ? begins(row.word) : std::ranges::any_of(row.prefixes, begins);
    });
}

const FormEncoder *formEncoderOfWord(std::string_view word)
{
    return firstEncoder([word](const FormEncoder &row) { return row.word == word; });
}

std::vector<std::string> encoderWordList()
{
    std::vector<std::string> words;
    for (const FormEncoder *row : kEncoders)
        words.emplace_back(row->word);
    return words;
}

std::vector<std::string> survivorWordList()
{
    std::vector<std::string> words{"plain"};
    for (const FormEncoder *row : kEncoders) {
        if (row->encodeKept != nullptr)
            words.emplace_back(row->word);
    }
    return words;
}

std::string encoderWords()
{
    std::string words;
    for (const FormEncoder *row : kEncoders) {
        if (!words.empty())
            words += row == kEncoders.back() ? " or " : ", ";
        words += row->word;
    }
    return words;
}

std::string_view nextWord(std::string_view &rest)
{
    if (!rest.starts_with('-'))
        return {};
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find('-'));
    rest.remove_prefix(word.size());
    return word;
}

std::optional<std::uint64_t> positiveNumber(std::string_view text)
{
    const bool digits = !text.empty() && text.size() < 10 &&
                        std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    std::uint64_t number = 0;
    if (digits)
        std::from_chars(text.data(), text.data() + text.size(), number);
    return number > 0 ? std::optional(number) : std::nullopt;
}

} // namespace kernscope::codec
