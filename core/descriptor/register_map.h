// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <map>

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

/// A run of bits within a register, both ends included.
struct BitField {
    std::string name;
    unsigned low = 0, high = 31;
    format::Confidence confidence = format::Confidence::Assumed;
    std::string evidence; ///< the table's own word: "real", "printer", "words", "one_source", …

    std::uint32_t mask() const
    {
        return (high - low >= 31 ? ~0U : (1U << (high - low + 1)) - 1) << low;
    }
    std::uint32_t of(std::uint32_t value) const { return (value & mask()) >> low; }
};

/// One named register of a version (resources/tables/registers.csv).
struct Register {
    std::uint32_t address = 0; ///< byte address; in the block "Header" the offset in the header
    std::string block, name;
    std::vector<BitField> fields; ///< empty where only the place is known
    format::Confidence confidence = format::Confidence::Assumed;
    std::string evidence, source;
    bool alternative = false; ///< a source that disagrees with the row shown first
};

/// What names the registers of one descriptor version.
class RegisterMap
{
public:
    /// Rows of the version's register map; nothing where there is none.
    static const RegisterMap *of(std::uint32_t version);

    /// The register at a byte address; null where none is named.
    const Register *find(std::uint32_t address) const;
    /// What other sources call the register at that address.
    std::vector<const Register *> alternatives(std::uint32_t address) const;
    /// Fields of header word `index`; null where none are named.
    const Register *header(std::uint32_t index) const;
    std::span<const Register> registers() const { return m_registers; } ///< by address

private:
    friend std::map<std::uint32_t, RegisterMap> readRegisterMaps();
    void finish();

    std::vector<Register> m_registers; ///< by address; the row shown first before alternatives
    std::vector<Register> m_header;
};

/// What a field's value means: bytes of a stride, a format's name, half precision as a number.
/// Empty where nothing is known beyond the number.
std::string decodedField(const Register &reg, const BitField &field, std::uint32_t value,
                         std::uint32_t version);

/// Where a version keeps what every version has (resources/tables/register_roles.csv): "cin",
/// "kernel_fmt", "lane_config", "src1_base", …
struct Role {
    std::string name;
    std::uint32_t address = 0;
    BitField bits;
    std::string source;
};
/// Null where the version's place for it is not known. `version` is Version::registerMap.
const Role *roleOf(std::uint32_t version, std::string_view name);
std::span<const Role> rolesOf(std::uint32_t version);

} // namespace kernscope::descriptor
