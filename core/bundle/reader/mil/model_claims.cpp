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
