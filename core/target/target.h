// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
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

} // namespace kernscope::target
