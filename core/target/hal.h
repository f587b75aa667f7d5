// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

/// The hardware-abstraction table that the compiler reads per chip. Two compilers lay it out
/// differently; an offset means nothing without its layout, and the two are never mixed.
namespace kernscope::target {

enum class HalLayout : std::uint8_t {
    Chapters, ///< compiler 9.509: the offsets of chapters 7, 20, 25 and 36
    Later,    ///< compiler 10.26.6
};
/// "9.509" or "10.26.6".
std::string_view halLayoutName(HalLayout layout);

/// Bytes from the start of the table.
struct HalOffset {
    std::uint32_t value = 0;
    friend constexpr auto operator<=>(HalOffset, HalOffset) = default;
};
std::string halOffsetText(HalOffset offset); ///< "0x48f"

struct HalField {
    HalLayout layout = HalLayout::Chapters;
    HalOffset offset;
    std::string name;
    bool isByte = false; ///< a capability byte, read as `hal[offset] & 1`; otherwise a scalar
    std::string source;
    Confidence confidence = Confidence::Documented;
    std::string note;
};
/// By layout, then offset.
std::span<const HalField> halFields();

struct HalValue {
    std::string text;                   ///< as the source has it: "2097152", "Simple"
    std::optional<std::int64_t> number; ///< where it is one
    std::string scope;                  ///< target or family that it was read for; "*": all 28
    std::string source;
    Confidence confidence = Confidence::Documented;
};
/// What is known of a field on a target; nothing where it is unknown, which is not 0. The value of
/// the target itself goes before its family's, and that before one of all targets.
const HalValue *halValue(const Target &target, HalLayout layout, HalOffset offset);
/// `hal[offset] & 1` in the chapters' layout; nothing where it is unknown.
std::optional<bool> halBit(const Target &target, HalOffset offset);

/// Facts beside the table: clocks, memories, flags of the build.
struct ChipFact {
    std::string place, name, target, value, source;
    Confidence confidence = Confidence::Documented;
};
std::span<const ChipFact> chipFacts();

namespace hal {
inline constexpr HalOffset kAccumulators{0x00c};
inline constexpr HalOffset kWorkingSet{0x1b8};
inline constexpr HalOffset kDenseCap{0x200};
inline constexpr HalOffset kStreamedCap{0x210};
inline constexpr HalOffset kCores{0x238};
inline constexpr HalOffset kTinySource{0x338};
inline constexpr HalOffset kCollective{0x48b};
inline constexpr HalOffset kStreamingMaster{0x48f};
inline constexpr HalOffset kPaletteGate{0x529};
inline constexpr HalOffset kE4m3{0x52d};
inline constexpr HalOffset kE5m2{0x52e};
inline constexpr HalOffset kWinograd{0x680};
inline constexpr HalOffset kLaterDenseCap{0x220};    ///< in HalLayout::Later
inline constexpr HalOffset kLaterStreamedCap{0x230}; ///< in HalLayout::Later
inline constexpr HalOffset kLaterWorkingSet{0x1d8};  ///< in HalLayout::Later
} // namespace hal

/// What CheckValidDMAFormat says of a tensor format on a target (chapter 36).
struct DmaFormat {
    std::optional<HalOffset> byte; ///< the capability byte that it asks; empty: none
    std::optional<bool> valid;     ///< empty: the byte, or the rule for the code, is not known
};

/// Codes below 0xb are always valid; fp32 asks the byte 0x52c, E4M3 0x52d, E5M2 0x52e and the
/// two-byte live format 0x685. Of other codes the chapter says nothing.
DmaFormat checkDmaFormat(const Target &target, format::TensorFormat tensorFormat);

} // namespace kernscope::target
