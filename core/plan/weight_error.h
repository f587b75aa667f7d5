// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/codec/encode/form_spec.h"
#include "core/plan/form_name.h"

#include <span>
#include <vector>

/// What a form costs a weight in accuracy.
namespace kernscope::plan {

/// What the error of a layer is taken from.
enum class ErrorModel : std::uint8_t {
    Weights, ///< root of the sum of squared differences of the weights over that of the weights
    Outputs, ///< of the layer's outputs through the engine's reduction (codec::accuracyError)
};
std::string_view errorModelName(ErrorModel model); ///< "weights", "outputs"

/// The values of a weight that candidates are judged by: all of them, or some of its rows.
struct WeightValues {
    std::vector<float> values;
    Shape shape; ///< of `values`
    ElementType type = ElementType::Fp16;
    Axes axes;
    std::uint64_t step = 1; ///< every so many-th row of axis 0 is among the values
    /// Mean squares of what flows into each input channel; empty: all the same.
    std::span<const float> meanSquares;

    bool sampled() const { return step > 1; }
};

/// The rows of a weight, evenly picked where it has more than `mostElements`.
Result<WeightValues> weightValues(const Bundle &bundle, std::size_t weight, const Axes &axes,
                                  std::uint64_t mostElements = UINT64_MAX);

/// Sum of the squared values, each times the mean square of its input channel.
double energy(const WeightValues &weight);

/// The one place where plans call the encoders. Errors: those of codec::encodeForm.
Result<codec::EncodedWeight> encodeAs(const WeightValues &weight, const codec::FormSpec &spec);

/// The error of a weight as stored, relative to its values.
Result<double> formError(const WeightValues &weight, const codec::Decoder &stored,
                         ErrorModel model);
/// The same of an encoded form.
Result<double> formError(const WeightValues &weight, const codec::EncodedWeight &encoded,
                         ErrorModel model);

/// Bytes that the whole weight takes in the form: of picked rows an estimate where the form keeps
/// some of the values only, else exact.
std::uint64_t storedBytes(const WeightValues &weight, const codec::EncodedWeight &encoded);

} // namespace kernscope::plan
