// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/pair_kernels.h"
#include "core/diff/pair_reader.h"
#include "core/diff/value_difference.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope::diff {

/// Gathers the figures of runs of one pair of weights. Runs may be gathered apart and merged: the
/// counts are then those of one pass, the sums the same but for rounding.
class PairGatherer
{
public:
    PairGatherer(const PairReader &reader, double tolerance);

    /// Decodes and adds elements [first, first + count).
    void add(std::uint64_t first, std::uint64_t count);
    /// Adds what another one found in elements after these.
    void merge(const PairGatherer &later);
    ValueDifference finish() const;

private:
    struct Sums {
        double abs = 0, square = 0, aa = 0, bb = 0, ab = 0, largest = 0, largestRelative = 0;
        std::uint64_t finite = 0;
    };

    void addHalves(std::uint64_t first, std::size_t count);
    void addDoubles(std::uint64_t first, std::size_t count);
    void addDouble(std::uint64_t element, double a, double b, bool same);
    void noteWorst(std::uint64_t first, std::size_t count, const HalfFigures &figures);
    void noteCounterexample(const ElementPair &pair);

    const PairReader *m_reader;
    double m_tolerance;
    ValueDifference m_result;
    Sums m_sums;
    std::vector<std::uint16_t> m_halvesA, m_halvesB;
    std::vector<double> m_doublesA, m_doublesB;
    std::vector<std::int64_t> m_codesA, m_codesB;
};

} // namespace kernscope::diff
