// SPDX-License-Identifier: GPL-3.0-or-later
// What is set side by side: two weights, or a part and its place in a larger one.
#include "core/diff/pair_slice.h"
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
    return same(a, weightA, other.a, other.weightA) && same(b, weightB, other.b, other.weightB);
}

const Weight &PairSubject::weight() const
{
    return !isPart() || !joined->split ? a->weights()[weightA] : b->weights()[weightB];
}

std::uint64_t PairSubject::elementOn(bool ofA, std::uint64_t element) const
{
    return isPart() && joined->split == ofA ? diff::sliceOf(*a, *b, *joined, part).inWhole(element)
                                            : element;
}

std::optional<std::uint64_t> PairSubject::elementOf(bool ofA, std::uint64_t onSide) const
{
    return isPart() && joined->split == ofA ? diff::sliceOf(*a, *b, *joined, part).inPart(onSide)
                                            : std::optional(onSide);
}

SliceMap PairSubject::mapOf(bool ofA) const
{
    const Shape &own = ofA ? a->weights()[weightA].shape : b->weights()[weightB].shape;
    if (isPart() && joined->split == ofA) {
        const JoinedPart &one = joined->parts[part];
        return SliceMap::part(own, joined->axis, one.first, one.count);
    }
    // Shapes that differ in extents of one have the same elements: B then lies as A does.
    return SliceMap(!ofA && comparable() && !isPart() ? a->weights()[weightA].shape : own);
}

} // namespace kernscope::ui
