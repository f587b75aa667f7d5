// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/section_map.h"

#include "core/bundle/bundle.h"
#include "core/container/milblob/milblob.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Lays sections one behind the other.
class Cover
{
public:
    Cover(std::size_t file, std::uint64_t bytes) : m_file(file), m_bytes(bytes) {}

    void add(ByteClaim &claim)
    {
        const std::uint64_t end = std::min(claim.range.end(), m_bytes);
        if (end <= m_at || claim.range.offset.value >= m_bytes)
            return;
        fillUpTo(claim.range.offset.value);
        Section section;
        section.givenName = std::move(claim.name);
        section.file = m_file;
        section.range = {FileOffset(m_at), ByteCount(end - m_at)};
        section.kind = claim.kind;
        section.weight = claim.weight;
        section.operand = claim.operand;
        section.record = claim.record;
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
        addGap(std::min(aligned, end), SectionKind::Padding);
        addGap(end, SectionKind::Unknown);
    }

    void addGap(std::uint64_t end, SectionKind kind)
    {
        if (end <= m_at)
            return;
        ByteClaim gap{{FileOffset(m_at), ByteCount(end - m_at)}, kind, {}};
        add(gap);
    }

    std::size_t m_file;
    std::uint64_t m_bytes;
    std::uint64_t m_at = 0;
    std::vector<Section> m_sections;
};

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

std::vector<ByteClaim> claimsOfOperands(std::size_t file, const std::vector<Weight> &weights)
{
    std::vector<ByteClaim> claims;
    for (std::size_t w = 0; w < weights.size(); ++w) {
        const OperandList &operands = weights[w].operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const auto &place = operands[i].place;
            if (!place || place->file != file)
                continue;
            for (const ByteRange &range :
                 place->pieces.empty() ? std::vector<ByteRange>{place->range()} : place->pieces) {
                if (range.bytes.value > 0)
                    claims.push_back({range, sectionKindOf(operands[i].role), {}, w, i});
            }
        }
    }
    return claims;
}

std::vector<Section> coverFile(std::size_t file, ByteCount bytes, std::vector<ByteClaim> claims)
{
    std::ranges::stable_sort(claims, [](const ByteClaim &a, const ByteClaim &b) {
        return a.range.offset < b.range.offset;
    });
    Cover cover(file, bytes.value);
    for (ByteClaim &claim : claims)
        cover.add(claim);
    return cover.finish();
}

// Of programs.

namespace {

void sortByPlace(std::vector<ByteClaim> &claims)
{
    std::ranges::stable_sort(claims, [](const ByteClaim &a, const ByteClaim &b) {
        return a.range.offset < b.range.offset;
    });
}

/// `under` where nothing of `over` lies; `under` sorted, without overlaps of its own.
std::vector<ByteClaim> laidOver(const std::vector<ByteClaim> &under, std::vector<ByteClaim> over)
{
    sortByPlace(over);
    std::vector<ByteClaim> all;
    auto next = over.begin();
    for (const ByteClaim &claim : under) {
        std::uint64_t at = claim.range.offset.value;
        const auto add = [&](std::uint64_t end) {
            if (end <= at)
                return;
            ByteClaim piece = claim;
            piece.range = {FileOffset(at), ByteCount(end - at)};
            all.push_back(std::move(piece));
        };
        for (; next != over.end() && next->range.offset.value < claim.range.end(); ++next) {
            add(next->range.offset.value);
            at = std::max(at, next->range.end());
        }
        add(claim.range.end());
    }
    std::move(over.begin(), over.end(), std::back_inserter(all));
    sortByPlace(all);
    return all;
}

} // namespace

std::vector<ByteClaim> claimsOfProgram(const mil::Program &program, std::size_t file,
                                       ByteCount bytes, const std::vector<Weight> &weights)
{
    ByteClaim whole{{FileOffset(0), bytes}, SectionKind::Program, "program"};
    const bool ownFile = !program.models.empty() && program.models.front().span.length > 0;
    if (ownFile && !program.models.front().isProgram())
        whole.name = program.models.front().kind;
    std::vector<ByteClaim> models;
    for (const mil::ModelNode &node : program.models) {
        if (node.isPipeline() || node.path.empty() || node.span.length == 0)
            continue;
        models.push_back({{FileOffset(node.span.offset), ByteCount(node.span.length)},
                          SectionKind::Program,
                          fmt::format("{}: {}", node.path, node.kind)});
    }
    std::vector<ByteClaim> around{std::move(whole)};
    return claimsAround(laidOver(around, std::move(models)), file, weights);
}

std::vector<ByteClaim> claimsAround(std::vector<ByteClaim> around, std::size_t file,
                                    const std::vector<Weight> &weights)
{
    return laidOver(around, claimsOfOperands(file, weights));
}

} // namespace kernscope
