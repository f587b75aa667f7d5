// SPDX-License-Identifier: GPL-3.0-or-later
// What is set side by side: two weights, or a part and its place in a larger one.
#include "core/bundle/bundle.h"
#include "widgets/compare/pair_pictures.h"

namespace kernscope::ui {

bool PairSubject::sameWeights(const PairSubject &other) const
{
    const auto same = [](const BundlePtr &x, std::size_t i, const BundlePtr &y, std::size_t j) {
        if (!x || !y || i >= x->weights().size() || j >= y->weights().size())
            return (!x || i >= x->weights().size()) && (!y || j >= y->weights().size());
        return i == j && x->path() == y->path() && x->weights()[i].name == y->weights()[j].name &&
               x->weights()[i].shape == y->weights()[j].shape;
    };
    return same(a, sides.a, other.a, other.sides.a) && same(b, sides.b, other.b, other.sides.b);
}

const Weight &PairSubject::weight() const
{
    return comparedWeight(*a, *b, sides);
}

std::uint64_t PairSubject::elementOn(bool ofA, std::uint64_t element) const
{
    return isSlice(ofA) ? diff::sliceOf(*a, *b, sides).inWhole(element) : element;
}

std::optional<std::uint64_t> PairSubject::elementOf(bool ofA, std::uint64_t onSide) const
{
    return isSlice(ofA) ? diff::sliceOf(*a, *b, sides).inPart(onSide) : std::optional(onSide);
}

SliceMap PairSubject::mapOf(bool ofA) const
{
    const Shape &own = ofA ? a->weights()[sides.a].shape : b->weights()[sides.b].shape;
    if (isSlice(ofA))
        return SliceMap::part(own, sides.slice->axis, sides.slice->first, sides.slice->count);
    // Shapes that differ in extents of one have the same elements: B then lies as A does.
    return SliceMap(!ofA && comparable() && !isPart() ? a->weights()[sides.a].shape : own);
}

} // namespace kernscope::ui
