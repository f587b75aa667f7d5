// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

/// The chips that weights are compiled for, and what their hardware-abstraction tables say. All of
/// it comes from resources/tables (targets, target_claims, target_names, hal_fields, hal_values).
namespace kernscope::target {

using format::Confidence;

/// One compiler target. Where sources disagree, the fields hold the chapters' value: the others
/// are in claims(). What is not known is empty, never 0.
struct Target {
    std::size_t index = 0;            ///< in targets()
    std::string name;                 ///< "H13"
    std::string kind;                 ///< "silicon", "reference", "legacy" or "embedded"
    std::string since;                ///< "9.509": one of the 28 of the chapters; "10.26.6": later
    std::vector<std::string> aliases; ///< "M1", "T8103", "h13"
    std::string silicon;              ///< "M1 base (T8103); A14"
    std::string product;              ///< "M1", "M1 Pro/Max/Ultra"; empty where there is none
    std::string family;               ///< "A13"; empty where it is not known
    std::optional<unsigned> familyIndex, hardwareVersion, cpuSubtype;
    std::optional<unsigned> descriptorVersion, cores;
    Confidence confidence = Confidence::Documented;
    std::string source, note;

    bool ofTheChapters() const { return since == "9.509"; }
};

/// In the order of the generations, the 28 of the chapters first.
std::span<const Target> targets();

/// A value that a source gives for a fact of a target.
struct Claim {
    std::string value;
    bool byDefault = false; ///< what Target holds
    std::string source;
    Confidence confidence = Confidence::Contested;
    std::string note;
};
/// The facts that may be contested: "cores", "descriptor_version", "hardware_version", "family",
/// "family_index", "cpusubtype". Empty where the target's own row is all that is known.
std::span<const Claim> claims(const Target &target, std::string_view fact);
/// More than one value is claimed.
bool isContested(const Target &target, std::string_view fact);

/// A target by any of its names, without regard to case: H13, M1, h13g, T8103, T6000.
struct NamedTarget {
    const Target *target = nullptr;
    struct Other {
        const Target *target = nullptr;
        std::string source;
    };
    std::string source;        ///< of the name where it is contested, else empty
    std::vector<Other> others; ///< what other sources mean by the name
};
/// Errors: "target.name" (`expected` names the nearest names).
Result<NamedTarget> findTarget(std::string_view name);

/// A figure that was chosen among claims, with where it comes from.
struct ChosenFigure {
    std::optional<unsigned> value; ///< empty: unknown
    std::string source;
    Confidence confidence = Confidence::Documented;
    bool contested = false;
};
/// What a person may choose otherwise than the chapters.
struct TargetChoice {
    std::optional<unsigned> cores, descriptorVersion;
};
/// Errors: "target.claim" (no source gives the target that many cores; `expected` lists what they
/// give), likewise for the version.
Result<ChosenFigure> cores(const Target &target, const TargetChoice &choice = {});
Result<ChosenFigure> descriptorVersion(const Target &target, const TargetChoice &choice = {});

/// Chapter 36: getDeviceInfo buckets the core count against 7, 10, 20 and 40.
struct DeviceBucket {
    unsigned bucket = 0;          ///< 1 to 5
    unsigned above = 0;           ///< counts above this fall into it
    unsigned die = 0;             ///< cores of the die of that size: 4, 8, 16, 32, 64
    std::string suffix;           ///< of the target: "", "g", "s", "c", "d"
    std::optional<unsigned> peak; ///< units; the top bucket stores 800
    std::string source;
};
std::span<const DeviceBucket> deviceBuckets();
/// Nothing for 0 cores.
const DeviceBucket *deviceBucket(unsigned cores);

/// The lowest family on which some operations are legal, MinimumFamily<N> of the compiler
/// (chapter 36; resources/tables/family_floors.csv).
struct FamilyFloor {
    std::string floor;             ///< as the source has it: "5", "5 to 7"
    std::optional<unsigned> index; ///< N; empty where a row is about several
    std::string family;            ///< "A16"
    std::string operations, source, note;
    Confidence confidence = Confidence::Documented;
};
std::span<const FamilyFloor> familyFloors();
/// Whether a target's family is at or above the floor; empty where one of them is not known.
std::optional<bool> reachesFloor(const Target &target, const FamilyFloor &floor);

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

/// A rule of resources/tables/target_rules.csv: what holds for a chip or a family of chips beside
/// the bytes of its table.
struct TargetRule {
    std::string rule, scope, value; ///< scope: a target, a family, or "*"
    std::string source, note;
    Confidence confidence = Confidence::Documented;
};
std::span<const TargetRule> targetRules();
/// The rule of that name for a target: its own, else its family's, else that of all. Nothing where
/// no source says anything.
const TargetRule *targetRule(const Target &target, std::string_view rule);

/// The chip that is judged by where none is named (rule "default_target").
const Target &defaultTarget();
/// The chip that it is set beside at first (rule "compared_target").
const Target &comparedTarget();

/// The version of the encoder by which table 25.5 goes (rule "encoder_version", else the target's
/// descriptor version); empty where neither is known.
std::optional<unsigned> encoderVersion(const Target &target);

/// Whether each core has a kernel memory of its own (M1) or all share one (from the A14 on), rule
/// "kernel_memory". Empty where no source says.
std::optional<bool> sharesKernelMemory(const Target &target);

} // namespace kernscope::target
