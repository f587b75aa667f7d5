// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/input_statistics.h"

/// Private to the codec: the weights that meet in one output.
namespace kernscope::codec {

/// The elements of a weight in lines, each of which one output sums up: line `n` has `length`
/// elements, `stride` apart.
struct InputLines {
    std::size_t count = 0;
    std::size_t length = 0;
    std::size_t stride = 1;
    std::size_t inner = 1;  ///< elements that share an input channel, one after the other
    std::size_t groups = 1; ///< of the layer; lines of a group follow one another

    std::size_t firstOf(std::size_t line) const
    {
        return line / stride * (length * stride) + line % stride;
    }
    /// Number, in the statistics, of the channel that feeds element `k` of a line.
    std::size_t channelOf(std::size_t line, std::size_t k) const
    {
        const std::size_t channels = length * stride / inner;
        return line / (count / groups) * channels + k * stride / inner;
    }
};
/// `inputs` was checked for the shape, which has elements.
InputLines inputLines(const InputStatistics &inputs, const Shape &shape);

/// Extents before, along and after the axis of the input channels.
struct InputAxis {
    std::size_t before = 1, channels = 1, after = 1;
};
InputAxis inputAxis(const InputStatistics &inputs, const Shape &shape);

} // namespace kernscope::codec
