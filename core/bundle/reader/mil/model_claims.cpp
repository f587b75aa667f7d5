// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/model_claims.h"

#include "core/bundle/weight.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kernscope {

namespace {

void sortByPlace(std::vector<ByteClaim> &claims)
{
    std::stable_sort(claims.begin(), claims.end(), [](const ByteClaim &a, const ByteClaim &b) {
        return a.range.offset < b.range.offset;
    });
}

/// `under` where nothing of `over` lies; both sorted, `under` without overlaps of its own.
std::vector<ByteClaim> laidOver(const std::vector<ByteClaim> &under, std::vector<ByteClaim> over)
{
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

std::vector<ByteClaim> claimsOfOperands(std::size_t file, const std::vector<Weight> &weights)
{
    std::vector<ByteClaim> claims;
    for (std::size_t w = 0; w < weights.size(); ++w) {
        const OperandList &operands = weights[w].operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const codec::Operand &operand = operands[i];
            const OperandPlace &place = *operand.place;
            if (place.file != file)
                continue;
            ByteClaim claim;
            claim.kind = sectionKindOf(operand.role);
            claim.name = fmt::format("{}: {}", weights[w].name, codec::partRoleName(operand.role));
            claim.weight = w;
            claim.operand = i;
            for (const ByteRange &range :
                 place.pieces.empty() ? std::vector<ByteRange>{place.range()} : place.pieces) {
                claim.range = range;
                if (range.bytes.value > 0)
                    claims.push_back(claim);
            }
        }
    }
    sortByPlace(claims);
    return claims;
}

} // namespace

std::vector<ByteClaim> claimsOfProgram(const mil::Program &program, std::size_t file,
                                       ByteCount bytes, const std::vector<Weight> &weights)
{
    ByteClaim whole;
    whole.range = {FileOffset(0), bytes};
    whole.kind = SectionKind::Program;
    whole.name = "program";
    const bool ownFile = !program.models.empty() && program.models.front().span.length > 0;
    if (ownFile && !program.models.front().isProgram())
        whole.name = program.models.front().kind;
    std::vector<ByteClaim> models;
    for (const mil::ModelNode &node : program.models) {
        if (node.isPipeline() || node.path.empty() || node.span.length == 0)
            continue;
        ByteClaim claim;
        claim.range = {FileOffset(node.span.offset), ByteCount(node.span.length)};
        claim.kind = SectionKind::Program;
        claim.name = fmt::format("{}: {}", node.path, node.kind);
        models.push_back(std::move(claim));
    }
    sortByPlace(models);
    std::vector<ByteClaim> around{std::move(whole)};
    return claimsAround(laidOver(around, std::move(models)), file, weights);
}

std::vector<ByteClaim> claimsAround(std::vector<ByteClaim> around, std::size_t file,
                                    const std::vector<Weight> &weights)
{
    return laidOver(around, claimsOfOperands(file, weights));
}

} // namespace kernscope
