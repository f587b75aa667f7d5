// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/pair_kernels.h"
#include "core/compare/pair_reader.h"
#include "core/compare/value_difference.h"

namespace kernscope::diff {

/// A run of elements of A, decoded when it is first asked for: several pairs may share it.
class BaseRun
{
public:
    /// Elements [first, first + count) come next; nothing of them is decoded yet.
    void begin(std::uint64_t first, std::size_t count);
    std::uint64_t first() const { return m_first; }
    std::size_t count() const { return m_count; }
    /// `decoded` grows by the elements that had to be decoded.
    std::span<const std::uint16_t> halves(const PairReader &reader, std::uint64_t &decoded);
    std::span<const double> doubles(const PairReader &reader, std::uint64_t &decoded);
    std::span<const ExactValue> exact(const PairReader &reader, std::uint64_t &decoded);

private:
    std::uint64_t m_first = 0;
    std::size_t m_count = 0;
    bool m_haveHalves = false, m_haveDoubles = false, m_haveExact = false;
    std::span<const std::uint16_t> m_halves;
    std::vector<std::uint16_t> m_decodedHalves; ///< of them, where they are not stored so
    std::vector<double> m_doubles;
    std::vector<ExactValue> m_exact;
};

/// Sums over the elements that are finite in both. Runs are summed as doubles where these do, and
/// the sums of runs added exactly.
template <class T>
struct PairSums {
    T abs = 0, square = 0, aa = 0, bb = 0, ab = 0, largest = 0, largestRelative = 0;
    std::uint64_t finite = 0;

    template <class Other>
    void add(const PairSums<Other> &other);
};

/// Gathers the figures of runs of one pair of weights. Runs may be gathered apart and merged: the
/// counts are then those of one pass, the sums the same but for rounding.
class PairGatherer
{
public:
    /// `tolerance`: |a - b| above which ValueDifference::beyondTolerance counts; not negative.
    PairGatherer(const PairReader &reader, double tolerance);

    /// Decodes and adds elements [first, first + count).
    void add(std::uint64_t first, std::uint64_t count);
    /// The same for a run of A that others may have decoded, of at most kKernelElements.
    void add(BaseRun &base);
    /// Adds what another one found in elements after these.
    void merge(const PairGatherer &later);
    ValueDifference finish() const;

private:
    void addHalves(BaseRun &base);
    template <class T>
    void addValues(std::uint64_t first, std::span<const T> a, std::span<const T> b);
    template <class T>
    void addValue(std::uint64_t element, T a, T b, PairSums<T> &sums);
    void noteWorst(std::uint64_t first, std::span<const std::uint16_t> halvesA,
                   std::span<const std::uint16_t> halvesB, const HalfFigures &figures);
    void noteBeyond(std::span<const std::uint16_t> halvesA, std::span<const std::uint16_t> halvesB);
    void noteSteps(std::span<const std::uint16_t> halvesA, std::span<const std::uint16_t> halvesB);

    const PairReader *m_reader;
    double m_tolerance;
    ValueDifference m_result;
    PairSums<ExactValue> m_sums;
    std::vector<std::uint16_t> m_decodedB;
    std::vector<double> m_doublesB;
    std::vector<ExactValue> m_exactB;
};

} // namespace kernscope::diff
