// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/weights/section_claims.h"

#include "core/bundle/weight.h"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

using section::Kind;

SectionKind kindOf(Kind kind, const section::Unit &unit)
{
    switch (kind) {
    case Kind::Lut:
    case Kind::Pal: return SectionKind::Codebook;
    case Kind::Ocgs: return SectionKind::Metadata;
    case Kind::Scale: return SectionKind::Scale;
    case Kind::Bias: return SectionKind::Values;
    case Kind::Weights: break;
    }
    return unit.has(Kind::Pal) ? SectionKind::Indices : SectionKind::Data;
}

ByteClaim claimOf(ByteRange range, SectionKind kind, std::string name)
{
    ByteClaim claim;
    claim.range = range;
    claim.kind = kind;
    claim.name = std::move(name);
    return claim;
}

/// Biases and the activation table are weights of their own, behind the coefficients.
std::size_t ownerOf(Kind kind, std::size_t weight, const std::vector<Weight> &weights)
{
    constexpr std::size_t kMostBehind = 2;
    if (weight >= weights.size() || (kind != Kind::Bias && kind != Kind::Lut))
        return weight;
    const WeightRole role = kind == Kind::Bias ? WeightRole::Bias : WeightRole::ActivationTable;
    for (std::size_t i = weight + 1; i < weights.size() && i <= weight + kMostBehind; ++i) {
        if (weights[i].role == role && weights[i].beside == weight)
            return i;
    }
    return weight;
}

void claimUnit(const section::WeightSection &section, std::size_t number,
               const std::vector<std::size_t> &weightOf, const std::vector<Weight> &weights,
               std::vector<ByteClaim> &claims)
{
    const section::Unit &unit = section.units[number];
    const std::size_t weight = weightOf[number];
    std::size_t of = weight;
    const auto add = [&](ByteRange range, SectionKind kind, std::string_view what) {
        if (range.bytes.value == 0)
            return; // no number of a core survives
        ByteClaim claim =
            claimOf(range, kind, fmt::format("{} core {}: {}", unit.name, unit.core, what));
        if (of < weights.size())
            claim.weight = of;
        claims.push_back(std::move(claim));
    };
    add({FileOffset(section.unitTable + number * section::kUnitBytes),
         ByteCount(section::kUnitBytes)},
        SectionKind::Metadata, "unit");
    if (unit.fault)
        return;
    for (std::size_t kind = 0; kind < section::kKinds; ++kind) {
        const auto entry = static_cast<Kind>(kind);
        if (!unit.has(entry))
            continue;
        const ByteRange range = unit.range(entry);
        const auto name = format::unitSectionName(entry);
        of = ownerOf(entry, weight, weights);
        if (entry != Kind::Weights || !unit.sparse()) {
            add(range, kindOf(entry, unit), name);
            continue;
        }
        const ByteRange mask = maskRange(unit);
        add(mask, SectionKind::Mask, "mask");
        add({FileOffset(mask.end()), ByteCount(range.bytes.value - mask.bytes.value)},
            SectionKind::Values, "values");
    }
}

} // namespace

ByteRange maskRange(const section::Unit &unit)
{
    const std::uint64_t bits = unit.channels() * unit.steps(); // the reader checked them
    return {unit.range(section::Kind::Weights).offset, ByteCount((bits + 7) / 8)};
}

std::vector<ByteClaim> claimsOfSection(const section::WeightSection &section,
                                       const std::vector<Weight> &weights)
{
    std::map<std::string, std::size_t> byName;
    for (std::size_t i = 0; i < weights.size(); ++i)
        byName.try_emplace(weights[i].name, i);
    std::vector<std::size_t> weightOf(section.units.size(), kNoIndex);
    for (const section::UnitGroup &group : section.groups) {
        for (const auto *units : {&group.units, &group.idle}) {
            for (const std::size_t unit : *units)
                weightOf[unit] = byName.at(group.name);
        }
    }
    std::vector<ByteClaim> claims;
    claims.push_back(
        claimOf({FileOffset(0), ByteCount(section::kHeaderBytes)}, SectionKind::Header, "header"));
    claims.push_back(claimOf({FileOffset(section.pool), ByteCount(section.poolBytes)},
                             SectionKind::Metadata, "names"));
    for (std::size_t unit = 0; unit < section.units.size(); ++unit)
        claimUnit(section, unit, weightOf, weights, claims);
    return claims;
}

} // namespace kernscope
