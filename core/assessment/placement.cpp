// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"
#include "core/base/error.h"

#include <algorithm>
#include <cmath>

namespace kernscope::roofline {

namespace {

using decision::Outcome;
using decision::WeightForm;

/// A parameter, which is noted with the times.
const ModelParameter *parameterOf(std::string_view name, Assessment &point, const Layer &layer,
                                  const WeightForm &form, const Roofs &roofs)
{
    const auto *found = modelParameter(name, layer, form, roofs);
    if (found != nullptr)
        point.parameters.push_back(found);
    return found;
}

/// How many bytes of dense fp16 take as long to stream as those of a streamed form, by what was
/// measured: palettes take longer than their bytes do (of as many engines as the roof is of), and
/// of the time of a dense stream a share may not go with the bytes.
double streamedAs(double weight, double dense, Assessment &point, const Layer &layer,
                  const Roofs &roofs)
{
    if (point.outcome != Outcome::Streams)
        return weight;
    const bool two = roofs.compute && roofs.compute->name.ends_with("_two_engines");
    const auto *cost = parameterOf(two ? "code_stream_cost_two_engines" : "code_stream_cost", point,
                                   layer, point.weight, roofs);
    const auto *share = parameterOf("byte_share", point, layer, point.weight, roofs);
    const double fixed = share && weight < dense ? (1 - share->value) * (dense - weight) : 0;
    return weight * (cost ? cost->value : 1) + fixed;
}

/// The arithmetic that is done over that of the layer: zeros are skipped where that was measured,
/// and a pass over channel groups that is not full costs as much as one that is.
double arithmeticLeft(Assessment &point, const Layer &layer, const WeightForm &form,
                      const Roofs &roofs)
{
    double left = 1;
    const auto parameter = [&](std::string_view name) {
        return parameterOf(name, point, layer, form, roofs);
    };
    const auto *fixed = form.density ? parameter("zero_skip_fixed_share") : nullptr;
    if (fixed) {
        const auto *slope = parameter("zero_skip_per_density");
        left = fixed->value + (slope ? slope->value : 1 - fixed->value) * *form.density;
        left = std::min(left, 1.0);
    }
    if (const auto *pass = parameter("pass_channels")) {
        const double passes = static_cast<double>(layer.operation->outputChannels) / pass->value;
        left *= std::max(1.0, std::ceil(passes) / passes);
    }
    return left;
}

/// Bytes of an operand that are moved in a dispatch: none where it is known to stay on chip.
double crossingActivation(std::uint64_t bytes, double times, const Roofs &roofs)
{
    const double all = static_cast<double>(bytes) * times;
    return roofs.workingSetBytes && all <= *roofs.workingSetBytes ? 0 : all;
}

/// FLOPs, bytes and times of a layer of whose weight `crossing` bytes move where all of it is read.
/// What is unknown stays so: without both roofs it is not known which of them binds, unless the
/// bytes do for certain.
void time(Assessment &point, const Layer &layer, const WeightForm &form, const Roofs &roofs,
          const std::optional<std::uint64_t> &crossing, std::uint64_t batch)
{
    const double times = static_cast<double>(batch);
    const auto roof = [&](LayerRoof::Kind kind) {
        return layerRoof(kind, layer, form, roofs, batch);
    };
    point.computeRoof = roof(LayerRoof::Kind::Compute);
    point.weightRoof = roof(LayerRoof::Kind::Weights);
    point.activationRoof = roof(LayerRoof::Kind::Activations);
    if (layer.flops)
        point.flops = static_cast<double>(*layer.flops) * times;
    if (point.flops && point.computeRoof)
        point.computeS = *point.flops * arithmeticLeft(point, layer, form, roofs) /
                         point.computeRoof->ceiling.value;
    if (!layer.inputBytes || !layer.outputBytes || !layer.shareRead || !crossing)
        return;
    // Another row of a table for each input; a kernel is read once a dispatch.
    const bool rows = *layer.shareRead < 1;
    const double share = rows ? std::min(1.0, *layer.shareRead * times) : 1.0;
    const double weight = static_cast<double>(*crossing) * share;
    const double activations = crossingActivation(*layer.inputBytes, times, roofs) +
                               crossingActivation(*layer.outputBytes, times, roofs);
    point.activationBytes = activations;
    point.bytes = weight + activations;
    if (point.flops && *point.bytes > 0)
        point.intensity = *point.flops / *point.bytes;
    if (!point.weightRoof || !point.activationRoof)
        return;
    const double rest = activations / point.activationRoof->ceiling.value;
    const double plain = weight / point.weightRoof->ceiling.value + rest;
    const double streamed =
        rows ? weight
             : streamedAs(weight, static_cast<double>(form.denseBytes), point, layer, roofs);
    point.memoryS = streamed / point.weightRoof->ceiling.value + rest;
    if (!point.intensity)
        return;
    const auto *below = point.computeRoof
                            ? nullptr
                            : parameterOf("bandwidth_bound_below", point, layer, form, roofs);
    if (!point.computeS && (!below || *point.intensity > below->value))
        return;
    const double compute = point.computeS.value_or(0);
    point.bound = compute > *point.memoryS ? Bound::Compute : Bound::Bandwidth;
    point.attainable = *point.flops / plain;
    if (point.computeRoof)
        point.attainable = std::min(point.computeRoof->ceiling.value, *point.attainable);
    point.timeS = std::max(compute, *point.memoryS);
    if (*point.timeS > 0)
        point.rate = *point.flops / *point.timeS;
}

/// What the layer takes with dense weights, of the same values or without zeros: the measure of
/// every other form.
Assessment denseTimes(const Layer &layer, const WeightForm &form, const Roofs &roofs,
                      std::uint64_t batch, bool sameZeros = true)
{
    Assessment dense;
    WeightForm unmasked = form;
    unmasked.masked = false;
    if (!sameZeros)
        unmasked.density.reset();
    time(dense, layer, unmasked, roofs, decision::crossingBytes(form, Outcome::Dense), batch);
    return dense;
}

/// Of a call with that layer alone, where what it takes beside it is known.
std::optional<double> callOfLayer(const Assessment &point, const Roofs &roofs)
{
    return point.timeS && roofs.callFixedS && roofs.dispatchFloorS
               ? std::optional(callTime(*point.timeS, *roofs.callFixedS, *roofs.dispatchFloorS))
               : std::nullopt;
}

bool usable(const Assessment &point)
{
    return point.outcome == Outcome::Streams || point.outcome == Outcome::Dense ||
           point.outcome == Outcome::Folds;
}

/// The least time; where times are not known, the fewest bytes that are read.
std::optional<std::size_t> bestOf(const std::vector<Assessment> &trail)
{
    const auto crossing = [](const Assessment &point) {
        return decision::crossingBytes(point.weight, point.outcome);
    };
    if (!crossing(trail.front()))
        return std::nullopt;
    std::size_t best = 0;
    for (std::size_t i = 1; i < trail.size(); ++i) {
        const Assessment &so = trail[best];
        if (!usable(trail[i]) || (usable(so) && so.timeS && !trail[i].timeS))
            continue;
        const bool timed = so.timeS && trail[i].timeS;
        const bool faster = !usable(so) || (timed && *trail[i].timeS < *so.timeS);
        const bool same = !timed || *trail[i].timeS == *so.timeS;
        if (faster || (same && crossing(trail[i]) < crossing(so)))
            best = i;
    }
    return best;
}

void flag(Placement &placed, const Roofs &roofs, std::uint64_t batch)
{
    const Assessment &stored = placed.stored();
    const Layer &layer = placed.layer;
    const double times = static_cast<double>(batch);
    placed.largestOperand = std::max({static_cast<double>(layer.form.denseBytes),
                                      static_cast<double>(layer.inputBytes.value_or(0)) * times,
                                      static_cast<double>(layer.outputBytes.value_or(0)) * times});
    const auto batched = [batch](const std::optional<std::uint64_t> &bytes) {
        return bytes ? checkedMultiply(*bytes, batch) : std::nullopt;
    };
    const auto stays = decision::staysOnChip(
        roofs.workingSetBytes ? std::optional(static_cast<std::uint64_t>(*roofs.workingSetBytes))
                              : std::nullopt,
        decision::crossingBytes(layer.form, stored.outcome), layer.form.denseBytes,
        batched(layer.inputBytes), batched(layer.outputBytes));
    if (stays)
        placed.aboveWorkingSet = !*stays;
    for (const Ceiling &ceiling : roofs.all) {
        const bool measuredRoof = ceiling.isRoof() && ceiling.method == Ceiling::Method::Measured;
        if (!measuredRoof || !stored.attainable || !stored.intensity)
            continue;
        const double roof = ceiling.kind == Ceiling::Kind::Compute
                                ? ceiling.value
                                : ceiling.value * *stored.intensity;
        if (*stored.attainable > roof * (1 + 1e-9))
            placed.above.push_back(ceiling.name);
    }
    const auto notMeasured = [](const LayerRoof *roof) {
        return roof == nullptr || roof->ceiling.method != Ceiling::Method::Measured;
    };
    placed.openForms = std::ranges::any_of(placed.trail, [&stored](const Assessment &each) {
        return usable(each) && !each.timeS && each.weightBytes < stored.weightBytes;
    });
    placed.estimated = notMeasured(stored.computeRoof) || notMeasured(stored.weightRoof) ||
                       !layer.flops || !layer.inputBytes || !layer.outputBytes ||
                       !stored.weightBytes;
}

} // namespace

std::string_view boundName(Bound bound)
{
    static constexpr std::array<std::string_view, 3> kNames{"compute", "bandwidth", "unknown"};
    return kNames[std::size_t(bound)];
}

std::optional<std::uint64_t> Layer::bytesRead(std::uint64_t bytes, std::uint64_t batch) const
{
    if (!shareRead)
        return std::nullopt;
    const double share = *shareRead * static_cast<double>(batch);
    return share < 1 ? static_cast<std::uint64_t>(std::llround(share * static_cast<double>(bytes)))
                     : bytes;
}

std::optional<std::uint64_t> bytesMoved(std::span<const Layer> layers,
                                        const decision::WeightForm &form,
                                        const decision::Decision &decided, std::uint64_t batch)
{
    const auto onEngine = [](const Layer &layer) { return layer.onEngine(); };
    if (form.use.elsewhere || (!layers.empty() && std::ranges::none_of(layers, onEngine)))
        return 0;
    if (!decided.bytesMoved || layers.empty())
        return decided.bytesMoved;
    std::optional<std::uint64_t> sum = 0;
    for (const Layer &layer : layers) {
        if (!layer.onEngine())
            continue;
        const auto read = layer.bytesRead(*decided.bytesMoved, batch);
        sum = sum && read ? checkedAdd(*sum, *read) : std::nullopt;
    }
    return sum;
}

Assessment assess(const Layer &layer, const WeightForm &form, const Roofs &roofs,
                  decision::Judge &judge, std::uint64_t batch)
{
    Assessment made;
    made.weight = form;
    made.form = form.key();
    made.decision = judge.decide(form, *roofs.target);
    made.outcome = made.decision.outcome();
    const bool refused = made.outcome == Outcome::Rejected;
    const auto crossing = refused ? std::nullopt : decision::crossingBytes(form, made.outcome);
    if (!refused) // what the compiler does not take, does not run
        time(made, layer, form, roofs, crossing, batch);
    else if (layer.flops)
        made.flops = static_cast<double>(*layer.flops) * static_cast<double>(batch);
    if (!layer.onEngine())
        made.decision.bytesMoved = 0;
    else if (made.decision.bytesMoved)
        made.decision.bytesMoved = layer.bytesRead(*made.decision.bytesMoved, batch);
    if (crossing)
        made.weightBytes = layer.bytesRead(*crossing, batch);
    made.callS = callOfLayer(made, roofs);
    made.energy = energyOf(*roofs.target, layer.op, made.bound, made.timeS);
    // Published figures of a form are not applied to a weight whose bytes cannot be read.
    if (!form.compressed() || (!crossing && !refused))
        return made;
    const Assessment dense = denseTimes(layer, form, roofs, batch);
    // A refused form, or one with unknown figures, has no rate.
    if (usable(made) && dense.timeS && made.timeS && *made.timeS > 0) {
        made.predictedSpeedup = *dense.timeS / *made.timeS;
        made.predictedOverUnpruned =
            *denseTimes(layer, form, roofs, batch, false).timeS / *made.timeS;
        if (made.callS)
            made.predictedCallSpeedup = *callOfLayer(dense, roofs) / *made.callS;
    }
    decision::MeasuredSubject subject;
    subject.outcome = made.outcome;
    subject.op = layer.op;
    subject.operation = layer.operation ? &*layer.operation : nullptr;
    if (dense.bound != Bound::Unknown && dense.computeRoof != nullptr) // known, not only assumed
        subject.bandwidthBound = dense.bound == Bound::Bandwidth;
    made.measured = decision::measurements(form, *roofs.target, subject);
    made.speedup = decision::quotedSpeedup(made.measured);
    made.energyMeasured = decision::energyMeasurements(form, *roofs.target, subject);
    return made;
}

Result<NetworkAssessment> assessNetwork(std::span<const Layer> layers, const Roofs &roofs,
                                        decision::Judge &judge, std::uint64_t batch)
{
    NetworkAssessment network;
    network.roofs = roofs;
    network.placements.reserve(layers.size());
    for (const Layer &layer : layers) {
        auto placed = TRY(place(layer, roofs, judge, batch));
        network.placements.push_back(std::move(placed));
    }
    network.program = programTime(network.placements, roofs);
    return network;
}

Result<Placement> place(const Layer &layer, const Roofs &roofs, decision::Judge &judge,
                        std::uint64_t batch)
{
    constexpr std::uint64_t kMaxBatch = 1'000'000'000;
    if (batch == 0 || batch > kMaxBatch) {
        return refused("roofline.batch", "batch", "1 to 1,000,000,000", std::to_string(batch),
                       "The batch is out of range.");
    }
    Placement placed;
    placed.layer = layer;
    placed.trail.push_back(assess(layer, layer.form, roofs, judge, batch));
    placed.trail.front().stored = true;
    const std::string stored = layer.form.key();
    if (stored != "dense") {
        placed.dense = placed.trail.size();
        const auto dense = asForm(layer.form, "dense");
        placed.trail.push_back(assess(layer, *dense, roofs, judge, batch));
    }
    for (const std::string_view key : candidateForms()) {
        if (key == stored)
            continue;
        if (const auto other = asForm(layer.form, key))
            placed.trail.push_back(assess(layer, *other, roofs, judge, batch));
    }
    placed.best = bestOf(placed.trail);
    flag(placed, roofs, batch);
    return placed;
}

std::string refusalOf(const Assessment &assessment)
{
    if (assessment.outcome != Outcome::Rejected)
        return {};
    const decision::Verdict &verdict = *assessment.decision.verdict;
    return assessment.form + ": " + (verdict.refusedBy.empty() ? verdict.basis : verdict.refusedBy);
}

std::string_view programBoundName(ProgramTime::Bound bound)
{
    static constexpr std::array<std::string_view, 3> kNames{"engine", "dispatch", "unknown"};
    return kNames[std::size_t(bound)];
}

decision::LayerOperation arrayOperation(const Layer &layer, const Assessment &assessment)
{
    decision::LayerOperation operation = *layer.operation;
    if (assessment.outcome != decision::Outcome::Folds)
        return operation;
    const decision::LayerOperation dense;
    operation.weightBits = dense.weightBits;
    operation.floatWeight = dense.floatWeight;
    operation.kernelFormat = dense.kernelFormat;
    operation.sparse = false;
    return operation;
}

void setWeightBits(decision::LayerOperation &operation, unsigned bits)
{
    const decision::LayerOperation dense;
    operation.weightBits = bits;
    operation.sparse = false;
    operation.floatWeight = bits != 8;
    operation.kernelFormat = bits == 8 ? 1 : dense.kernelFormat;
}

Result<decision::Geometry> geometryOf(const Layer &layer, const Assessment &assessment,
                                      const target::Target &target,
                                      const decision::GeometryOptions &options)
{
    if (!layer.operation) {
        return refused("geometry.none", layer.name, {}, {},
                       "The MAC array does not run this operation.");
    }
    const decision::LayerOperation operation = arrayOperation(layer, assessment);
    auto geometry = decision::computeGeometry(target, operation, options);
    if (!geometry || assessment.weight.elements == 0)
        return geometry; // the latter of numbers that were typed in and are too large for bytes
    const decision::WeightForm &form = assessment.weight;
    const auto crossing = decision::crossingBytes(form, assessment.outcome);
    decision::WorkingSet &set = geometry->workingSet;
    set.weightBytes = crossing.value_or(0);
    set.inputBytes = layer.inputBytes;
    set.outputBytes = layer.outputBytes;
    set.largest =
        std::max({form.denseBytes, layer.inputBytes.value_or(0), layer.outputBytes.value_or(0)});
    set.fits = decision::staysOnChip(set.cap, crossing, form.denseBytes, layer.inputBytes,
                                     layer.outputBytes);
    // Of a transposed convolution the places between the inputs are not multiplied.
    if (layer.op == "conv_transpose" && layer.flops)
        geometry->cycles = decision::cyclesOf(target, operation, *geometry, *layer.flops / 2);
    return geometry;
}

} // namespace kernscope::roofline
