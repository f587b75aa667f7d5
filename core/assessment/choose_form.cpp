// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/choose_form.h"

#include "core/assessment/old_network.h"
#include "core/base/error_builder.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// More elements than this are judged by evenly picked output channels.
constexpr std::uint64_t kMostElements = std::uint64_t(1) << 22;

Error failure(std::string code, std::string message, std::string found = {})
{
    return ErrorBuilder(code).message(std::move(message)).found(std::move(found));
}

/// The weight's values with output channels along axis 0: [channels, reduction].
struct LayerValues {
    std::vector<float> values;
    Shape shape;
    bool sampled = false;
    double zeroFraction = 0;
};

/// [outer, channels, inner] to [channels, outer x inner].
std::vector<float> channelsFirst(std::vector<float> values, const Shape &shape, std::size_t axis)
{
    if (axis == 0)
        return values;
    std::size_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < axis; ++i)
        outer *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::size_t channels = shape[axis];
    std::vector<float> moved(values.size());
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t c = 0; c < channels; ++c) {
            const auto from =
                values.begin() + static_cast<std::ptrdiff_t>((o * channels + c) * inner);
            std::copy_n(from, inner,
                        moved.begin() + static_cast<std::ptrdiff_t>((c * outer + o) * inner));
        }
    }
    return moved;
}

/// Some rows of axis 0, evenly picked: all where the weight is small.
LayerValues pickRows(const codec::Decoder &decoder, const Weight &weight)
{
    LayerValues picked;
    picked.shape = weight.shape;
    const std::uint64_t rows = weight.shape.empty() ? 1 : weight.shape[0];
    const std::uint64_t length = weight.elements.value / std::max<std::uint64_t>(rows, 1);
    std::uint64_t take = rows;
    if (weight.elements.value > kMostElements) {
        take =
            std::clamp<std::uint64_t>(kMostElements / std::max<std::uint64_t>(length, 1), 1, rows);
        picked.sampled = true;
    }
    const std::uint64_t width = std::min(length, kMostElements);
    picked.sampled |= width < length;
    picked.values.resize(take * width);
    for (std::uint64_t i = 0; i < take; ++i) {
        const std::uint64_t row = take == rows ? i : i * (rows / take);
        decoder.decodeFloat(row * length, std::span(picked.values).subspan(i * width, width));
    }
    if (picked.sampled)
        picked.shape = {take, width};
    return picked;
}

Result<LayerValues> layerValues(const Bundle &bundle, std::size_t index, const Consumer &consumer)
{
    const Weight &weight = bundle.weights()[index];
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    LayerValues picked = [&] {
        const BundleReadLock lock(bundle);
        return pickRows(*decoder, weight);
    }();
    const auto zeros = std::count(picked.values.begin(), picked.values.end(), 0.0F);
    picked.zeroFraction = picked.values.empty() ? 0
                                                : static_cast<double>(zeros) /
                                                      static_cast<double>(picked.values.size());
    const std::size_t axis = channelAxes(weight, consumer).output;
    if (!picked.sampled && axis > 0) {
        const std::uint64_t channels = picked.shape[axis];
        picked.values = channelsFirst(std::move(picked.values), picked.shape, axis);
        picked.shape = {channels, weight.elements.value / std::max<std::uint64_t>(channels, 1)};
    }
    return picked;
}

/// The layer of the consumer with a kernel that has the most arithmetic.
std::optional<roofline::Layer> heaviestLayer(const Bundle &bundle, std::size_t weight,
                                             const decision::WeightForm &form)
{
    std::vector<decision::WeightForm> forms(bundle.weights().size());
    forms[weight] = form;
    std::optional<roofline::Layer> heaviest;
    for (roofline::Layer &layer : layersOf(bundle, forms)) {
        if (layer.weight == weight &&
            (!heaviest || layer.flops.value_or(0) > heaviest->flops.value_or(0)))
            heaviest = std::move(layer);
    }
    return heaviest;
}

/// The layer with the weight in that form, and why it cannot win, where it cannot.
FormCandidate candidateOf(const roofline::Layer &layer, const decision::WeightForm &form,
                          const roofline::Roofs &roofs, decision::Judge &judge, std::uint64_t batch)
{
    FormCandidate candidate;
    candidate.form = form.key();
    candidate.bytes = form.storedBytes;
    candidate.bytesPerWeight =
        static_cast<double>(form.storedBytes) / static_cast<double>(form.elements);
    candidate.assessment = roofline::assess(layer, form, roofs, judge, batch);
    const auto &verdict = *candidate.assessment.decision.verdict;
    if (verdict.outcome == decision::Outcome::Rejected)
        candidate.passedOver =
            fmt::format("refused on {}: {}", roofs.target->name,
                        verdict.refusedBy.empty() ? verdict.basis : verdict.refusedBy);
    else if (verdict.outcome != decision::Outcome::Streams)
        candidate.passedOver =
            fmt::format("{} on {}: no bytes are saved", decision::outcomeName(verdict.outcome),
                        roofs.target->name);
    else if (form.storedBytes >= form.denseBytes)
        candidate.passedOver = fmt::format("no smaller than dense fp16: {} B", form.denseBytes);
    return candidate;
}

