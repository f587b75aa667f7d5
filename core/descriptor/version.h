// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Task descriptors: the words that program the engine, by descriptor version.
namespace kernscope::descriptor {

/// How the tasks of a text section follow one another.
enum class TaskWalk : std::uint8_t {
    Unknown, ///< not published: shown as raw words
    Linked,  ///< each task names the next one's offset and size (versions 5 to 7)
    Sized,   ///< each task has its size in its first word, aligned to 16 bytes (8 and later)
};

/// How a register record is written.
enum class PacketForm : std::uint8_t {
    Unknown,
    Full,   ///< byte address in 26 bits, count in six; dense only
    Packed, ///< word address in 15 bits; dense, masked and address packets
};

/// "verified", "documented", … of a table's word: real and verified are Verified; words, printer,
/// trait, one_source are Documented; inferred is Assumed; contested, contradicted are Contested.
format::Confidence confidenceOfEvidence(std::string_view evidence);

/// One row of resources/tables/descriptor_versions.csv: what a cpusubtype stands for.
struct Version {
    std::uint32_t subtype = 0;
    std::uint32_t number = 0;         ///< N of "version N"; not monotonic in time
    std::string generation;           ///< "H13"; empty where none is named
    std::vector<std::string> targets; ///< "h13", "h13g", "t1"
    std::string chips;
    std::optional<std::uint32_t> order; ///< higher is newer
    TaskWalk walk = TaskWalk::Unknown;
    PacketForm packets = PacketForm::Unknown;
    std::uint32_t headerWords = 0; ///< without the extra word
    std::uint32_t flagWord = 0;    ///< its two low bits both set: one extra word follows
    std::uint32_t prefixWords = 0; ///< before the first task of a stream
    bool carriesState = false;     ///< registers that a task does not write keep their value
    std::uint32_t registerMap = 0; ///< version whose rows of registers.csv name them; 0: none
    format::Confidence confidence = format::Confidence::Assumed;
    std::string source, note;

    bool known() const { return walk != TaskWalk::Unknown && packets != PacketForm::Unknown; }
};

std::span<const Version> versions();
/// Of a header's cpusubtype; nothing for one that no row has.
const Version *versionOfSubtype(std::uint32_t subtype);
/// Of a target by its name, "H13"; nothing where no row names it.
const Version *versionOfTarget(std::string_view target);

} // namespace kernscope::descriptor
