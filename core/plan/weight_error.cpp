// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/weight_error.h"

#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "core/codec/encode/form_encoder.h"

#include <cmath>
#include <limits>

#include <fmt/ranges.h>

namespace kernscope::plan {

namespace {

using codec::FormEncoder;
using codec::FormSpec;

/// "a form such as keep, dense, int8 or …".
std::string expectedNames()
{
    std::string names = fmt::format("a form such as {}", fmt::join(formExamples(), ", "));
    return names.replace(names.rfind(", "), 2, " or ");
}

constexpr std::size_t kBlock = 16384;

/// Sum of the squared differences of two runs.
double squares(std::span<const float> original, std::span<const float> found)
{
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= found.size(); i += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const double off =
                static_cast<double>(found[i + lane]) - static_cast<double>(original[i + lane]);
            sums[lane] += off * off;
        }
    }
    for (; i < found.size(); ++i) {
        const double off = static_cast<double>(found[i]) - static_cast<double>(original[i]);
        sums[0] += off * off;
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Sum of the squared differences of the weight from what a form stores: of its outputs, where
/// statistics of the inputs are given. Infinite where a difference is not finite.
Result<double> squaredError(const WeightValues &weight, const codec::Decoder &stored)
{
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (weight.inputs == nullptr) {
        std::vector<float> found(std::min<std::size_t>(kBlock, weight.values.size()));
        double sum = 0;
        for (std::size_t at = 0; at < weight.values.size(); at += kBlock) {
            const std::size_t count = std::min<std::size_t>(kBlock, weight.values.size() - at);
            const auto block = std::span(found).first(count);
            stored.decodeFloat(at, block);
            sum += squares(std::span(weight.values).subspan(at, count), block);
        }
        return std::isfinite(sum) ? sum : kInfinite;
    }
    std::vector<float> found(weight.values.size());
    stored.decodeFloat(0, found);
    if (!std::isfinite(squares(weight.values, found)))
        return kInfinite; // inputError leaves such differences out
    return codec::inputError(weight.values, found, weight.shape, *weight.inputs);
}

Result<double> outputError(const WeightValues &weight, const codec::Decoder &stored)
{
    const auto masses = weight.inputs == nullptr ? std::vector<float>()
                                                 : codec::inputMasses(*weight.inputs, weight.shape);
    codec::AccuracyOptions options;
    options.inputMeanSquares = masses;
    options.weightFigures = false;
    const auto error = TRY(codec::accuracyError(stored, weight.values,
                                                layerShape(weight.shape, weight.axes), options));
    return error.outputRelative;
}

tl::unexpected<Error> badRow(const std::string &file, std::string field, std::string expected,
                             std::string found, std::string message)
{
    return refused({file}, "plan.sensitivity", field, expected, found, message);
}

/// Takes every `step`-th row of axis 0, so that about `mostElements` are left. Halves again and
/// again, so that codebooks, patterns and groups of inputs still divide what is left.
void pickRows(WeightValues &picked, std::uint64_t elements, std::uint64_t mostElements)
{
    const auto *inputs = picked.inputs.get();
    if (inputs != nullptr && inputs->axis == 0)
        return;
    const std::uint64_t channels =
        inputs == nullptr || inputs->axis >= picked.shape.size() ? 1 : picked.shape[inputs->axis];
    const std::uint64_t groups =
        inputs == nullptr ? 1
                          : std::max<std::uint64_t>(1, inputs->meanSquare.size() /
                                                           std::max<std::uint64_t>(channels, 1));
    std::uint64_t &rows = picked.shape[0];
    while (rows % (2 * groups) == 0 && rows > 16 && elements / picked.step > mostElements) {
        rows /= 2;
        picked.step *= 2;
    }
}

double squaresOf(const WeightValues &weight)
{
    std::vector<float> finite(weight.values.size());
    std::transform(weight.values.begin(), weight.values.end(), finite.begin(),
                   [](float value) { return std::isfinite(value) ? value : 0.0f; });
    const std::vector<float> zeros(weight.values.size());
    const auto sum = weight.inputs == nullptr
                         ? Result<double>(squares(finite, zeros))
                         : codec::inputError(finite, zeros, weight.shape, *weight.inputs);
    return sum.value_or(0);
}

bool knowsMeans(const codec::InputStatistics *inputs)
{
    return inputs != nullptr && (!inputs->mean.empty() || !inputs->secondMoment.empty());
}

/// The methods beside the plain one that may be better. Masks alone are chosen by magnitude in
/// either, unless inputs count differently.
std::vector<codec::EncodeMethod> methodsFor(const WeightValues &weight, const codec::FormSpec &spec)
{
    using codec::EncodeMethod;
    const bool mask = spec.node == FormNode::Sparse && spec.survivors == FormNode::Dense;
    // Palettes of fp16 entries are of least squared error already.
    const bool palette = spec.node == FormNode::Palette || spec.survivors == FormNode::Palette;
    const bool best = palette && spec.palette.entryType == ElementType::Fp16;
    if (spec.node == FormNode::Dense || (best && weight.inputs == nullptr) ||
        (mask && (weight.inputs == nullptr || !(spec.pattern || spec.density))))
        return {};
    if (knowsMeans(weight.inputs.get()) && !mask)
        return {EncodeMethod::Fitted, EncodeMethod::Feedback};
    return {EncodeMethod::Fitted};
}

Result<EncodedForm> encodeBy(const WeightValues &weight, codec::FormSpec spec,
                             codec::EncodeMethod method, ErrorModel model)
{
    spec.method = method;
    spec.inputs = method == codec::EncodeMethod::Plain ? nullptr : weight.inputs;
    auto encoded = TRY(codec::encodeForm(weight.values, weight.shape, spec, weight.type));
    const auto error = TRY(formError(weight, encoded, model));
    return EncodedForm{std::move(encoded), error, method};
}

} // namespace

std::vector<std::string> formExamples()
{
    std::vector<std::string> names{std::string(kKeep)};
    for (const FormEncoder *encoder : codec::formEncoders()) {
        const std::string_view all = encoder->examples;
        for (std::size_t begin = 0; begin < all.size();) {
            const std::size_t end = std::min(all.find(", ", begin), all.size());
            names.emplace_back(all.substr(begin, end - begin));
            begin = end + 2;
        }
    }
    return names;
}

std::string formName(const FormSpec &spec)
{
    const FormEncoder *encoder = codec::formEncoder(spec.node);
    return encoder != nullptr ? encoder->name(spec) : std::string();
}

Result<FormSpec> formFromName(std::string_view name, const Axes &axes)
{
    FormSpec spec;
    if (const FormEncoder *encoder = codec::formEncoderOfName(name)) {
        spec.node = encoder->node;
        if (encoder->read(name, {axes.output, axes.input}, spec))
            return spec;
    }
    return refused("plan.form", "form", expectedNames(), std::string(name),
                   "There is no form of this name");
}

decision::WeightForm proposedForm(const FormSpec &spec, const decision::WeightForm &stored,
                                  ElementType type)
{
    const FormEncoder *encoder = codec::formEncoder(spec.node);
    const codec::ElementsMade made =
        encoder != nullptr ? encoder->made(spec) : codec::ElementsMade();
    decision::WeightForm form;
    form.node = made.node;
    form.masked = made.masked;
    form.element = made.type == ElementType::Unknown ? type : made.type;
    form.bits = made.bits != 0 ? made.bits : bitWidth(form.element);
    form.vectorSize = made.vectorSize;
    form.codebooks = made.codebooks;
    form.zeroPoint = made.zeroPoint;
    form.use = stored.use;
    form.shape = stored.shape;
    form.elements = stored.elements;
    form.storedBytes = stored.storedBytes;
    form.denseBytes = stored.denseBytes;
    return form;
}

std::string_view errorModelName(ErrorModel model)
{
    return model == ErrorModel::Weights ? "weights" : "outputs";
}

Result<WeightValues> weightValues(const Bundle &bundle, std::size_t index, const Axes &axes,
                                  std::shared_ptr<const codec::InputStatistics> inputs,
                                  std::uint64_t mostElements)
{
    const Weight &weight = bundle.weights()[index];
    const BundleReadLock lock(bundle);
    if (auto fault = maskFault(bundle, index))
        return tl::unexpected(*std::move(fault));
    const auto decoder = TRY(bundle.decoder(index));
    WeightValues picked;
    picked.shape = weight.shape;
    picked.type = weight.type;
    picked.axes = axes;
    picked.inputs = std::move(inputs);
    if (!picked.shape.empty())
        pickRows(picked, weight.elements.value, mostElements);
    if (picked.step == 1) {
        picked.values.resize(weight.elements.value);
        decoder.decodeFloat(0, picked.values);
        picked.squares = squaresOf(picked);
        return picked;
    }
    const std::uint64_t length = weight.elements.value / weight.shape[0];
    picked.values.resize(picked.shape[0] * length);
    for (std::uint64_t row = 0; row < picked.shape[0]; ++row)
        decoder.decodeFloat(row * picked.step * length,
                            std::span(picked.values).subspan(row * length, length));
    picked.squares = squaresOf(picked);
    return picked;
}

double energy(const WeightValues &weight)
{
    const double squares = weight.squares ? *weight.squares : squaresOf(weight);
    return squares * static_cast<double>(weight.step);
}

Result<EncodedForm> encodeAs(const WeightValues &weight, const codec::FormSpec &spec,
                             ErrorModel model)
{
    auto best = encodeBy(weight, spec, codec::EncodeMethod::Plain, model);
    if (!best || best->error == 0 || !std::isfinite(best->error))
        return best;
    for (const codec::EncodeMethod method : methodsFor(weight, spec)) {
        // What has no better method (vectors along the inputs, moments of no data) stays plain.
        auto other = encodeBy(weight, spec, method, model);
        if (other && other->error < best->error)
            best = std::move(other);
    }
    return best;
}

Result<double> formError(const WeightValues &weight, const codec::EncodedWeight &encoded,
                         ErrorModel model)
{
    const auto decoder = TRY(codec::Decoder::make(encoded.encoding()));
    return formError(weight, decoder, model);
}

Result<double> formError(const WeightValues &weight, const codec::Decoder &stored, ErrorModel model)
{
    if (model == ErrorModel::Outputs)
        return outputError(weight, stored);
    const auto sum = TRY(squaredError(weight, stored));
    if (sum == 0)
        return 0.0;
    const double whole = energy(weight) / static_cast<double>(weight.step);
    return whole > 0 ? std::sqrt(sum / whole) : std::numeric_limits<double>::infinity();
}

std::uint64_t storedBytes(const WeightValues &weight, const codec::EncodedWeight &encoded,
                          const StoredParts &how)
{
    std::uint64_t bytes = how.offsetBytes(encoded);
    for (const codec::EncodedPart &part : encoded.parts) {
        const auto count = elementCount(part.shape);
        const bool table = part.role == codec::PartRole::Lut ||
                           (part.role == codec::PartRole::Scale && encoded.entries > 0);
        const bool byRow =
            part.role == codec::PartRole::Data || part.role == codec::PartRole::Indices ||
            part.role == codec::PartRole::Mask || part.role == codec::PartRole::NonzeroData ||
            (!part.shape.empty() && part.shape[0] == weight.shape[0]);
        const std::uint64_t stored = how.bytesOf(part);
        if (!weight.sampled() || table || !byRow || !count || stored < part.bytes.size())
            bytes += stored;
        else
            bytes += (count->value * weight.step * bitWidth(part.type) + 7) / 8;
    }
    return bytes;
}

Result<std::vector<double>> readSensitivity(const Bundle &network, std::string_view csv,
                                            std::string_view fileName)
{
    const auto table = TRY(CsvTable::parse(csv, fileName));
    const std::string file(fileName);
    const auto names = table.column("weight"), numbers = table.column("sensitivity");
    if (!names || !numbers)
        return badRow(file, "columns", "weight, sensitivity", "others",
                      "The table has not the columns that are needed");
    std::vector<double> all(network.weights().size(), 1.0);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string_view pattern = table.cell(row, *names);
        const auto number = parseNumber(table.cell(row, *numbers));
        if (!number || !(*number >= 0) || std::isinf(*number))
            return badRow(file, std::string(pattern), "0 or more",
                          std::string(table.cell(row, *numbers)), "A sensitivity cannot be this");
        bool any = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Weight &weight = network.weights()[i];
            if (!matchesPattern(pattern, weight.findableName()) &&
                !matchesPattern(pattern, weight.name))
                continue;
            all[i] = *number;
            any = true;
        }
        if (!any)
            return badRow(file, std::string(pattern), "the name of a weight, or a pattern",
                          "none like it", "The bundle has no weight of this name");
    }
    return all;
}

} // namespace kernscope::plan
