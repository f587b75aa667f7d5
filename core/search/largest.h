// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/find.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernscope::search {

/// Keeps the elements of largest magnitude among those that it is shown, at most `most` of them.
/// Infinities are larger than all numbers; NaN has no magnitude and is not kept. Of equals the
/// first that was shown stays.
class Largest
{
public:
    explicit Largest(std::size_t most) : m_most(most) {}

    /// Shows it an element.
    void take(std::size_t weight, std::uint64_t element, const ElementValue &value);
    /// False where an element had to go.
    bool complete() const { return m_complete; }
    /// The largest first; of equals the one shown first. Leaves none here.
    std::vector<Hit> take();

private:
    struct Kept {
        double magnitude = 0;
        ElementValue value;
        std::size_t weight = 0;
        std::uint64_t element = 0;
    };
    static bool larger(const Kept &a, const Kept &b);
    /// Whether `a` comes before `b` in the answer.
    static bool before(const Kept &a, const Kept &b);

    std::size_t m_most;
    bool m_complete = true;
    std::vector<Kept> m_heap; ///< the one to go next is in front
};

} // namespace kernscope::search
