// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/seats.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace kernscope::audit {

void fitEpsilon(const Bundle &checkpoint, Seating &seating, const Nearest &nearest)
{
    if (seating.norms.empty())
        return;
    for (std::size_t k = 0; k < seating.references.size(); ++k) {
        Reference &reference = seating.references[k];
        if (reference.groupRows == 0 || !seating.norms[reference.norm].eitherAxis)
            continue;
        const std::uint64_t rows = std::exchange(reference.groupRows, 0);
        const double plain = nearest(k);
        reference.groupRows = rows;
        if (2 * plain < nearest(k))
            seating.norms[reference.norm].groups = reference.groupRows = 0;
    }
    double least = HUGE_VAL, chosen = 1e-5;
    for (const double epsilon : {1e-5, 1e-3, 1e-6, 1e-4, 1e-8, 1e-12, 1e-2}) {
        double sum = 0;
        std::size_t any = 0;
        for (std::size_t k = 0; k < seating.references.size(); ++k) {
            Reference &reference = seating.references[k];
            if (reference.norm == kNoIndex || reference.isBias)
                continue;
            FoldedNorm &norm = seating.norms[reference.norm];
            norm.epsilon = epsilon;
            reference.factors = norm.factors();
            sum += std::min(0.05, nearest(k)); // what nothing fits counts alike
            ++any;
        }
        if (any > 0 && sum < 0.9 * least) {
            least = sum;
            chosen = epsilon;
        }
    }
    for (Reference &reference : seating.references) {
        if (reference.norm == kNoIndex)
            continue;
        FoldedNorm &norm = seating.norms[reference.norm];
        norm.epsilon = chosen;
        auto made = reference.isBias
                        ? Reference::foldedBias(norm, reference.name)
                        : Reference::foldedWeight(checkpoint, norm).value_or(reference);
        made.norm = reference.norm;
        reference = std::move(made);
    }
}

std::vector<std::size_t> unusedByFolding(const Seating &seating,
                                         const std::vector<std::size_t> &tensors,
                                         const Nearest &nearest)
{
    constexpr double kFits = 0.2, kCoarselyFits = 0.5, kNearlyFits = 0.02;
    enum class Way { Folded, Apart, Unknown };
    std::vector<Way> ways(seating.norms.size(), Way::Unknown);
    std::vector<bool> nearer(ways.size()); // with it
    std::size_t folded = 0, apart = 0;
    const auto rawOf = [&](std::size_t tensor) {
        for (std::size_t k = 0; k < seating.references.size(); ++k) {
            if (tensors[k] == tensor && seating.references[k].norm == kNoIndex)
                return k;
        }
        return kNoIndex;
    };
    for (std::size_t k = 0; k < seating.references.size(); ++k) {
        const Reference &reference = seating.references[k];
        if (reference.norm == kNoIndex || reference.isBias)
            continue;
        const std::size_t raw = rawOf(tensors[k]);
        const double with = nearest(k), without = raw == kNoIndex ? HUGE_VAL : nearest(raw);
        const auto [less, more] = std::minmax(with, without);
        nearer[reference.norm] = with < without;
        if (less > (2 * less < more ? kCoarselyFits : kFits)) // tables of few entries are off
            continue;
        // One that nearly fits may be folded without its gain: that is for the others to say.
        if (with <= without)
            ways[reference.norm] = Way::Folded;
        else if (without < kNearlyFits && with > 4 * without)
            ways[reference.norm] = Way::Apart;
        ++(with <= without ? folded : apart);
    }
    std::vector<std::size_t> unused;
    for (std::size_t k = 0; k < seating.references.size(); ++k) {
        const Reference &reference = seating.references[k];
        if (reference.norm == kNoIndex)
            continue;
        const Way way = ways[reference.norm];
        const bool most = folded == apart ? nearer[reference.norm] : folded > apart;
        const bool isFolded = way == Way::Folded || (way == Way::Unknown && most);
        const FoldedNorm &norm = seating.norms[reference.norm];
        if (!isFolded) {
            unused.push_back(k);
            continue;
        }
        for (const std::size_t tensor : {tensors[k], norm.norm, norm.biasTensor}) {
            if (const std::size_t raw = rawOf(tensor); raw != kNoIndex)
                unused.push_back(raw);
        }
        for (std::size_t i = 0; i < seating.references.size(); ++i) {
            const std::string &name = seating.references[i].name;
            if (name == norm.name + ".running_mean" || name == norm.name + ".running_var")
                unused.push_back(i);
        }
    }
    return unused;
}

void findMissing(const Bundle &checkpoint, const std::vector<std::size_t> &tensors,
                 const std::vector<std::size_t> &holders, Seating &seating)
{
    std::set<std::size_t> held;
    for (const Seat &seat : seating.seats) {
        for (const auto &piece : seating.references[seat.reference].pieces)
            held.insert(piece.tensor);
        held.insert(tensors[seat.reference]);
        if (seating.references[seat.reference].norm != kNoIndex) {
            const FoldedNorm &norm = seating.norms[seating.references[seat.reference].norm];
            held.insert(norm.norm);
            held.insert(norm.biasTensor);
        }
    }
    for (std::size_t i = 0; i < checkpoint.weights().size(); ++i) {
        const Weight &weight = checkpoint.weights()[i];
        if (held.count(i) == 0 && isFloatingPoint(weight.type) &&
            weight.name.find(".running_") == weight.name.npos)
            seating.missing.push_back(weight.name);
    }
    for (std::size_t k = 0; k < holders.size(); ++k) {
        const Reference &part = seating.references[k];
        if (holders[k] != kNoIndex || part.transform == "as it is" || part.isJoined() ||
            part.pieces.size() != 1 || held.count(tensors[k]) == 0 ||
            std::ranges::any_of(seating.missingParts, [&](std::size_t other) {
                return part.overlaps(seating.references[other]);
            }))
            continue;
        seating.missingParts.push_back(k);
    }
}

} // namespace kernscope::audit
