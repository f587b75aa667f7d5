// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_encoder.h"
#include "core/numeric/element_type.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::array<std::string_view, 1> kPalettePrefixes{"palette"};

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
    name.remove_prefix(kPalettePrefixes.front().size());
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

} // namespace

extern const FormEncoder kPaletteEncoder;
const FormEncoder kPaletteEncoder{
    .node = FormNode::Palette,
    .word = "palette",
    .prefixes = kPalettePrefixes,
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

} // namespace kernscope::codec
