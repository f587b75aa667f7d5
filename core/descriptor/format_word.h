// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

/// The format register of a task, and what fp8 changed in it (chapter 36, table 36.3).
namespace kernscope::descriptor {

enum class FormatLane : std::uint8_t { Source1, Source2, Output };
/// "source 1", "source 2", "output"
std::string_view formatLaneName(FormatLane lane);

/// Where a version's encoder keeps the three formats, in its descriptor object.
struct FormatWordLayout {
    std::uint32_t offset = 0; ///< +0x48 before version 20, +0x228 from it
    unsigned laneBits = 2;    ///< of each lane: two, or three from version 20
    /// E4M3 overflow bits (bit 24: 1 saturates, 0 gives NaN), from version 20.
    std::optional<std::uint32_t> overflowSource1, overflowSource2;
    bool hasE4m3 = false;

    unsigned low(FormatLane lane) const { return laneBits * static_cast<unsigned>(lane); }
    std::uint32_t mask(FormatLane lane) const { return ((1U << laneBits) - 1) << low(lane); }
};
FormatWordLayout formatWordLayout(std::uint32_t version);

/// Why a lane has no code for a format (resources/tables/format_refusals.csv).
struct LaneRefusal {
    std::string text;
    bool quoted = false; ///< the compiler's own words, as a source has them
    std::string source;
    format::Confidence confidence = format::Confidence::Documented;
};
/// Empty where it has one.
std::optional<LaneRefusal> laneRefusal(std::uint32_t version, FormatLane lane,
                                       format::TensorFormat tensorFormat);
/// Of a format whose code sources give differently in that version: the topic of
/// format::readingsOf(), else empty.
std::string_view contestedCode(std::uint32_t version, format::TensorFormat tensorFormat);

/// The lane's bits, in place, for a tensor format of table 36.2: E4M3 gives 4, 0x20 and 0x100.
/// Errors: "descriptor.format" with the text of laneRefusal().
Result<std::uint32_t> encodeFormatLane(std::uint32_t version, FormatLane lane,
                                       format::TensorFormat tensorFormat);
/// Name of the format in a lane of the word: "fp16", "e4m3"; with both readings where the codes
/// are contested, "code 3" where none is known.
std::string decodeFormatLane(std::uint32_t version, FormatLane lane, std::uint32_t word);

/// The overflow bit in place. Errors: "descriptor.format" ("E4M3Overflow is not supported") where
/// saturation is asked of an older encoder, and for an output.
Result<std::uint32_t> encodeOverflow(std::uint32_t version, FormatLane lane, bool saturate);

} // namespace kernscope::descriptor
