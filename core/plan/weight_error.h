// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/codec/encode/form_spec.h"
#include "core/codec/encode/input_statistics.h"
#include "core/plan/form_name.h"

#include <memory>
#include <optional>
#include <vector>

/// What a form costs a weight in accuracy.
namespace kernscope::plan {

/// What the error of a layer is taken from.
enum class ErrorModel : std::uint8_t {
    /// Root of the sum of squared differences of the weights over that of the weights. With
    /// statistics of the inputs the same of the outputs that are expected (codec::inputError).
    Weights,
    Outputs, ///< of the layer's outputs through the engine's reduction (codec::accuracyError)
};
std::string_view errorModelName(ErrorModel model); ///< "weights", "outputs"

/// The values of a weight that candidates are judged by: all of them, or some of its rows.
struct WeightValues {
    std::vector<float> values;
    Shape shape; ///< of `values`
    ElementType type = ElementType::Fp16;
    Axes axes;
    /// Sum of the squares of `values` (see energy()), where it was worked out already.
    std::optional<double> squares;
    std::uint64_t step = 1; ///< every so many-th row of axis 0 is among the values
    /// What flows into the layer; null: all inputs count alike. Its axis is one of `shape`.
    std::shared_ptr<const codec::InputStatistics> inputs;

    bool sampled() const { return step > 1; }
};

/// The rows of a weight, evenly picked where it has more than `mostElements`: as many of each group
/// that the inputs have. All rows where axis 0 is that of the inputs.
Result<WeightValues> weightValues(const Bundle &bundle, std::size_t weight, const Axes &axes,
                                  std::shared_ptr<const codec::InputStatistics> inputs = nullptr,
                                  std::uint64_t mostElements = UINT64_MAX);

/// Sum of the squared values; with statistics the sum of the mean squares of the layer's outputs
/// (codec::inputError of all values). Values that are not finite have no part in it.
double energy(const WeightValues &weight);

/// A weight in a form, and what it costs.
struct EncodedForm {
    codec::EncodedWeight weight;
    double error = 0;
    codec::EncodeMethod method = codec::EncodeMethod::Plain;
};
/// The one place where plans call the encoders: the plain one, the fitted one where it may be
/// better (codebooks without statistics are of least error already), and the one that feeds errors
/// back where there are means or second moments of the inputs. That of least error is taken, of
/// equal ones the first. Errors: those of codec::encodeForm.
Result<EncodedForm> encodeAs(const WeightValues &weight, const codec::FormSpec &spec,
                             ErrorModel model);

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
