// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/kernel_unit.h"

#include <fmt/format.h>

namespace kernscope::format {

namespace {

struct SectionWords {
    std::string_view name, comment;
};

// Listing 25.1.
constexpr std::array<SectionWords, KernelUnit::kSections> kSections{{
    {"lut", "activation LUT (typeno, bitdepth, lut_bytes)"},
    {"pal", "palette LUT (palette_format, bitdepth, num_luts, lut_bytes)"},
    {"ocgs", "output-channel-group table (typeno, bitdepth, records, bytes)"},
    {"scale", "per-output-channel scale (typeno, bitdepth, channels, bytes)"},
    {"bias", "per-output-channel bias (typeno, bitdepth, channels, bytes)"},
    {"weights", "packed weight or index blob (typeno, bitdepth, elements, bytes)"},
}};

std::string tupleOf(KernelUnit::SectionId which, const std::optional<UnitSection> &section)
{
    if (!section)
        return "()";
    if (which == KernelUnit::Lut)
        return fmt::format("({}, {}, {})", section->type.value, section->bitDepth, section->bytes);
    const std::uint32_t first =
        which == KernelUnit::Pal ? section->paletteFormat : section->type.value;
    return fmt::format("({}, {}, {}, {})", first, section->bitDepth, section->count,
                       section->bytes);
}

} // namespace

std::string_view unitSectionName(KernelUnit::SectionId section)
{
    return kSections[section].name;
}

std::string printKernelUnit(const KernelUnit &unit)
{
    std::string text = fmt::format("t{} = s{}\n", unit.type, unit.offset);
    for (std::size_t i = 0; i < kSections.size(); ++i) {
        const auto which = static_cast<KernelUnit::SectionId>(i);
        text += fmt::format("  {:<9}{:<28}; {}\n", fmt::format("{}:", kSections[i].name),
                            tupleOf(which, unit.sections[i]), kSections[i].comment);
    }
    return text;
}

} // namespace kernscope::format
