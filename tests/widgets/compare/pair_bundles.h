// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/bundle/made_bundle.h"
#include "tests/test_program.h"

/// Small bundles in memory to be compared: a few dense weights of given values.
namespace kernscope::test {

/// Three channels of four: the first one equal, a large difference in the second, small ones and a
/// zeroed element in the third.
inline const std::vector<float> kThreeChannels{1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, 0};
inline const std::vector<float> kThreeChanged{1, 2, 3, 4, 5, 9, 7, 8, -1, 0, -3.5f, 2};

struct MadeWeight {
    std::string name;
    std::string shape; ///< "[2, 4]"
    std::vector<float> values;
};

/// A bundle of dense fp16 weights, each read by a linear op named after its place, so that weights
/// of two such bundles pair by their order, unless `consumed` is false: then by their name.
inline BundlePtr denseBundle(const std::vector<MadeWeight> &weights, bool consumed = true)
{
    MadeBundle made;
    for (const MadeWeight &weight : weights) {
        made.weight(weight.name, weight.shape, halves(weight.values));
        if (consumed)
            made.consume(weight.name);
    }
    auto opened = made.open();
    Q_ASSERT(opened);
    return *opened;
}

/// Neither, only A, kept and equal, only B; equal, changed up, changed down, equal.
inline BundlePtr leftBundle()
{
    return denseBundle({{"w", "[2, 4]", {0, 1, 2, 0, 4, 5, 6, 7}}});
}
inline BundlePtr rightBundle()
{
    return denseBundle({{"w", "[2, 4]", {0, 0, 2, 3, 4, 8, 3, 7}}});
}

} // namespace kernscope::test
