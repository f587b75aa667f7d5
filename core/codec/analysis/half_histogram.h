// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/kmeans.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Private to the codec: weights by their 65,536 possible fp16 values.
namespace kernscope::codec {

/// fp16 values of a run in ascending order with their counts; -0 counts as +0. Infinities and NaN
/// are left out: `finite` says whether there were none.
struct HalfHistogram {
    std::vector<WeightedValue> values;
    bool finite = true;
};
HalfHistogram histogramOf(std::span<const float> values);

/// fp16 values of a run in ascending order with the sum of their masses, without those of mass 0,
/// infinities and NaN. Nothing where there are no masses, or all of them are 0.
std::vector<MassedValue> massedHistogram(std::span<const float> values,
                                         std::span<const float> masses);
/// Squared error of those values against the nearest of ascending entries, by mass.
double massedError(std::span<const MassedValue> values, std::span<const float> entries);

/// Finds the nearest entry of an ascending codebook for any number of finite values; of two equally
/// near ones the lower, of equal ones the first.
class NearestEntry
{
public:
    /// With `many` lookups to come a table of all fp16 numbers pays.
    NearestEntry(std::span<const float> entries, bool many);

    /// Index of the entry for each value, rounded to fp16 first.
    void assign(std::span<const float> values, std::span<std::uint8_t> indices) const;

private:
    std::uint8_t search(std::uint16_t half) const;
    void findBounds();

    std::span<const float> m_entries;
    std::vector<std::uint8_t> m_table; ///< by fp16 bits; empty where searching is cheaper
    /// Largest numbers (halfOrder) that each entry but the last is nearest to; empty where the
    /// table is quicker, or an entry has none.
    std::vector<std::int16_t> m_bounds;
};

} // namespace kernscope::codec
