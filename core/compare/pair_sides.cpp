// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_sides.h"

#include "core/base/counted_text.h"
#include "core/bundle/bundle.h"

#include <fmt/format.h>

namespace kernscope {

const Weight &comparedWeight(const Bundle &a, const Bundle &b, const PairSides &sides)
{
    return sides.slice && sides.slice->ofA ? b.weights()[sides.b] : a.weights()[sides.a];
}

std::string sliceText(const WeightSlice &slice)
{
    return fmt::format("{}: part {} of {}, {} to {} of axis {} of the whole", slice.name(),
                       slice.number + 1, slice.parts, grouped(slice.first),
                       grouped(slice.first + slice.count - 1), slice.axis);
}

diff::PartElements diff::sliceOf(const Bundle &a, const Bundle &b, const PairSides &sides)
{
    const WeightSlice &slice = *sides.slice;
    const Shape &shape = (slice.ofA ? a.weights()[sides.a] : b.weights()[sides.b]).shape;
    std::uint64_t inner = 1;
    for (std::size_t i = slice.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    return {slice.first * inner, slice.count * inner, shape[slice.axis] * inner};
}

} // namespace kernscope
