// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/choose_form.h"

#include "core/assessment/weight_layers.h"
#include "core/base/error_builder.h"
#include "core/base/text.h"
#include "core/bundle/build_facts.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope {

namespace {

Error failure(std::string code, std::string message, std::string found = {})
{
    return ErrorBuilder(code).message(std::move(message)).found(std::move(found));
}

/// The weight's values in the order that they are stored in.
struct LayerValues {
    std::vector<float> values;
    Shape shape;
    ChannelAxes axes{0, 1, 0, 1};
    bool sampled = false;
    double zeroFraction = 0;
};

/// Some rows of axis 0, evenly picked: all where the weight is small. Where the input channels lie
/// along it, a multiple of 32, so that blocks of 32 divide them.
LayerValues pickRows(const codec::Decoder &decoder, const Weight &weight, const ChannelAxes &axes)
{
    LayerValues picked;
    picked.shape = weight.shape;
    const std::uint64_t rows = weight.shape.empty() ? 1 : weight.shape[0];
    const std::uint64_t length = weight.elements.value / std::max<std::uint64_t>(rows, 1);
    std::uint64_t take = rows;
    if (weight.elements.value > kMostValuesRead) {
        take = std::clamp<std::uint64_t>(kMostValuesRead / std::max<std::uint64_t>(length, 1), 1,
                                         rows);
        if (axes.input == 0 && take > kCandidateBlock)
            take -= take % kCandidateBlock;
        picked.sampled = true;
    }
    const std::uint64_t width = std::min(length, kMostValuesRead);
    picked.sampled |= width < length;
    picked.values.resize(take * width);
    for (std::uint64_t i = 0; i < take; ++i) {
        const std::uint64_t row = take == rows ? i : i * (rows / take);
        decoder.decodeFloat(row * length, std::span(picked.values).subspan(i * width, width));
    }
    if (width < length)
        picked.shape = {take, width};
    else if (picked.sampled)
        picked.shape[0] = take;
    return picked;
}

Result<LayerValues> layerValues(const Bundle &bundle, std::size_t index, const ChannelAxes &axes)
{
    const Weight &weight = bundle.weights()[index];
    const auto decoder = TRY(bundle.decoder(index));
    LayerValues picked = [&] {
        const BundleReadLock lock(bundle);
        return pickRows(decoder, weight, axes);
    }();
    picked.zeroFraction = zeroShare(picked.values);
    if (picked.shape.size() == weight.shape.size())
        picked.axes = axes;
    return picked;
}

/// The layer that the weight is judged in.
std::optional<roofline::Layer> heaviestLayer(const Bundle &bundle, std::size_t weight,
                                             const decision::WeightForm &form)
{
    const auto layers = LayerReader(bundle).layers(weight, form);
    const roofline::Layer *judged = heaviest(layers);
    return judged ? std::optional(*judged) : std::nullopt;
}

/// The layer with the weight in that form, and why it cannot win, where it cannot.
FormCandidate candidateOf(const roofline::Layer &layer, const decision::WeightForm &form,
                          const roofline::Roofs &roofs, decision::Judge &judge, std::uint64_t batch)
{
    FormCandidate candidate;
    candidate.form = form.key();
    candidate.bytes = form.storedBytes.value_or(form.denseBytes); // known: the weight is sound
    candidate.bytesPerWeight =
        static_cast<double>(candidate.bytes) / static_cast<double>(form.elements);
    candidate.assessment = roofline::assess(layer, form, roofs, judge, batch);
    const auto &verdict = *candidate.assessment.decision.verdict;
    if (verdict.outcome == decision::Outcome::Rejected)
        candidate.passedOver =
            fmt::format("refused on {}: {}", roofs.target->name,
                        verdict.refusedBy.empty() ? verdict.basis : verdict.refusedBy);
    else if (verdict.outcome == decision::Outcome::Unknown)
        candidate.passedOver =
            fmt::format("not known whether it streams on {}", roofs.target->name);
    else if (verdict.outcome != decision::Outcome::Streams)
        candidate.passedOver =
            fmt::format("{} on {}: {:.2f} of dense fp16 as stored, but no fewer bytes are read",
                        decision::outcomeName(verdict.outcome), roofs.target->name,
                        static_cast<double>(candidate.bytes) /
                            static_cast<double>(std::max<std::uint64_t>(form.denseBytes, 1)));
    else if (candidate.bytes >= form.denseBytes)
        candidate.passedOver =
            fmt::format("no smaller than dense fp16: {} B", grouped(form.denseBytes));
    return candidate;
}

/// The stored form and every other that the procedure knows, smallest bytes first.
std::vector<FormCandidate> candidatesOf(const roofline::Layer &layer, const roofline::Roofs &roofs,
                                        decision::Judge &judge, double zeroFraction,
                                        std::uint64_t batch)
{
    std::vector<FormCandidate> candidates;
    const std::string stored = layer.form.key();
    if (layer.form.compressed()) {
        candidates.push_back(candidateOf(layer, layer.form, roofs, judge, batch));
        candidates.back().stored = true;
    }
    decision::WeightForm facts = layer.form;
    facts.nonzero = 1 - zeroFraction;
    for (const std::string_view key : roofline::candidateForms()) {
        if (key == stored)
            continue;
        const auto form = roofline::sizedForm(facts, key);
        if (!form)
            continue;
        candidates.push_back(candidateOf(layer, *form, roofs, judge, batch));
        if (!roofline::asForm(facts, key)) // its bytes are seen all the same
            candidates.back().passedOver =
                fmt::format("{:.1f} % zeros: sparse asks for at least half", 100 * zeroFraction);
    }
    std::ranges::stable_sort(candidates,
                             [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
    return candidates;
}

/// Why it is not known whether arithmetic or bytes bind the layer.
struct OpenBound {
    bool shapes = false;    ///< of the operation: another chip does not help
    bool elsewhere = false; ///< no form of the weight matters to the engine
    std::string reason;     ///< empty: what binds it is known
};

OpenBound openBound(const roofline::Layer &layer, const roofline::Roofs &roofs,
                    roofline::Bound bound)
{
    if (!layer.onEngine())
        return {false, true,
                fmt::format("{} runs on {}, not on the engine: no form makes the engine faster",
                            layer.op, layer.runs.empty() ? "nothing" : layer.runs[0].backend)};
    if (bound != roofline::Bound::Unknown)
        return {};
    if (!layer.flops || !layer.inputBytes || !layer.outputBytes || !layer.shareRead)
        return {true, false,
                fmt::format("shapes are not known of {}: whether arithmetic or bytes bind it "
                            "is open",
                            layer.op)};
    const char *missing = !roofs.compute && !roofs.bandwidth ? "compute and no bandwidth"
                          : !roofs.compute                   ? "compute"
                                                             : "bandwidth";
    return {false, false,
            fmt::format("no {} ceiling is known of {}, taken as bandwidth bound: ", missing,
                        roofs.target->name)};
}

/// The smallest form that the procedure may take; nothing where none streams within the tolerance.
const FormCandidate *firstFitting(const FormChoice &choice)
{
    for (const FormCandidate &candidate : choice.candidates) {
        if (candidate.passedOver.empty() && candidate.withinTolerance)
            return &candidate;
    }
    return nullptr;
}

/// Why the procedure may take none.
std::string noneFits(const FormChoice &choice, double tolerance, const std::string &chip)
{
    using decision::Outcome;
    const auto is = [](Outcome outcome) {
        return [outcome](const FormCandidate &each) { return each.assessment.outcome == outcome; };
    };
    const auto streams = is(Outcome::Streams);
    if (std::ranges::none_of(choice.candidates, streams))
        return fmt::format("no form {} on {}",
                           std::ranges::any_of(choice.candidates, is(Outcome::Unknown))
                               ? "is known to stream"
                               : "streams",
                           chip);
    const auto within = [&](const auto &each) { return streams(each) && each.withinTolerance; };
    return std::ranges::any_of(choice.candidates, within)
               ? fmt::format("what streams within {:g} is no smaller than dense fp16, or has too "
                             "few zeros",
                             tolerance)
               : fmt::format("no form that streams stays within {:g}", tolerance);
}

void finaliseChoice(FormChoice &choice, const OpenBound &open, double tolerance,
                    const std::string &chip)
{
    const FormCandidate *fits = firstFitting(choice);
    if (open.elsewhere) {
        choice.reason = open.reason;
        return;
    }
    if (open.shapes) {
        choice.reason =
            open.reason + (fits == nullptr ? "; " + noneFits(choice, tolerance, chip)
                                           : fmt::format("; {} were it bandwidth bound, dense were "
                                                         "it compute bound",
                                                         fits->form));
        return;
    }
    choice.chosen = "dense";
    if (choice.bound == roofline::Bound::Compute) {
        choice.reason = "the layer is compute bound: fewer weight bytes do not help";
    } else if (fits == nullptr) {
        choice.reason = open.reason + noneFits(choice, tolerance, chip);
    } else {
        choice.chosen = fits->form;
        choice.reason = open.reason + fmt::format("the smallest form that streams with an error of "
                                                  "at most {:g} (has {:.2g}){}",
                                                  tolerance, fits->error->outputRelative,
                                                  fits->stored ? "; it is stored so" : "");
    }
}

/// Chapter 7, choosing a form: int8 that folds saves stored bytes where sixteen levels are too
/// coarse. Worth saying where nothing smaller was chosen.
void adviseForSize(FormChoice &choice, const roofline::Roofs &roofs)
{
    const FormCandidate *four = nullptr, *bytes = nullptr, *chosen = nullptr;
    const FormCandidate *fits = firstFitting(choice); // the smallest
    for (const FormCandidate &candidate : choice.candidates) {
        if (candidate.form == "palette4")
            four = &candidate;
        if (candidate.form == "int8")
            bytes = &candidate;
        if (candidate.form == choice.chosen)
            chosen = &candidate;
    }
    const bool coarse = four != nullptr && four->error && !four->withinTolerance;
    const bool folds = bytes != nullptr && bytes->withinTolerance &&
                       bytes->assessment.outcome == decision::Outcome::Folds;
    if (!coarse || !folds || (chosen != nullptr && chosen->bytes <= bytes->bytes))
        return;
    // Zeros enough: a form without that error is smaller still.
    if (fits != nullptr && fits->bytes <= bytes->bytes)
        return;
    choice.advice = fmt::format(
        "for its stored size alone: int8, {} of {} bytes; sixteen levels are too coarse here, and "
        "int8 folds on {}, so no time is gained (chapter 7, choosing a form)",
        grouped(bytes->bytes), grouped(bytes->assessment.weight.denseBytes), roofs.target->name);
}

/// The error of a candidate, encoded as the whole weight would be: of the stored form its decoded
/// values are the reference.
Result<codec::AccuracyError> candidateError(const FormCandidate &candidate, const Weight &weight,
                                            const LayerValues &values)
{
    if (candidate.stored)
        return codec::AccuracyError();
    const auto spec = formSpecOf(candidate.form, weight.shape, values.axes);
    if (!spec)
        return tl::unexpected(failure("choose.form", "No encoder for it.", candidate.form));
    const auto encoded = TRY(codec::encodeForm(values.values, values.shape, *spec, weight.type));
    const auto stored = TRY(codec::Decoder::make(encoded.encoding()));
    return codec::accuracyError(stored, values.values, layerShape(values.shape, values.axes));
}

Result<void> judgeErrors(FormChoice &choice, const Weight &weight, const LayerValues &values,
                         const ChooseOptions &options)
{
    for (FormCandidate &candidate : choice.candidates) {
        if (options.progress && !options.progress->advance(1))
            return tl::unexpected(failure("choose.cancelled", "The choice was cancelled."));
        const auto error = candidateError(candidate, weight, values);
        if (!error) {
            candidate.passedOver = "cannot be encoded: " + error.error().message;
            continue;
        }
        candidate.withinTolerance =
            error->outputRelative <= options.tolerance && std::isfinite(error->outputRelative);
        candidate.error = *error;
    }
    return {};
}

constexpr std::array<std::string_view, 5> kCandidates{"palette4", "palette8", "sparse", "int8",
                                                      "blockwise"};

/// Bytes of a blockwise weight: the codes, and scales of `number` bytes.
std::uint64_t blockwiseBytes(const codec::FormSpec &spec, const Shape &shape, std::uint64_t codes,
                             std::uint64_t number)
{
    const auto scales = elementCount(codec::blockScales(shape, spec.blockwise));
    return codes + number * (scales ? scales->value : 0); // no more than codes: known of them
}

/// A bit for each element, and the values that are kept.
std::uint64_t sparseBytes(std::uint64_t elements, double density, std::uint64_t number)
{
    const double kept = density * static_cast<double>(elements);
    return elements / 8 + (elements % 8 == 0 ? 0 : 1) +
           number * static_cast<std::uint64_t>(std::llround(kept));
}

/// The share of the elements that an encoder of the sparse form keeps.
std::optional<double> keptBySparse(const decision::WeightForm &form)
{
    return form.nonzero ? form.nonzero : form.density;
}

} // namespace

Result<FormChoice> chooseForm(const Bundle &bundle, std::size_t index, const roofline::Roofs &roofs,
                              decision::Judge &judge, const ChooseOptions &options)
{
    const Weight &weight = bundle.weights()[index];
    if (weight.fault)
        return tl::unexpected(*weight.fault);
    if (isOfOldNetwork(weight))
        return tl::unexpected(oldNetworkError("choose.network", weight.findableName()));
    const decision::WeightForm form = weightForm(bundle, weight);
    const auto layer = heaviestLayer(bundle, index, form);
    if (!layer)
        return tl::unexpected(failure("choose.consumer",
                                      "No operation with a kernel reads this weight.",
                                      weight.findableName()));
    const auto placed = TRY(roofline::place(*layer, roofs, judge, options.batch));
    FormChoice choice;
    choice.weight = index;
    choice.name = weight.name;
    choice.address = weight.address();
    choice.title = weight.findableName();
    choice.stored = form.key();
    choice.op = layer->op;
    choice.bound = placed.trail[placed.dense].bound;
    if (form.elements == 0) {
        choice.chosen = "dense";
        choice.reason = "nothing to compress: the weight has no elements";
        return choice;
    }
    const auto values = TRY(layerValues(bundle, index, layer->form.axes));
    choice.sampled = values.sampled;
    const double zeros =
        values.sampled && form.masked && form.density ? 1 - *form.density : values.zeroFraction;
    choice.zeroFraction = zeros;
    choice.candidates = candidatesOf(*layer, roofs, judge, zeros, options.batch);
    TRY(judgeErrors(choice, weight, values, options));
    finaliseChoice(choice, openBound(*layer, roofs, choice.bound), options.tolerance,
                   roofs.target->name);
    adviseForSize(choice, roofs);
    return choice;
}

// The forms that are tried for a weight: what an encoder is asked for, and the bytes that it makes.

std::optional<codec::FormSpec> formSpecOf(std::string_view form, const Shape &shape,
                                          const ChannelAxes &axes)
{
    codec::FormSpec spec;
    if (form == "palette4" || form == "palette8") {
        spec.node = FormNode::Palette;
        spec.palette.bits = form == "palette4" ? 4 : 8;
    } else if (form == "int8") {
        spec.node = FormNode::Affine;
        if (shape.empty())
            spec.affine.axis.reset();
    } else if (form == "sparse") {
        spec.node = FormNode::Sparse;
    } else if (form == "blockwise") {
        if (shape.size() < 2 || axes.input >= shape.size())
            return std::nullopt;
        spec.node = FormNode::Blockwise;
        spec.blockwise.block = kCandidateBlock;
        while (shape[axes.input] % spec.blockwise.block != 0)
            spec.blockwise.block /= 2;
    } else if (form == "dense") {
        spec.node = FormNode::Dense;
    } else {
        return std::nullopt;
    }
    return alongChannels(std::move(spec), axes);
}

namespace roofline {

using decision::WeightForm;

std::span<const std::string_view> candidateForms()
{
    return kCandidates;
}

std::optional<WeightForm> sizedForm(const WeightForm &form, std::string_view key)
{
    const auto spec = formSpecOf(key, form.shape, form.axes);
    if (!spec)
        return std::nullopt;
    WeightForm other;
    other.use = form.use;
    other.shape = form.shape;
    other.axes = form.axes;
    other.wide = form.wide;
    const std::uint64_t number = form.wide ? 4 : 2; // a scale, an entry or a kept value
    other.elements = form.elements;
    other.denseBytes = form.denseBytes;
    other.density = form.density;
    const std::uint64_t n = form.elements;
    switch (spec->node) {
    case FormNode::Palette:
        other.node = FormNode::Palette;
        other.bits = spec->palette.bits;
        other.storedBytes = (other.bits == 4 ? n / 2 + n % 2 : n) + (number << other.bits);
        break;
    case FormNode::Affine:
    case FormNode::Blockwise:
        other.node = spec->node;
        other.bits = 8;
        other.element = ElementType::Int8;
        // A scale and a zero point, a byte, for each output channel.
        other.storedBytes =
            spec->node == FormNode::Affine
                ? n + (number + 1) * (spec->affine.axis ? form.shape[*spec->affine.axis] : 1)
                : blockwiseBytes(*spec, form.shape, n, number);
        break;
    case FormNode::Sparse:
        other.density = keptBySparse(form);
        if (!other.density)
            return std::nullopt;
        other.masked = true;
        other.storedBytes = sparseBytes(n, *other.density, number);
        break;
    default: other.storedBytes = form.denseBytes; break; // dense
    }
    return other;
}

std::optional<WeightForm> asForm(const WeightForm &form, std::string_view key)
{
    if (key == "sparse" && keptBySparse(form).value_or(1) > 0.5)
        return std::nullopt;
    return sizedForm(form, key);
}

} // namespace roofline

} // namespace kernscope
