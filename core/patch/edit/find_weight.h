// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/weight.h"
#include "core/patch/edit/edit.h"

namespace kernscope::patch {

/// The weight that an edit names: by its name; with its function before a '/', and its model before
/// that, where several have one of that name; without the converters' suffixes, or by the operation
/// that makes it, where that is unambiguous. Errors: "patch.weight", `expected` naming the nearest
/// ones.
Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name);

/// The weights that names and patterns stand for, each once, in the bundle's order. A name is what
/// findWeight() takes; what is none is a pattern, of names and of addresses. Errors: those of
/// findWeight(), "patch.weight" for a pattern that no weight is like.
Result<std::vector<std::size_t>> findWeights(const Bundle &bundle,
                                             std::span<const std::string> names);

/// The elements that an edit's indices choose, as runs of row-major positions. Costs nothing that
/// grows with their number.
class ElementSelection
{
public:
    struct Run {
        std::uint64_t first = 0;
        std::uint64_t count = 0;
    };

    /// One index or range for all elements in their order, or one an axis; axes that are left out
    /// at the end are taken whole. Errors: "patch.index", with the extents.
    static Result<ElementSelection> make(std::span<const IndexRange> indices, const Shape &shape);
    static ElementSelection whole(std::uint64_t elements);

    /// Never 0.
    std::uint64_t elements() const { return m_elements; }
    /// The next run, ascending; count 0 at the end.
    Run next();

private:
    struct Axis {
        std::uint64_t start = 0, count = 0, stride = 0, at = 0;
    };
    std::vector<Axis> m_axes; ///< outermost first; the last is the run
    std::uint64_t m_elements = 0;
    bool m_done = false;
};

/// A part of an encoding as edits of stored codes address it.
struct StoredPart {
    const codec::Operand *operand = nullptr; ///< of the encoding
    unsigned width = 0;                      ///< bits of one code
};

/// The part of that role; nothing where the encoding has none, or several within other operands.
std::optional<StoredPart> storedPart(const codec::Encoding &encoding, codec::PartRole role);

} // namespace kernscope::patch
