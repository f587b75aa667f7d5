// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/kmeans.h"
#include "encoded.h"
#include "tests/test_program.h"

/// Values and masses that codebooks are made of.
namespace kernscope::codec::test {

/// Error of a codebook.
inline double errorWith(const std::vector<MassedValue> &values, const std::vector<float> &book)
{
    double error = 0;
    for (const auto &[value, mass] : values) {
        double nearest = HUGE_VAL;
        for (const float centre : book)
            nearest = std::min(
                nearest, std::pow(static_cast<double>(value) - static_cast<double>(centre), 2));
        error += mass * nearest;
    }
    return error;
}

/// fp16 numbers with masses: a bell of them, evenly spread ones with many equal clusterings, small
/// ones beside large ones.
inline std::vector<MassedValue> someMasses(int kind, std::size_t count, std::mt19937 &random)
{
    std::normal_distribution<float> normal(0, 0.1f);
    std::map<float, double> masses;
    while (masses.size() < count) {
        const float value = kind == 0 ? normal(random)
                            : kind == 1
                                ? static_cast<float>(masses.size())
                                : std::ldexp(normal(random), static_cast<int>(random() % 9));
        masses[toHalf(value)] += kind == 1 ? 1.0 : 0.25 * static_cast<double>(1 + random() % 9);
    }
    std::vector<MassedValue> values;
    for (const auto &[value, mass] : masses)
        values.push_back({value, mass});
    return values;
}

} // namespace kernscope::codec::test
