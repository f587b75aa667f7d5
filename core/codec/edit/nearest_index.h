// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Private to the codec: the nearest of many numbers, for very many values.
namespace kernscope::codec {

/// Whether `value`, between `lower` and `upper` or outside of them, goes to the lower one:
/// it is nearer, or as near and `lowerFirst`.
bool goesToLower(double value, double lower, double upper, bool lowerFirst);

/// The largest double that goes to each of the values but the last, by goesToLower(). `values`
/// strictly ascending; `codes` as many: of two that are equally near, the one of the lower code.
std::vector<double> limitsOf(std::span<const double> values, std::span<const std::int64_t> codes);

/// Counts the limits below a value, for very many values: in buckets of equal width. Of doubles or
/// floats.
template <class Value>
class LimitIndex
{
public:
    LimitIndex() = default;
    explicit LimitIndex(std::vector<Value> limits); ///< finite, ascending

    /// False where too many limits share a bucket, or there are none.
    bool isUsable() const { return !m_starts.empty(); }
    /// found[i]: how many limits are below asked[i], which are finite. Only where isUsable().
    void find(std::span<const Value> asked, std::span<std::uint16_t> found) const;

private:
    template <std::size_t Most>
    void findOf(std::span<const Value> asked, std::span<std::uint16_t> found) const;

    std::vector<Value> m_limits;         ///< infinities behind them
    std::vector<std::uint16_t> m_starts; ///< limits in the buckets before each; empty: not usable
    std::size_t m_most = 0;              ///< limits in one bucket, at most
    Value m_low = 0, m_perUnit = 0;      ///< a value's bucket is (value - m_low) x m_perUnit
};

/// Finds the nearest of ascending finite numbers by the limits between neighbours: found[i] is the
/// place of the number. The answers are those of goesToLower(), which decides the limits.
class NearestIndex : public LimitIndex<double>
{
public:
    NearestIndex() = default;
    /// `values` strictly ascending; `codes` as many: of two that are equally near, the one of the
    /// lower code.
    NearestIndex(std::span<const double> values, std::span<const std::int64_t> codes)
        : LimitIndex(limitsOf(values, codes))
    {
    }
};

} // namespace kernscope::codec
