// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::descriptor {

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
