// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/encoder.h"
#include "core/codec/encode/form_spec.h"

/// Private to the codec: encoders whose errors count by masses, one for each value, 0 to 1
/// (inputMasses). No masses: as the plain encoders of encoder.h.
namespace kernscope::codec {

Result<EncodedWeight> encodePalette(std::span<const float> values, const Shape &shape,
                                    const PaletteOptions &options, std::span<const float> masses);
Result<EncodedWeight> encodeAffine(std::span<const float> values, const Shape &shape,
                                   const AffineOptions &options, std::span<const float> masses);
Result<EncodedWeight> encodeBlockwise(std::span<const float> values, const Shape &shape,
                                      const BlockwiseOptions &options,
                                      std::span<const float> masses);
Result<EncodedWeight> encodeSparsePalette(std::span<const float> values,
                                          const EncodedWeight &sparse,
                                          const PaletteOptions &options,
                                          std::span<const float> masses);
Result<EncodedWeight> encodeSparseBlockwise(std::span<const float> values,
                                            const EncodedWeight &sparse,
                                            const BlockwiseOptions &options,
                                            std::span<const float> masses);
/// Masks by saliency: keeps the elements whose removal costs most, mass * (w² - (w - fp16(w))²),
/// which is mass * w² of fp16 weights; ties by position, never a zero in fp16, always NaN.
Result<EncodedWeight> encodeSalientDensity(std::span<const float> values, const Shape &shape,
                                           double density, std::span<const float> masses);
Result<EncodedWeight> encodeSalientPattern(std::span<const float> values, const Shape &shape,
                                           const SparsePattern &pattern,
                                           std::span<const float> masses);

/// Sparse weights of fp32, by the mask that `spec` asks for (pattern, density, threshold, or every
/// non-zero): kept is what is largest in mass * w² without a step through fp16, and it is stored
/// bit by bit. Ties by position, never a zero, NaN and infinities first; by threshold NaN stays.
Result<EncodedWeight> encodeWideSparse(std::span<const float> values, const Shape &shape,
                                       const FormSpec &spec, std::span<const float> masses);

/// Chooses the codes of an encoded weight anew, one input after the other, so that each makes up
/// for the errors of those before it; scales, codebooks and masks stay. `inputs` was checked.
/// `symmetric`: integer codes leave out the one without a counterpart. Errors: "codec.argument"
/// (mean squares alone; vectors unless the inputs are axis 1; second moments of no data).
Result<void> feedBack(EncodedWeight &weight, std::span<const float> values,
                      const InputStatistics &inputs, bool symmetric);

} // namespace kernscope::codec
