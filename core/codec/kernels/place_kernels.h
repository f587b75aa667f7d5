// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: the nearest of a few numbers, for very many values.
namespace kernscope::codec {

/// Ascending numbers, at most 64. Bit i of `lowerFirst`: of two that are equally near, the one at i
/// goes before the one at i + 1.
struct NearestTable {
    std::span<const double> values;
    std::uint64_t lowerFirst = 0;
};
/// found[i]: the place of the number that is nearest to values[i], which are finite; chosen[i]: the
/// number. Returns how many were answered: from the first one on, a multiple of some elements.
std::size_t nearestPlaces(const NearestTable &table, std::span<const double> values,
                          std::span<std::uint8_t> found, std::span<double> chosen);

/// Ascending numbers, at least one and at most 64, and the limits between them.
struct LimitTable {
    std::span<const float> limits; ///< the largest value that goes to each number but the last
    std::span<const float> values;
    std::span<const std::uint8_t> codes;
};
/// Code and number that each of the values, which are finite, goes to.
void placeByLimits(const LimitTable &table, std::span<const float> values,
                   std::span<std::uint8_t> codes, std::span<float> chosen);

} // namespace kernscope::codec
