// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/encoder.h"
#include "core/numeric/element_type.h"

namespace kernscope::codec {

/// What flows into the layer that a weight belongs to, in numbers of the input channels: extents
/// along `axis` of the weight. Everything is averaged over the samples that were measured.
struct InputStatistics {
    /// Axis of the input channels: 1 of convolutions and linear layers, 0 of their transposes.
    std::uint64_t axis = 1;
    /// E[x²] of each input channel, not negative: as many numbers as the axis is long, or `G` times
    /// as many for a layer of `G` groups (axis 1 and above; G divides axis 0; the channels of a
    /// group follow one another). Empty where `secondMoment` is given.
    std::vector<float> meanSquare;
    /// E[x] of each input channel, as many as `meanSquare` has; or empty. Different inputs count as
    /// independent: E[x_i x_j] = E[x_i] E[x_j].
    std::vector<float> mean;
    /// E[x_i x_j], row-major and symmetric, or empty. Either of the input channels (each place of a
    /// convolution's kernel then counts by itself), or of all that one output sums up: the channels
    /// and, within them, the axes after them (as im2col lays them out). Takes the place of the
    /// other two. Without groups; at most kMostColumns rows.
    std::vector<float> secondMoment;

    static constexpr std::uint64_t kMostColumns = 16384;
};

/// How an encoder chooses what it stores.
enum class EncodeMethod : std::uint8_t {
    /// Without looking at the inputs: scales from the range of the values, codebooks of least
    /// squared error, masks by magnitude.
    Plain,
    /// Least squared error weighted by the inputs' mean squares (all equal without statistics):
    /// scales (and zero points) by least squares with a search for where to clip, codebooks by
    /// weighted k-means, masks by saliency (magnitude times root mean square). Never worse than
    /// Plain by that measure.
    Fitted,
    /// Fitted, then codes chosen one input after the other, each making up for the errors of those
    /// before it (as GPTQ does). Needs means or second moments: errors of independent inputs of
    /// mean 0 do not add up. Never worse than Plain by inputError.
    Feedback
};
/// "plain", "fitted", "feedback".
std::string_view encodeMethodName(EncodeMethod method);

/// Errors: "codec.argument" in field "inputs" where the statistics do not fit the shape, or hold
/// NaN, infinities or negative squares.
Result<void> checkInputs(const InputStatistics &inputs, const Shape &shape);

/// The mean square of the input that each element of a weight is multiplied with, row-major, in
/// parts of the largest. All 1 where all of them are 0. `inputs` was checked for the shape.
std::vector<float> inputMasses(const InputStatistics &inputs, const Shape &shape);

/// Expected squared error of the outputs, summed over the outputs, when `stored` takes the place of
/// `values`: the sum of d' H d over the outputs, where d are the differences of an output's weights
/// and H the inputs' second moments, as far as the statistics tell. Differences that are not finite
/// do not count. Errors: those of checkInputs, "codec.shape".
Result<double> inputError(std::span<const float> values, std::span<const float> stored,
                          const Shape &shape, const InputStatistics &inputs);

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
