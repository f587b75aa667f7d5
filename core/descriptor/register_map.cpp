// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/register_map.h"

#include "core/base/find.h"
#include "core/base/parts.h"
#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::descriptor {

namespace {

std::vector<Version> readVersions()
{
    return tables::loadRows<Version>(
        "descriptor_versions",
        {{"subtype", &Version::subtype},
         {"version", &Version::number},
         {"generation", &Version::generation},
         {"targets", [](Version &row, std::string_view cell) { row.targets = partsOf(cell, ' '); }},
         {"chips", &Version::chips},
         {"order", &Version::order},
         {"walk",
          [](Version &row, std::string_view cell) {
              row.walk = cell == "linked"  ? TaskWalk::Linked
                         : cell == "sized" ? TaskWalk::Sized
                                           : TaskWalk::Unknown;
          }},
         {"packets",
          [](Version &row, std::string_view cell) {
              row.packets = cell == "full"     ? PacketForm::Full
                            : cell == "packed" ? PacketForm::Packed
                                               : PacketForm::Unknown;
          }},
         {"header_words", &Version::headerWords},
         {"flag_word", &Version::flagWord},
         {"prefix_words", &Version::prefixWords},
         {"carries", &Version::carriesState},
         {"register_map", &Version::registerMap},
         {"confidence",
          [](Version &row, std::string_view cell) { row.confidence = confidenceOfEvidence(cell); }},
         {"source", &Version::source},
         {"note", &Version::note}});
}

std::uint32_t numberIn(const CsvTable &csv, std::size_t row, std::size_t column)
{
    return static_cast<std::uint32_t>(parseInteger(csv.cell(row, column)).value_or(0));
}

/// Columns of registers.csv, in its order.
enum Column : std::uint8_t {
    Version_,
    Block,
    Address,
    Name,
    FieldName,
    Low,
    High,
    Evidence,
    Source
};

bool disagrees(std::string_view name)
{
    return name.find("(alt") != std::string_view::npos;
}

Register registerIn(const CsvTable &csv, std::size_t row)
{
    Register reg;
    reg.address = numberIn(csv, row, Address);
    reg.block = csv.cell(row, Block);
    reg.name = csv.cell(row, Name);
    reg.evidence = csv.cell(row, Evidence);
    reg.confidence = confidenceOfEvidence(reg.evidence);
    reg.source = csv.cell(row, Source);
    reg.alternative = disagrees(reg.name);
    return reg;
}

void addField(const CsvTable &csv, std::size_t row, Register &reg)
{
    if (csv.cell(row, FieldName).empty())
        return;
    BitField field;
    field.name = csv.cell(row, FieldName);
    field.low = numberIn(csv, row, Low);
    field.high = csv.cell(row, High).empty() ? 31 : numberIn(csv, row, High);
    field.evidence = csv.cell(row, Evidence);
    field.confidence = confidenceOfEvidence(field.evidence);
    if (field.low <= field.high && field.high < 32)
        reg.fields.push_back(std::move(field));
}

const Register *firstAt(const std::vector<Register> &list, std::uint32_t address)
{
    const auto at = std::lower_bound(
        list.begin(), list.end(), address,
        [](const Register &reg, std::uint32_t wanted) { return reg.address < wanted; });
    return at == list.end() || at->address != address ? nullptr : &*at;
}

std::map<std::uint32_t, std::vector<Role>> readRoles()
{
    std::map<std::uint32_t, std::vector<Role>> roles;
    const auto csv = tables::load("register_roles");
    if (!csv)
        return roles;
    for (std::size_t row = 0; row < csv->rows(); ++row) {
        const auto cell = [&](std::string_view column) {
            return static_cast<std::uint32_t>(parseInteger(csv->cell(row, column)).value_or(0));
        };
        Role role;
        role.name = csv->cell(row, "role");
        role.address = cell("address");
        role.bits.name = role.name;
        role.bits.low = std::min(cell("low"), 31U);
        role.bits.high = std::clamp(cell("high"), role.bits.low, 31U);
        role.bits.evidence = csv->cell(row, "confidence");
        role.bits.confidence = confidenceOfEvidence(role.bits.evidence);
        role.source = csv->cell(row, "source");
        roles[cell("version")].push_back(std::move(role));
    }
    return roles;
}

} // namespace

format::Confidence confidenceOfEvidence(std::string_view evidence)
{
    if (evidence == "real" || evidence == "verified")
        return format::Confidence::Verified;
    if (evidence == "contested" || evidence == "contradicted")
        return format::Confidence::Contested;
    if (evidence == "inferred" || evidence == "assumed" || evidence.empty())
        return format::Confidence::Assumed;
    return format::Confidence::Documented;
}

std::span<const Version> versions()
{
    static const auto rows = readVersions();
    return rows;
}

const Version *versionOfSubtype(std::uint32_t subtype)
{
    const auto rows = versions();
    return findBy(rows, &Version::subtype, subtype);
}

std::map<std::uint32_t, RegisterMap> readRegisterMaps()
{
    std::map<std::uint32_t, RegisterMap> maps;
    const auto csv = tables::load("registers");
    if (!csv || csv->columns().size() <= Source)
        return maps;
    for (std::size_t row = 0; row < csv->rows(); ++row) {
        RegisterMap &map = maps[numberIn(*csv, row, Version_)];
        auto &list = csv->cell(row, Block) == "Header" ? map.m_header : map.m_registers;
        const auto address = numberIn(*csv, row, Address);
        const bool same = !list.empty() && list.back().address == address &&
                          list.back().name == csv->cell(row, Name);
        if (!same)
            list.push_back(registerIn(*csv, row));
        addField(*csv, row, list.back());
    }
    for (auto &[version, map] : maps)
        map.finish();
    return maps;
}

/// Sorts by address, the row shown first in front: no dissenting one, then one with fields.
void RegisterMap::finish()
{
    const auto before = [](const Register &a, const Register &b) {
        if (a.address != b.address)
            return a.address < b.address;
        if (a.alternative != b.alternative)
            return b.alternative;
        return a.fields.size() > b.fields.size();
    };
    std::ranges::stable_sort(m_registers, before);
    std::ranges::stable_sort(m_header, before);
}

const RegisterMap *RegisterMap::of(std::uint32_t version)
{
    static const auto maps = readRegisterMaps();
    const auto at = maps.find(version);
    return at == maps.end() ? nullptr : &at->second;
}

const Register *RegisterMap::find(std::uint32_t address) const
{
    return firstAt(m_registers, address);
}

std::vector<const Register *> RegisterMap::alternatives(std::uint32_t address) const
{
    std::vector<const Register *> found;
    const Register *first = find(address);
    if (first == nullptr)
        return found;
    const Register *end = m_registers.data() + m_registers.size();
    for (const Register *reg = first + 1; reg != end && reg->address == address; ++reg)
        found.push_back(reg);
    return found;
}

const Register *RegisterMap::header(std::uint32_t index) const
{
    return firstAt(m_header, 4 * index);
}

std::span<const Role> rolesOf(std::uint32_t version)
{
    static const auto roles = readRoles();
    const auto at = roles.find(version);
    return at == roles.end() ? std::span<const Role>() : std::span<const Role>(at->second);
}

const Role *roleOf(std::uint32_t version, std::string_view name)
{
    const auto roles = rolesOf(version);
    return findBy(roles, &Role::name, name);
}

} // namespace kernscope::descriptor
