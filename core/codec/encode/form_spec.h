// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/input_statistics.h"
#include "core/form/storage_form.h"

namespace kernscope::codec {

/// A form to encode a weight in, with everything that its encoder asks for.
struct FormSpec {
    FormNode node = FormNode::Dense; ///< Dense, Affine, Palette, Sparse or Blockwise
    /// Of values that are stored as they are: dense ones and the plain survivors of sparse ones.
    ElementType denseType = ElementType::Fp16;
    AffineOptions affine;
    PaletteOptions palette;
    BlockwiseOptions blockwise;
    /// Sparse, the first of these that is set; otherwise every element that is not zero is kept.
    std::optional<SparsePattern> pattern;
    std::optional<double> density;
    std::optional<float> threshold;
    /// Sparse: how the survivors are stored: Dense, Palette or Blockwise (`palette` and `blockwise`
    /// say the rest).
    FormNode survivors = FormNode::Dense;
    /// How codes, scales, codebooks and (by `pattern` or `density`) masks are chosen; dense weights
    /// have nothing to choose.
    EncodeMethod method = EncodeMethod::Plain;
    /// What flows into the layer; null: nothing is known, all inputs count alike.
    std::shared_ptr<const InputStatistics> inputs;
};

/// "palette 4 bit, 8 codebooks", "sparse 2:4 along axis 1, non-zero values palette 4 bit".
std::string describe(const FormSpec &spec);

/// Makes a weight of fp16 results one of fp32: scales, codebooks and plain values are widened, the
/// codes stay as they are.
void widenToFp32(EncodedWeight &weight);

/// The encoder of that form, by the method. Errors: those of the encoder and of checkInputs;
/// "codec.argument" in "values" where one is not finite and the form is not dense; "encode.form"
/// for a node that has none; of feedback also "codec.argument" in "inputs" (neither means nor
/// second moments; second moments of no data; vectors where the inputs are not axis 1).
Result<EncodedWeight> encodeForm(std::span<const float> values, const Shape &shape,
                                 const FormSpec &spec);
/// Of a weight of that type: what is made of an fp32 weight is one of fp32.
Result<EncodedWeight> encodeForm(std::span<const float> values, const Shape &shape,
                                 const FormSpec &spec, ElementType type);

} // namespace kernscope::codec
