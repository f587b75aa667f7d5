// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernscope::format {

/// One section of a kernel unit. Fields that a section does not have stay 0.
struct UnitSection {
    TypeNumber type;                 ///< element type number (8: the lookup-table tag)
    std::uint32_t paletteFormat = 0; ///< pal only: 7 to 27
    std::uint32_t bitDepth = 0;
    std::uint64_t count = 0; ///< codebooks, records, channels or elements
    std::uint64_t bytes = 0;
    friend bool operator==(const UnitSection &, const UnitSection &) = default;
};

/// The descriptor of one kernel unit, listing 25.1: what the compiled weight section holds.
struct KernelUnit {
    enum SectionId : std::uint8_t { Lut, Pal, Ocgs, Scale, Bias, Weights };
    static constexpr std::size_t kSections = 6;

    std::uint32_t type = 0;   ///< t%u
    std::uint64_t offset = 0; ///< s%lu
    std::array<std::optional<UnitSection>, kSections> sections;
    friend bool operator==(const KernelUnit &, const KernelUnit &) = default;
};

/// "lut", "pal", "ocgs", "scale", "bias", "weights"
std::string_view unitSectionName(KernelUnit::SectionId section);

/// The text of listing 25.1: `t1 = s64`, then a line a section with its tuple and a comment.
/// lut (typeno, bitdepth, bytes); pal (palette_format, bitdepth, num_luts, bytes); the others
/// (typeno, bitdepth, count, bytes). A section that is absent has an empty tuple.
std::string printKernelUnit(const KernelUnit &unit);

} // namespace kernscope::format
