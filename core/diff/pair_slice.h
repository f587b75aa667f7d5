// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/diff/joined_weights.h"
#include "core/diff/pair_reader.h"
#include "core/diff/value_difference.h"

#include <cstddef>

namespace kernscope::diff {

/// Where the elements of a part lie in the whole.
PartElements sliceOf(const Bundle &a, const Bundle &b, const JoinedWeights &joined,
                     std::size_t part);
/// Reads a part of B or A against its slice of the whole; elements are those of the part. Errors:
/// those of PairReader::make. Hold the files for reading.
Result<PairReader> partReader(const Bundle &a, const Bundle &b, const JoinedWeights &joined,
                              std::size_t part);

/// Decoded values of a weight against a slice of a larger one, which is that of A where `ofA`.
/// Elements of the result are those of the smaller one. Takes the files' locks itself, shared.
/// Errors: those of PairReader::make, "task.cancelled". Progress in elements.
Result<ValueDifference> compareSlice(const Bundle &a, std::size_t weightA, const Bundle &b,
                                     std::size_t weightB, const PartElements &slice, bool ofA,
                                     double tolerance, Progress *progress);

} // namespace kernscope::diff
