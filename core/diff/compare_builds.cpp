// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/diff/build_pairs.h"
#include "core/diff/diff.h"

#include <utility>

namespace kernscope {

namespace {

tl::unexpected<Error> buildsCancelled()
{
    return tl::unexpected(cancelledError("The comparison was cancelled"));
}

/// The pairs of every weight of the base whose values have to be decoded.
std::vector<std::vector<diff::BuildPair>> pairsByWeight(const Bundle &base,
                                                        std::span<const Bundle *const> builds,
                                                        std::span<const DiffOptions> options,
                                                        std::vector<Difference> &all,
                                                        Progress *progress)
{
    std::vector<std::vector<diff::BuildPair>> pairs(base.weights().size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!options[i].values)
            continue;
        for (ComparedPair &pair : all[i].weights) {
            if (!findReshaped(base, *builds[i], pair, progress))
                return {};
            if (!pair.slice && pair.shapeEqual && !diff::valuesOfSameBytes(base, *builds[i], pair))
                pairs[pair.a].push_back({builds[i], &pair, options[i].tolerance});
        }
    }
    return pairs;
}

} // namespace

Result<std::vector<Difference>> compareBuilds(const Bundle &base,
                                              std::span<const Bundle *const> builds,
                                              std::span<const DiffOptions> options,
                                              Progress *progress)
{
    std::vector<Difference> all;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        DiffOptions stored = options[i];
        stored.values = false;
        auto difference = compareBundles(base, *builds[i], stored, progress);
        if (!difference)
            return tl::unexpected(std::move(difference.error()));
        all.push_back(*std::move(difference));
    }
    const auto pairs = pairsByWeight(base, builds, options, all, progress);
    if (progress != nullptr && progress->cancelled())
        return buildsCancelled();
    for (std::size_t weight = 0; weight < pairs.size(); ++weight) {
        if (pairs[weight].empty())
            continue;
        if (!diff::compareWithBase(base, weight, pairs[weight], progress))
            return buildsCancelled();
        for (const diff::BuildPair &one : pairs[weight]) {
            if (one.pair->values)
                describeValues(base, *one.build, *one.pair);
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (ComparedPair &pair : all[i].weights) {
            if (options[i].values && pair.slice &&
                !findValues(base, *builds[i], pair, options[i].tolerance, progress))
                return buildsCancelled();
        }
    }
    return all;
}

} // namespace kernscope
