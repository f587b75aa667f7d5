// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/kernel_format.h"
#include "core/format/record_fields.h"
#include "core/lanes/deal.h"

/// The weight-section container (.ksec), version 1 (resources/formats/weight-sections.md): kernel
/// units, one a core, with the six sections of listing 25.1.
namespace kernscope::section {

inline constexpr std::uint64_t kHeaderBytes = 64;
inline constexpr std::uint64_t kUnitBytes = 320;
inline constexpr std::uint64_t kRecordWords = 14;
inline constexpr std::uint64_t kRecordBytes = 4 * kRecordWords;
inline constexpr std::uint64_t kAlignment = 64;
inline constexpr std::uint32_t kMaxUnits = 65536;
inline constexpr std::uint32_t kUnresolved = 0xFFFFFFFF;
inline constexpr std::uint32_t kResolvedFlag = 1; ///< header flag: the slots hold addresses

using Kind = format::KernelUnit::SectionId; ///< lut, pal, ocgs, scale, bias, weights
inline constexpr std::size_t kKinds = format::KernelUnit::kSections;

/// Flags of a unit.
enum UnitFlag : std::uint32_t {
    ReplicatedPerCore = 1U << 0,
    SharedKernelMemory = 1U << 1,
    VectorPalette = 1U << 2,
    Mutable = 1U << 3,
    SparseOperand = 1U << 4,
    Asymmetric = 1U << 5,
};
/// "replicated", "shared", …: the set bits.
std::vector<std::string_view> unitFlagNames(std::uint32_t flags);

/// One of a unit's six sections. Absent: bytes 0.
struct Entry {
    std::uint32_t type = 0, bitDepth = 0, count = 0, paletteFormat = 0;
    std::uint64_t offset = 0; ///< from the start of the payload
    std::uint64_t bytes = 0;
    friend bool operator==(const Entry &, const Entry &) = default;
};

/// One output-channel group of one core.
struct GroupRecord {
    std::array<std::uint32_t, kRecordWords> words{};
    std::uint32_t offset() const { return words[0]; }   ///< of its coefficients in `weights`
    std::uint32_t channels() const { return words[1]; } ///< on this core
    friend bool operator==(const GroupRecord &, const GroupRecord &) = default;
};
/// What the loader fills into the words of a record: resources/tables/section_slots.csv.
struct RecordSlot {
    std::size_t word = 0;
    std::string name; ///< "input tile", "coefficients 0", "bias", …
    std::uint32_t enable = 0, base = 0, relocation = 0; ///< stream registers; 0 where it has none
};
std::span<const RecordSlot> recordSlots(); ///< words 2 to 11

struct Unit {
    std::uint32_t type = 0, kernelFormat = 0;
    std::uint64_t payload = 0, payloadBytes = 0; ///< from the start of the file
    std::uint32_t core = 0, cores = 1;
    std::uint32_t outputs = 1, inputs = 1, depth = 1, height = 1, width = 1, groups = 1;
    std::uint32_t flags = 0, vectorSize = 1;
    std::uint32_t nameOffset = 0, nameBytes = 0;
    std::array<Entry, kKinds> entries{};
    std::string name;
    std::vector<GroupRecord> records;
    std::optional<Error> fault; ///< why it cannot be decoded

    const Entry &entry(Kind kind) const { return entries[kind]; }
    bool has(Kind kind) const { return entries[kind].bytes != 0; }
    /// Where a section lies in the file; sound units only.
    ByteRange range(Kind kind) const
    {
        return {FileOffset(payload + entries[kind].offset), ByteCount(entries[kind].bytes)};
    }
    std::uint64_t steps() const { return std::uint64_t{inputs} * depth * height * width; }
    std::uint64_t channels() const; ///< sum of its records'
    bool sparse() const { return (flags & SparseOperand) != 0; }
    /// A core that has no channel of the weight: its sections are absent.
    bool idle() const { return !has(Kind::Weights) && channels() == 0; }
};

/// The units of one weight, by core, and how its channels are dealt.
struct UnitGroup {
    std::string name;
    std::vector<std::size_t> units; ///< by core; of a sound group those with channels
    std::vector<std::size_t> idle;  ///< of a sound group: the cores behind, which have none
    std::vector<lanes::Chunk> chunks;
    std::optional<Error> fault;
};

struct WeightSection {
    std::uint16_t version = 1, flags = 0;
    std::uint32_t codegen = 0; ///< instruction-set (descriptor) version
    std::string target;
    std::uint64_t unitTable = 0, pool = 0, poolBytes = 0, fileBytes = 0;
    std::vector<Unit> units;
    std::vector<UnitGroup> groups; ///< in the order of their first units
    Diagnostics diagnostics;

    bool resolved() const { return (flags & kResolvedFlag) != 0; }
};

/// True where the bytes begin with the magic.
bool isSection(std::span<const std::byte> bytes);

/// Reads the tables (header, units, records); no coefficient is touched. Faults of units are rows
/// in diagnostics and the units' own. Errors: "section.magic", "section.header" (version, a table,
/// pool or size that does not fit the file).
/// Diagnostics: "section.unit", "section.entry", "section.record", "section.reserved",
/// "section.palette", "section.group".
Result<WeightSection> readSection(std::span<const std::byte> bytes, const std::string &file);

/// Writes header, unit table, names and records from the model, all other bytes from `source`:
/// reading and writing gives the same bytes. Errors: "section.write".
Result<std::vector<std::byte>> writeSection(const WeightSection &section,
                                            std::span<const std::byte> source);

/// Checks that need the payload: mask populations. Diagnostics: "section.mask".
Diagnostics verifySection(const WeightSection &section, std::span<const std::byte> bytes,
                          const std::string &file);

/// Listing 25.1 of a unit: `s` is the offset of its payload.
format::KernelUnit kernelUnit(const Unit &unit);
/// The listing of every unit, with its records and slots as a table.
std::string listing(const WeightSection &section);

/// Where a loader puts things. Sections lie in memory as in the file, from `base` on.
struct LoadAddresses {
    std::uint64_t base = 0; ///< a multiple of 64
    std::optional<std::uint64_t> inputTile, outputTile;
};
/// Fills the slots whose target is known: the tiles where given, the coefficients (slot 4; what the
/// other three sub-buffers hold is not published), bias, post-scale, palette, activation table.
/// The rest stays unresolved. Errors: "section.address" (not aligned, or past 32 bits, which is
/// what a slot holds), "section.record" (a faulty unit).
Result<void> relocate(WeightSection &section, const LoadAddresses &addresses);
/// Takes the addresses back: every slot unresolved.
void strip(WeightSection &section);

/// The field of a weight section's tables that holds a byte: of the header, of a unit, of an
/// output-channel group's record ("w core 2, record 1: address slot: bias (uint32)"). Nothing where
/// no table names one (names, payloads, padding).
std::optional<format::PlacedField> fieldAt(const WeightSection &section, FileOffset offset);

} // namespace kernscope::section
