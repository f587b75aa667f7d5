// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernscope {

/// How much a row of a comparison asks for attention: what cannot be compared or has no partner,
/// then values that differ, then what is not known yet, then what is the same.
struct PairSeverity {
    enum class Kind : std::uint8_t {
        NotComparable, ///< a side cannot be read, or the shapes differ
        OneSided,      ///< the weight exists on one side only
        NotFinite,     ///< values that are not finite differ: more than any difference
        Differs,       ///< values differ
        Unknown,       ///< values were not compared (yet), and the stored bytes are others
        SameValues,    ///< stored otherwise, the same values
        Identical,     ///< the same stored bytes in the same layout
    };
    Kind kind = Kind::Identical;
    double relativeRmse = 0; ///< of those that differ
    double maxAbs = 0;       ///< decides between equal ones, and then the elements that differ
    std::uint64_t different = 0;

    friend bool operator==(const PairSeverity &, const PairSeverity &) = default;
};

/// Of values; `storedEqual`: the stored bytes are the same.
PairSeverity severityOf(const ValueDifference &values, bool storedEqual);
/// Of a pair; of a weight without a partner, one of whose indices is kNoIndex, OneSided.
PairSeverity severityOf(const ComparedPair &pair);

/// True where the first one comes before the other: a strict weak order.
bool worse(const PairSeverity &x, const PairSeverity &y);
/// Indices in the order of severity, the worst first; equal ones stay as they are.
std::vector<std::size_t> worstFirst(std::span<const PairSeverity> severities);

} // namespace kernscope
