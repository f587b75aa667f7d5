// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/form_check.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernscope::diff {

/// Finds for every scale the one that fits the values of A best (least squares), with the codes and
/// zero points as they are: decoded values are proportional to the scale.
class ScaleTally
{
public:
    /// Scales of a weight whose fits are held at a time.
    static constexpr std::uint64_t kMostCells = std::uint64_t(1) << 20;

    /// `scale`: one value, or one for each of `cells`.
    ScaleTally(const codec::Operand &scale, std::uint64_t cells);
    /// Whether another scale of the type can be rounded to.
    static bool canRound(ElementType type);

    /// An element that the scale `cell` serves (below `cells`), in A and in B.
    void add(std::uint64_t cell, double a, double b);
    ScaleCheck finish() const;

private:
    struct Fit {
        double ab = 0, bb = 0, aa = 0, error = 0;
        std::uint64_t count = 0;
    };
    const codec::Operand &m_scale;
    std::vector<Fit> m_fits;
};

} // namespace kernscope::diff
