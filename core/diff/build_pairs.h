// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"

#include <cstddef>
#include <span>

namespace kernscope::diff {

/// A weight of the base in one of several builds.
struct BuildPair {
    const Bundle *build = nullptr;
    ComparedPair *pair = nullptr; ///< gets the values, or the fault
    double tolerance = 0;
};

/// Values of one weight of the base against those of several builds; the base is decoded once.
/// False where cancelled. Takes the files' locks itself. Progress in elements, of every pair.
bool compareWithBase(const Bundle &base, std::size_t weight, std::span<const BuildPair> pairs,
                     Progress *progress);

/// Whether the values of a pair follow from its stored bytes, and what they are then: fills them
/// in without decoding anything.
bool valuesOfSameBytes(const Bundle &a, const Bundle &b, ComparedPair &pair);

} // namespace kernscope::diff
