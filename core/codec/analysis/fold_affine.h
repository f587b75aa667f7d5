// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/codec/decode/decoder.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kernscope::codec {

/// What a layer does to the sums of one output channel after the bias: y' = gain * y + shift (a
/// batch normalisation, for one). Empty vectors stand for 0, 1 and 0.
struct ChannelAffine {
    std::vector<float> bias;
    std::vector<float> gain;
    std::vector<float> shift;
};

/// Where the scale of a quantised weight goes. Either way the affine costs no operation at run time
/// (chapter 25: "free affine").
enum class FoldTarget : std::uint8_t {
    Coefficients, ///< into fp16 coefficients: w' = gain * s * (q - z), post-scale 1
    Vectors       ///< coefficients q - z, exact in fp16; the post-scale vector holds gain * s
};

/// A folded layer: y'[c] = postScale[c] * sum(coefficients[c][i] * x[i]) + bias[c].
struct FoldedAffine {
    Shape shape;                             ///< of the coefficients, output channels first
    std::vector<std::uint16_t> coefficients; ///< fp16
    std::vector<std::uint16_t> postScale;    ///< fp16, one for each output channel
    std::vector<std::uint16_t> bias;         ///< fp16: gain * bias + shift
    /// Largest difference of an effective weight (postScale * coefficient) from gain * s * (q - z).
    double largestError = 0;
};

/// Folds an affine or blockwise weight whose scales are one for the tensor or one for each output
/// channel (axis 0). Errors: "codec.fold" for another weight, "codec.argument" where a vector of
/// `layer` is neither empty nor one number for each channel.
Result<FoldedAffine> foldAffine(const Decoder &weight, const ChannelAffine &layer,
                                FoldTarget target);

} // namespace kernscope::codec
