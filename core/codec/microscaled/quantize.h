// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/encoder.h"

/// Private to the codec: what the encoders have in common.
namespace kernscope::codec {

/// The steps that integer codes stand for: value = scale * (code - zero), scale an fp16 number.
struct QuantGrid {
    float scale = 1;
    std::int64_t zero = 0;

    /// Nearest code, ties to even, within [low, high]; NaN becomes the zero.
    std::int64_t codeOf(float value, std::int64_t low, std::int64_t high) const;
};

/// Scale max |value| / top, zero at `zero`. A run of zeros gets the scale 1.
QuantGrid symmetricGrid(std::span<const float> values, double top, std::int64_t zero);
/// Steps over the values' range, widened to hold 0, in codes low to high.
QuantGrid rangeGrid(float least, float largest, std::int64_t low, std::int64_t high);

/// Least and largest finite value of a run, both 0 where it has none.
struct Range {
    float least = 0;
    float largest = 0;
    void add(float value);
};

/// "codec.shape" unless `values` are the elements of `shape`.
Result<void> checkValues(std::span<const float> values, const Shape &shape);
/// The same, and "codec.argument" unless the share is one: 0 to 1.
Result<void> checkDensity(std::span<const float> values, const Shape &shape, double density);
Error badArgument(std::string_view field, std::string expected, std::string found,
                  std::string message);

/// An empty part with the bytes for its shape.
EncodedPart makePart(PartRole role, ElementType type, Shape shape);
/// Stores a code at `index` of a part.
void storeCode(EncodedPart &part, std::uint64_t index, std::int64_t code);

} // namespace kernscope::codec
