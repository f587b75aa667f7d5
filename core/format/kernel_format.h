// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/format/catalogue.h"

#include <array>

/// The kernel-format enum: how a compiler names a weight's storage (chapter 25; rows and their
/// confidence in resources/tables/kernel_formats.csv).
namespace kernscope::format {

enum class KernelFormatKind : std::uint8_t { Scalar, Palette, Unity, Microscaled };
std::string_view kernelFormatKindName(KernelFormatKind kind);

struct KernelFormatRow {
    KernelFormat format;
    std::string name; ///< "fp16", "p4f16", "unityu8"
    KernelFormatKind kind = KernelFormatKind::Scalar;
    std::optional<unsigned> bits; ///< of an element, or of a palette index
    std::string underlying;       ///< "int8", "uint8", "fp16", "e4m3", …; empty where not known
    std::optional<std::uint32_t> registerValue; ///< of the kernel-configuration register
    std::optional<TypeNumber> typeNumber;
    std::optional<unsigned> sinceVersion; ///< first descriptor version that has it, where known
    Confidence confidence = Confidence::Assumed;
    std::string source, note;
};

/// The rows of resources/tables/kernel_formats.csv, in the order of their codes; find(): null where
/// there is none.
std::span<const KernelFormatRow> kernelFormats();
const KernelFormatRow *find(KernelFormat format);
/// By name, without regard to case; nothing where there is none.
const KernelFormatRow *findKernelFormat(std::string_view name);

bool isPaletteFormat(KernelFormat format);

/// Four helpers of table 25.1; the fifth is KernelFormatRow::underlying. All refuse a code without
/// a row: "format.kernel".

/// Bits of an element, or of a palette's index.
Result<unsigned> bitDepth(KernelFormat format);
/// Format of a palette's entries (int8, uint8, fp16 or e4m3 as a KernelFormat); "format.palette"
/// outside 7 to 27.
Result<KernelFormat> paletteEntryFormat(KernelFormat format);
/// Stride of one codebook (2^bits entries of `vectorSize` values) times `codebooks`;
/// "format.palette" outside 7 to 27, "format.overflow".
Result<ByteCount> paletteLutBytes(KernelFormat format, std::uint64_t codebooks,
                                  std::uint64_t vectorSize = 1);
/// Number written into the descriptor.
Result<TypeNumber> typeNumber(KernelFormat format);

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
