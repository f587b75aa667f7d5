// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/analysis/reduction.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

namespace kernscope::codec {

Reduction reduceProducts(std::span<const std::uint16_t> weights,
                         std::span<const std::uint16_t> inputs)
{
    Reduction sum;
    const std::size_t count = std::min(weights.size(), inputs.size());
    for (std::size_t first = 0; first < count; first += Reduction::kTile, ++sum.tiles) {
        const std::size_t end = std::min(count, first + Reduction::kTile);
        double tile = 0;
        bool contested = false;
        for (std::size_t i = first; i < end; ++i) {
            // Exact in fp64: 11 by 11 bits, and a partial sum of fp16.
            const double product = static_cast<double>(halfToFloat(weights[i])) *
                                   static_cast<double>(halfToFloat(inputs[i]));
            tile = static_cast<double>(halfToFloat(doubleToHalf(tile + product)));
            const double magnitude = std::abs(tile);
            contested = contested || (magnitude >= Reduction::kContestedFrom &&
                                      magnitude < Reduction::kContestedTo);
        }
        sum.contested += contested ? 1 : 0;
        sum.accumulator += static_cast<float>(tile);
    }
    sum.port = floatToHalf(sum.accumulator);
    return sum;
}

} // namespace kernscope::codec
