// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Private to the codec: choosing the entries of a codebook.
namespace kernscope::codec {

/// A value and how much its error counts, as how often it occurs: more than 0.
struct MassedValue {
    float value = 0;
    double mass = 0;
};

/// At most `clusters` centres, ascending, whose squared error over `values` (ascending, distinct)
/// by their masses is the least possible (optimal_centres.cpp). Fewer centres where there are fewer
/// values.
std::vector<float> optimalCentres(std::span<const MassedValue> values, std::size_t clusters);

/// The same where centres are fp16 numbers: of all fp16 codebooks the one of least error over
/// `values`, which are fp16 numbers themselves.
std::vector<float> optimalHalfCentres(std::span<const MassedValue> values, std::size_t clusters);

/// `clusters` centres of `vector` values each, by k-means++ and Lloyd's iterations over at most
/// 65,536 of the vectors, evenly picked. Deterministic: the seed is fixed. A cluster that runs
/// empty takes the vector that is worst served. `vectors` holds whole vectors, at least one.
std::vector<float> vectorCentres(std::span<const float> vectors, std::size_t vector,
                                 std::size_t clusters);

/// The same where the error of each single value counts by its mass (as many as values): starts
/// from `first`, if there are centres in it, instead of k-means++.
std::vector<float> massedVectorCentres(std::span<const float> vectors,
                                       std::span<const float> masses, std::size_t vector,
                                       std::size_t clusters, std::vector<float> first);

} // namespace kernscope::codec
