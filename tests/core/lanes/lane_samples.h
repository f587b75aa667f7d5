// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "encode_slices.h"
#include "tests/test_program.h"

/// Slices and values that the tests of lanes are made of.
namespace kernscope::test {

using namespace kernscope::lanes;

inline std::uint16_t halfAt(std::span<const std::byte> bytes, std::uint64_t at)
{
    return std::uint16_t(std::to_integer<unsigned>(bytes[at]) |
                         std::to_integer<unsigned>(bytes[at + 1]) << 8);
}

inline std::vector<std::uint16_t> numbered(std::uint64_t count, std::uint16_t from)
{
    std::vector<std::uint16_t> values(count);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::uint16_t(from + i);
    return values;
}

inline std::vector<std::span<const std::byte>> spansOf(const std::vector<Slice> &slices)
{
    return {slices.begin(), slices.end()};
}

/// fp16 bits of a weight, row-major, and its biases, read one number at a time.
struct Halves {
    std::vector<std::uint16_t> weights, bias;
};

inline Halves halvesOf(const SliceLayout &layout,
                       const std::vector<std::span<const std::byte>> &slices)
{
    Halves halves;
    for (std::uint64_t channel = 0; channel < layout.geometry().outputs; ++channel) {
        for (std::uint64_t step = 0; step < layout.steps(); ++step) {
            const LanePlace place = layout.placeOf(channel, step);
            halves.weights.push_back(halfAt(slices[place.engine], place.offset));
        }
        if (layout.geometry().bias) {
            const LanePlace place = layout.biasPlace(channel);
            halves.bias.push_back(halfAt(slices[place.engine], place.offset));
        }
    }
    return halves;
}

inline SliceLayout layoutOf(const WeightExtents &geometry, Law law, const DealOptions &options = {})
{
    auto layout = SliceLayout::make(geometry, law, options);
    if (!layout)
        qFatal("%s", layout.error().message.c_str());
    return *layout;
}

} // namespace kernscope::test
