// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/form_spec.h"

/// What the encoders offer, a row for each step that a weight can be encoded in. The encoder of a
/// form, its text, its name in plans and what it makes are found here (form_encoders.cpp).
namespace kernscope::codec {

/// The axes that per-channel scales (output), blocks and patterns (input) lie along.
struct EncodedAxes {
    std::size_t output = 0;
    std::size_t input = 1;
};

/// What the stored elements of an encoded weight are.
struct ElementsMade {
    FormNode node = FormNode::Dense; ///< as elementsNode() has it
    bool masked = false;
    ElementType type = ElementType::Unknown; ///< of a palette, its entries; Unknown: the weight's
    unsigned bits = 0;                       ///< 0: the type's
    std::uint64_t vectorSize = 1, codebooks = 1;
    bool zeroPoint = false;
};

/// Which members of a FormSpec an encoder reads.
struct EncoderReads {
    bool palette = false;
    bool codes = false;  ///< type of the codes, and whether they have a zero point or offset
    bool tensor = false; ///< one scale for all, or for each channel of an axis
    bool blocks = false;
    bool mask = false; ///< pattern, density, threshold, survivors
};

/// All functions are given but `encodeKept`.
struct FormEncoder {
    FormNode node = FormNode::Dense;
    /// As `encode --form` calls it: "palette".
    std::string_view word = {};
    /// Names of plans begin with one of them: "int8", "uint8"; none: with the word.
    std::span<const std::string_view> prefixes = {};
    std::string_view examples = {}; ///< names of plans, for messages: "int8, int8-offset"
    EncoderReads reads = {};

    /// Errors: "codec.shape", "codec.argument". `masses`: as said below; none: all alike.
    Result<EncodedWeight> (*encode)(std::span<const float> values, const Shape &shape,
                                    const FormSpec &spec, std::span<const float> masses) = nullptr;
    /// Codes the survivors of a mask that another encoder made; null: they stay as they are.
    Result<EncodedWeight> (*encodeKept)(std::span<const float> values, const EncodedWeight &sparse,
                                        const FormSpec &spec,
                                        std::span<const float> masses) = nullptr;
    std::string (*describe)(const FormSpec &spec) = nullptr; ///< "palette 4 bit, 8 codebooks"
    std::string (*name)(const FormSpec &spec) = nullptr;     ///< in plans: "palette4-g8"
    /// Takes such a name, prefix and all; false: it is none.
    bool (*read)(std::string_view name, const EncodedAxes &axes, FormSpec &spec) = nullptr;
    ElementsMade (*made)(const FormSpec &spec) = nullptr;
    /// Whether integer codes leave out the one without a counterpart.
    bool (*symmetric)(const FormSpec &spec) = nullptr;
};

/// In the order in which messages list them.
std::span<const FormEncoder *const> formEncoders();
/// Null where weights are not encoded so.
const FormEncoder *formEncoder(FormNode node);
/// By a name of plans or the beginning of one, by the word of a command; null where it is none.
const FormEncoder *formEncoderOfName(std::string_view name);
const FormEncoder *formEncoderOfWord(std::string_view word);
/// "dense, affine, palette, sparse or blockwise".
std::string encoderWords();
/// Of all encoders; of those that code the survivors of a mask, after "plain".
std::vector<std::string> encoderWordList();
std::vector<std::string> survivorWordList();

/// Takes "-" and the next word from the front; empty where there is none.
std::string_view nextWord(std::string_view &rest);
/// A number above 0 of at most nine digits.
std::optional<std::uint64_t> positiveNumber(std::string_view text);

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