/// Sparse with less than half zeros: sized by its law all the same, so that its bytes are seen.
decision::WeightForm sparseAnyway(const decision::WeightForm &facts)
{
    decision::WeightForm sparse;
    sparse.use = facts.use;
    sparse.elements = facts.elements;
    sparse.denseBytes = facts.denseBytes;
    sparse.density = facts.density;
    sparse.masked = true;
    sparse.storedBytes = facts.elements / 8 + (facts.elements % 8 == 0 ? 0 : 1) +
                         2 * static_cast<std::uint64_t>(facts.density.value_or(1) *
                                                        static_cast<double>(facts.elements));
    return sparse;
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
    facts.density = 1 - zeroFraction;
    for (const std::string_view key : roofline::candidateForms()) {
        if (key == stored)
            continue;
        const auto form = roofline::asForm(facts, key, layer.outputChannels);
        candidates.push_back(
            candidateOf(layer, form ? *form : sparseAnyway(facts), roofs, judge, batch));
        if (!form)
            candidates.back().passedOver =
                fmt::format("{:.1f} % zeros: sparse asks for at least half", 100 * zeroFraction);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
    return candidates;
}

/// Why nobody knows whether arithmetic or bytes bind the layer.
struct OpenBound {
    bool shapes = false; ///< of the operation: another chip does not help
    std::string reason;  ///< empty: what binds it is known
};

OpenBound openBound(const roofline::Layer &layer, const roofline::Roofs &roofs,
                    roofline::Bound bound)
{
    if (bound != roofline::Bound::Unknown)
        return {};
    if (!layer.flops || !layer.inputBytes || !layer.outputBytes || !layer.shareRead)
        return {true, fmt::format("shapes are not known of {}: whether arithmetic or bytes bind it "
                                  "is open",
                                  layer.op)};
    const char *missing = !roofs.compute && !roofs.bandwidth ? "compute and no bandwidth"
                          : !roofs.compute                   ? "compute"
                                                             : "bandwidth";
    return {false, fmt::format("no {} ceiling is known of {}, taken as bandwidth bound: ", missing,
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

void settle(FormChoice &choice, const OpenBound &open, double tolerance)
{
    const FormCandidate *fits = firstFitting(choice);
    if (open.shapes) {
        choice.reason =
            open.reason + (fits == nullptr
                               ? fmt::format("; no form that streams stays within {:g}", tolerance)
                               : fmt::format("; {} were it bandwidth bound, dense were "
                                             "it compute bound",
                                             fits->form));
        return;
    }
    choice.chosen = "dense";
    if (choice.bound == roofline::Bound::Compute) {
        choice.reason = "the layer is compute bound: fewer weight bytes do not help";
    } else if (fits == nullptr) {
        choice.reason =
            open.reason + fmt::format("no form that streams stays within {:g}", tolerance);
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
    choice.advice = fmt::format(
        "for its stored size alone: int8, {} of {} bytes; sixteen levels are too coarse here, and "
        "int8 folds on {}, so no time is gained (chapter 7, choosing a form)",
        bytes->bytes, bytes->assessment.weight.denseBytes, roofs.target->name);
}

/// The error of a candidate: of the stored form its decoded values are the reference.
Result<codec::AccuracyError> candidateError(const FormCandidate &candidate,
                                            const LayerValues &values)
{
    const codec::LayerShape layer = codec::layerOf(values.shape);
    if (candidate.stored)
        return codec::AccuracyError();
    const auto spec = formSpecOf(candidate.form, values.shape);
    if (!spec)
        return tl::unexpected(failure("choose.form", "No encoder for it.", candidate.form));
    return codec::accuracyError(*spec, values.values, values.shape, layer,
                                codec::AccuracyOptions());
}

Result<void> judgeErrors(FormChoice &choice, const LayerValues &values,
                         const ChooseOptions &options)
{
    for (FormCandidate &candidate : choice.candidates) {
        if (options.progress && !options.progress->advance(1))
            return tl::unexpected(failure("choose.cancelled", "The choice was cancelled."));
        const auto error = candidateError(candidate, values);
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

} // namespace

std::optional<codec::FormSpec> formSpecOf(std::string_view form, const Shape &shape)
{
    codec::FormSpec spec;
    if (form == "palette4" || form == "palette8") {
        spec.node = FormNode::Palette;
        spec.palette.bits = form == "palette4" ? 4 : 8;
    } else if (form == "int8") {
        spec.node = FormNode::Affine;
    } else if (form == "sparse") {
        spec.node = FormNode::Sparse;
    } else if (form == "blockwise") {
        spec.node = FormNode::Blockwise;
        spec.blockwise.block = 32;
        while (shape.size() > 1 && shape[1] % spec.blockwise.block != 0)
            spec.blockwise.block /= 2;
    } else if (form == "dense") {
        spec.node = FormNode::Dense;
    } else {
        return std::nullopt;
    }
    return spec;
}

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
        return tl::unexpected(failure(
            "choose.consumer", "No operation with a kernel reads this weight.", weight.name));
    const auto placed = roofline::place(*layer, roofs, judge, options.batch);
    if (!placed)
        return tl::unexpected(placed.error());
    FormChoice choice;
    choice.weight = index;
    choice.name = weight.name;
    choice.address = weight.findableName();
    choice.stored = form.key();
    choice.op = layer->op;
    choice.bound = placed->trail[placed->dense].bound;
    if (form.elements == 0) {
        choice.chosen = "dense";
        choice.reason = "nothing to compress: the weight has no elements";
        return choice;
    }
    const auto values = layerValues(bundle, index, weight.consumers[layer->consumer]);
    if (!values)
        return tl::unexpected(values.error());
    choice.sampled = values->sampled;
    const double zeros = form.masked && form.density ? 1 - *form.density : values->zeroFraction;
    choice.zeroFraction = zeros;
    choice.candidates = candidatesOf(*layer, roofs, judge, zeros, options.batch);
    if (auto judged = judgeErrors(choice, *values, options); !judged)
        return tl::unexpected(std::move(judged.error()));
    settle(choice, openBound(*layer, roofs, choice.bound), options.tolerance);
    adviseForSize(choice, roofs);
    return choice;
}

} // namespace kernscope
