// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"

namespace kernscope::codec {

/// How a layer uses a weight that is stored as [groups, outer, channels, inner]: each channel of
/// each group is an output, which sums over all outer and inner indices.
struct LayerShape {
    std::uint64_t channels = 0; ///< of a group
    std::uint64_t inner = 0;    ///< indices behind the channel's
    std::uint64_t outer = 1;    ///< indices before it
    std::uint64_t groups = 1;   ///< parts that have no output in common
};
/// Axis 0 are the output channels, all others are summed over (convolutions and linear layers).
LayerShape layerOf(std::span<const std::uint64_t> shape);

struct AccuracyOptions {
    /// By weight element, the mean square of the input that it meets; empty: 1 of all. It scales
    /// the inputs.
    std::span<const float> inputMeanSquares;
    bool weightFigures = true; ///< those of the weights, which are of all of them
};

/// How far the layer's results are from the exact ones.
struct AccuracyError {
    double weightMaxAbs = 0;   ///< largest |stored - original| of a weight
    double weightRmse = 0;     ///< root of the mean square of that
    double weightRelative = 0; ///< that over the root mean square of the original weights
    double outputMaxAbs = 0;   ///< of an output, through the engine's reduction
    double outputRmse = 0;
    double outputRelative = 0; ///< root mean square error over that of the exact outputs
    double denseRelative = 0;  ///< the same with dense fp16 weights: the reduction's own share
    std::uint64_t outputs = 0;
    std::uint64_t nonFinite = 0; ///< outputs that overflow at the port; left out of the figures
    std::uint64_t contested = 0; ///< outputs that rest on a contested partial sum (Reduction)
};

/// The error of a weight as stored, against the values it was made from: estimates from 8 inputs of
/// normal numbers of mean 0 and deviation 1 in fp16, from a fixed seed, and from at most 64
/// outputs, evenly picked. Errors: "codec.shape" where the lengths differ from the layer's. The one
/// error of a layer that every command gives.
Result<AccuracyError> accuracyError(const Decoder &stored, std::span<const float> original,
                                    const LayerShape &layer, const AccuracyOptions &options = {});

} // namespace kernscope::codec
