// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/bundle/weight.h"
#include "core/codec/encode/form_spec.h"
#include "core/patch/reencode/reencode.h"

/// Names of forms that a plan may give a weight, as people type them.
namespace kernscope::plan {

/// Where a weight's channels lie: what per-channel scales, blocks and patterns run along.
using Axes = ChannelAxes;

/// "keep": the form that the weight has now.
constexpr std::string_view kKeep = "keep";

/// "dense", "int8", "int8-offset", "int8-tensor", "palette4", "palette4-g8" (8 codebooks),
/// "palette4-v2" (vectors of 2), "palette4-int8" (its entries), "blockwise-int4-32",
/// "blockwise-int8-32-offset", "sparse" (every value that is not zero), "sparse-0.5" (density),
/// "sparse-2:4", and "sparse-0.5+palette4", "sparse-0.5+blockwise-int8-32".
std::string formName(const codec::FormSpec &spec);

/// A name of each kind, to be offered.
std::vector<std::string> formExamples();

/// The form of that name. Errors: "plan.form".
Result<codec::FormSpec> formFromName(std::string_view name, const Axes &axes = {0, 1, 0, 1});

/// What a chip's decision needs to know of a proposed form of a weight of `type`. Its sizes are
/// those of `stored`; how many values it keeps is open.
decision::WeightForm proposedForm(const codec::FormSpec &spec, const decision::WeightForm &stored,
                                  ElementType type);

// What a form costs a weight in accuracy.

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
    std::uint64_t step = 1; ///< `values` holds every step-th row of axis 0
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
std::uint64_t storedBytes(const WeightValues &weight, const codec::EncodedWeight &encoded,
                          const StoredParts &how = {});

// What people measured of a network, as plans take it. Statistics of inputs: readActivations.

/// Sensitivities by weight: of a CSV table with the columns "weight" (a name or a pattern, of
/// several that match the last) and "sensitivity" (0 or more); 1 for all others. Errors:
/// "plan.sensitivity", those of CsvTable::parse.
Result<std::vector<double>> readSensitivity(const Bundle &network, std::string_view csv,
                                            std::string_view fileName);

} // namespace kernscope::plan
