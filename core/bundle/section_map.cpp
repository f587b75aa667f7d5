// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/section_map.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Lays sections one behind the other.
class Cover
{
public:
    Cover(std::size_t file, std::uint64_t bytes) : m_file(file), m_bytes(bytes) {}

    void add(Claim &claim)
    {
        const std::uint64_t end = std::min(claim.range.end(), m_bytes);
        if (end <= m_at)
            return;
        fillUpTo(claim.range.offset.value);
        Section section;
        section.name = std::move(claim.name);
        section.file = m_file;
        section.range = {FileOffset(m_at), ByteCount(end - m_at)};
        section.kind = claim.kind;
        section.owner = std::move(claim.owner);
        section.weight = claim.weight;
        section.part = claim.part;
        m_sections.push_back(std::move(section));
        m_at = end;
    }

    std::vector<Section> finish()
    {
        fillUpTo(m_bytes);
        return std::move(m_sections);
    }

private:
    void fillUpTo(std::uint64_t end)
    {
        if (end <= m_at)
            return;
        const std::uint64_t aligned =
            checkedRoundUp(m_at, milblob::kAlignment).value_or(UINT64_MAX);
        addGap(std::min(aligned, end), SectionKind::Padding, "padding");
        addGap(end, SectionKind::Unknown, "unknown");
    }

    void addGap(std::uint64_t end, SectionKind kind, std::string_view name)
    {
        if (end <= m_at)
            return;
        Section section;
        section.name = name;
        section.file = m_file;
        section.range = {FileOffset(m_at), ByteCount(end - m_at)};
        section.kind = kind;
        m_sections.push_back(std::move(section));
        m_at = end;
    }

    std::size_t m_file;
    std::uint64_t m_bytes;
    std::uint64_t m_at = 0;
    std::vector<Section> m_sections;
};

Claim payloadClaim(const milblob::Record &record, std::size_t number,
                   const std::vector<PartPlace> &places, const std::vector<Weight> &weights)
{
    Claim claim;
    claim.range = record.payload();
    const auto place = std::lower_bound(
        places.begin(), places.end(), record.metaOffset,
        [](const PartPlace &p, FileOffset offset) { return p.metaOffset < offset; });
    if (place == places.end() || place->metaOffset != record.metaOffset) {
        claim.kind = SectionKind::Data;
        claim.name = fmt::format("record {}: data that no weight uses", number);
        return claim;
    }
    const Weight &weight = weights[place->weight];
    const Part &part = weight.parts[place->part];
    claim.kind = sectionKindOf(part.role);
    claim.name = fmt::format("{}: {}", weight.name, codec::partRoleName(part.role));
    claim.owner = weight.name;
    claim.weight = place->weight;
    claim.part = place->part;
    return claim;
}

} // namespace

SectionKind sectionKindOf(codec::PartRole role)
{
    switch (role) {
    case codec::PartRole::Data: return SectionKind::Data;
    case codec::PartRole::Indices: return SectionKind::Indices;
    case codec::PartRole::Lut: return SectionKind::Codebook;
    case codec::PartRole::Mask: return SectionKind::Mask;
    case codec::PartRole::NonzeroData: return SectionKind::Values;
    case codec::PartRole::Scale: return SectionKind::Scale;
    case codec::PartRole::ZeroPoint:
    case codec::PartRole::Offset:
    case codec::PartRole::Bias: return SectionKind::ZeroPoint;
    }
    return SectionKind::Unknown;
}

std::vector<Section> coverFile(std::size_t file, ByteCount bytes, std::vector<Claim> claims)
{
    std::stable_sort(claims.begin(), claims.end(), [](const Claim &a, const Claim &b) {
        return a.range.offset < b.range.offset;
    });
    Cover cover(file, bytes.value);
    for (Claim &claim : claims)
        cover.add(claim);
    return cover.finish();
}

std::vector<Claim> claimsOfBlobFile(const std::vector<milblob::Record> &records,
                                    const std::vector<PartPlace> &places,
                                    const std::vector<Weight> &weights)
{
    std::vector<Claim> claims;
    claims.reserve(2 * records.size() + 1);
    Claim header;
    header.range = {FileOffset(0), ByteCount(milblob::kHeaderBytes)};
    header.kind = SectionKind::Header;
    header.name = "header";
    claims.push_back(std::move(header));
    // All metadata first: of equal starts the record wins over a payload laid over it.
    for (std::size_t i = 0; i < records.size(); ++i) {
        Claim claim;
        claim.range = {records[i].metaOffset, ByteCount(milblob::kMetadataBytes)};
        claim.kind = SectionKind::Metadata;
        claim.name = fmt::format("record {}: metadata", i);
        claims.push_back(std::move(claim));
    }
    for (std::size_t i = 0; i < records.size(); ++i)
        claims.push_back(payloadClaim(records[i], i, places, weights));
    // A record's owner is that of its payload.
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Claim &payload = claims[1 + records.size() + i];
        claims[1 + i].owner = payload.owner;
        claims[1 + i].weight = payload.weight;
        claims[1 + i].part = payload.part;
    }
    return claims;
}

} // namespace kernscope
