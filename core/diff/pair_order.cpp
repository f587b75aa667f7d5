// SPDX-License-Identifier: GPL-3.0-or-later
// What happened to the weights of a comparison besides their values: renamed, moved, stored
// otherwise.
#include "core/diff/pair_order.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kernscope {

namespace {

/// Where a weight begins.
struct StoredPlace {
    std::string file;
    std::uint64_t offset = 0;
};

/// Of every weight the first section that is its own; none for those that the program writes as
/// literals.
std::vector<std::optional<StoredPlace>> storedPlacesOf(const Bundle &bundle)
{
    std::vector<std::optional<StoredPlace>> places(bundle.weights().size());
    for (const Section &section : bundle.sections()) {
        if (section.weight < places.size() && !places[section.weight] &&
            !bundle.isProgramFile(section.file))
            places[section.weight] =
                StoredPlace{bundle.files()[section.file].path, section.range.offset.value};
    }
    return places;
}

/// Indices of one longest ascending run of the numbers, not necessarily neighbours.
std::vector<std::size_t> longestAscending(const std::vector<std::uint64_t> &numbers)
{
    std::vector<std::size_t> tails, before(numbers.size(), kNoIndex);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto at =
            std::lower_bound(tails.begin(), tails.end(), i,
                             [&](std::size_t x, std::size_t y) { return numbers[x] < numbers[y]; });
        before[i] = at == tails.begin() ? kNoIndex : *(at - 1);
        if (at == tails.end())
            tails.push_back(i);
        else
            *at = i;
    }
    std::vector<std::size_t> run;
    for (std::size_t i = tails.empty() ? kNoIndex : tails.back(); i != kNoIndex; i = before[i])
        run.push_back(i);
    return run;
}

bool hasFile(const Bundle &bundle, const std::string &path)
{
    return bundle.fileByPath(path).has_value();
}

/// Values that are others, whatever the order of the channels; 0 where they were not compared.
std::uint64_t changedValues(const WeightPair &pair)
{
    if (pair.order)
        return pair.reordered ? pair.reordered->different : 0;
    return pair.values ? pair.values->different() : 0;
}

/// Most values are others although they are stored alike: no patch, and no encoding, does that.
bool retrained(const WeightPair &pair)
{
    if (!pair.layoutEqual)
        return false;
    if (pair.order)
        return pair.reordered && changedValues(pair) > pair.reordered->equal;
    if (!pair.values)
        return pair.content == ContentKind::Nearest && pair.similarity.has_value();
    // What pruning took away alone is no training.
    const ValueDifference &values = *pair.values;
    return values.different() > values.elements() / 2 &&
           values.changed + values.revived > values.zeroed;
}

} // namespace

namespace diff {

void markMoved(const Bundle &a, const Bundle &b, std::span<WeightPair> pairs)
{
    const auto inA = storedPlacesOf(a), inB = storedPlacesOf(b);
    std::map<std::string, std::vector<std::size_t>> byFile;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Weight &from = a.weights()[pairs[i].a], &to = b.weights()[pairs[i].b];
        pairs[i].moved = from.model != to.model || from.function != to.function;
        const auto &placeA = inA[pairs[i].a], &placeB = inB[pairs[i].b];
        if (!placeA || !placeB)
            continue;
        if (placeA->file == placeB->file)
            byFile[placeA->file].push_back(i);
        else if (hasFile(b, placeA->file) && hasFile(a, placeB->file))
            pairs[i].moved = true;
    }
    for (auto &[file, indices] : byFile) {
        std::sort(indices.begin(), indices.end(), [&](std::size_t x, std::size_t y) {
            return inA[pairs[x].a]->offset < inA[pairs[y].a]->offset;
        });
        std::vector<std::uint64_t> offsets;
        for (const std::size_t i : indices)
            offsets.push_back(inB[pairs[i].b]->offset);
        std::vector<bool> inOrder(indices.size(), false);
        for (const std::size_t i : longestAscending(offsets))
            inOrder[i] = true;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            // Weights that share their bytes lie in one place, in whatever order.
            const bool shared =
                i > 0 && inA[pairs[indices[i]].a]->offset == inA[pairs[indices[i - 1]].a]->offset;
            if (!inOrder[i] && !shared)
                pairs[indices[i]].moved = true;
        }
    }
}

PairConfidence confidenceOf(const WeightPair &pair, bool shared, bool namedByPlace)
{
    constexpr double kSure = 0.95, kFar = 0.5;
    switch (pair.pairing) {
    case Pairing::Consumer:
        return pair.shapeEqual ? PairConfidence::Certain : PairConfidence::Likely;
    case Pairing::Name:
        return pair.shapeEqual && !namedByPlace ? PairConfidence::Certain : PairConfidence::Likely;
    case Pairing::Content:
        if (pair.content == ContentKind::Exact || pair.rounded)
            return shared ? PairConfidence::Likely : PairConfidence::Certain;
        return pair.similarity.value_or(0) >= kSure && pair.nextSimilarity < kFar
                   ? PairConfidence::Certain
                   : PairConfidence::Likely;
    case Pairing::Hand: return PairConfidence::Certain;
    case Pairing::ShapeOnly:
    case Pairing::Position: break;
    }
    return PairConfidence::Guess;
}

} // namespace diff

std::vector<std::string_view> pairChanges(const Bundle &a, const Bundle &b, const WeightPair &pair)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    std::vector<std::string_view> changes;
    if (baseName(from.name) != baseName(to.name))
        changes.emplace_back("renamed");
    if (pair.moved)
        changes.emplace_back("moved");
    if (pair.order)
        changes.emplace_back("reordered");
    if (pair.rule && pair.rule->kind == ValueRule::Kind::Transposed)
        changes.emplace_back("transposed");
    else if (!pair.shapeEqual && !pair.unreadable())
        changes.emplace_back("reshaped");
    if (pair.unreadable())
        changes.emplace_back("unreadable");
    else if (pair.reencoded())
        changes.emplace_back("re-encoded");
    else if (retrained(pair))
        changes.emplace_back("re-trained");
    else if (changedValues(pair) > 0)
        changes.emplace_back("edited");
    return changes;
}

std::string pairChangesText(const Bundle &a, const Bundle &b, const WeightPair &pair)
{
    std::string text;
    for (const std::string_view change : pairChanges(a, b, pair))
        text += (text.empty() ? "" : ", ") + std::string(change);
    return text;
}

} // namespace kernscope
