// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"

#include "core/assessment/calibrate.h"
#include "core/assessment/working_set.h"
#include "core/base/error_builder.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernscope::roofline {

namespace {

using decision::Outcome;
using decision::WeightForm;

/// The rest of a point, once its FLOPs and bytes stand. What is unknown stays so: without both
/// roofs it is not known which of them binds.
void rate(Assessment &point, const Roofs &roofs, double computed, double streamed)
{
    const std::optional<Ceiling> &compute = point.computeRate ? point.computeRate : roofs.compute;
    if (point.flops && compute)
        point.computeS = *point.flops * computed / compute->value;
    if (point.bytes && roofs.bandwidth)
        point.memoryS = (*point.bytes + streamed) / roofs.bandwidth->value;
    if (point.flops && point.bytes && *point.bytes > 0)
        point.intensity = *point.flops / *point.bytes;
    if (!point.computeS || !point.memoryS || !point.intensity)
        return;
    point.bound = *point.computeS > *point.memoryS ? Bound::Compute : Bound::Bandwidth;
    point.attainable = std::min(compute->value, *point.intensity * roofs.bandwidth->value);
    point.timeS = std::max(*point.computeS, *point.memoryS);
    if (*point.timeS > 0)
        point.rate = *point.flops / *point.timeS;
}

/// How many times as long as fp16 of the same bytes a streamed palette was measured to take, where
/// that was measured: by as many engines as the roof is of.
double codeStreamCost(const Assessment &point, const Roofs &roofs)
{
    if (point.outcome != Outcome::Streams || !point.weight.isPalette())
        return 1;
    const bool two = roofs.compute && roofs.compute->name.ends_with("_two_engines");
    const auto *cost =
        modelParameter(*roofs.target, two ? "code_stream_cost_two_engines" : "code_stream_cost");
    return cost ? cost->value : 1;
}

/// FLOPs, bytes and times of a layer of whose weight `crossing` bytes move where all of it is read.
/// Where a chip was measured to skip multiplications by zero, those of a known density take the
/// share that was left.
void time(Assessment &point, const Layer &layer, const WeightForm &form, const Roofs &roofs,
          const std::optional<std::uint64_t> &crossing, std::uint64_t batch)
{
    double streamed = 0; // as if so many bytes more
    const double times = static_cast<double>(batch);
    if (layer.flops)
        point.flops = static_cast<double>(*layer.flops) * times;
    if (layer.inputBytes && layer.outputBytes && layer.shareRead && crossing) {
        // Another row of a table for each input; a kernel crosses once a dispatch.
        const double share = std::min(1.0, *layer.shareRead < 1 ? *layer.shareRead * times : 1.0);
        const double weight = static_cast<double>(*crossing) * share;
        streamed = (codeStreamCost(point, roofs) - 1) * weight;
        point.bytes = weight + (static_cast<double>(*layer.inputBytes) +
                                static_cast<double>(*layer.outputBytes)) *
                                   times;
    }
    point.computeRate = computeRateOf(layer, form, roofs);
    double share = 1;
    const auto *fixed =
        form.density ? modelParameter(*roofs.target, "zero_skip_fixed_share") : nullptr;
    if (fixed)
        share = fixed->value + (1 - fixed->value) * *form.density;
    rate(point, roofs, share, streamed);
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

bool usable(const Assessment &point)
{
    return point.outcome == Outcome::Streams || point.outcome == Outcome::Dense ||
           point.outcome == Outcome::Folds;
}

/// The least time; where times are not known, the fewest bytes that cross.
std::optional<std::size_t> bestOf(const std::vector<Assessment> &trail)
{
    const auto crossing = [](const Assessment &point) {
        return decision::crossingBytes(point.weight, point.outcome);
    };
    if (!crossing(trail.front()))
        return std::nullopt;
    std::size_t best = 0;
    for (std::size_t i = 1; i < trail.size(); ++i) {
        if (!usable(trail[i]))
            continue;
        const Assessment &so = trail[best];
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
    const auto notMeasured = [](const std::optional<Ceiling> &ceiling) {
        return !ceiling || ceiling->method != Ceiling::Method::Measured;
    };
    placed.estimated = notMeasured(roofs.compute) || notMeasured(roofs.bandwidth) || !layer.flops ||
                       !layer.inputBytes || !layer.outputBytes || !stored.weightBytes;
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
    if (form.use.elsewhere ||
        (!layers.empty() && std::none_of(layers.begin(), layers.end(), onEngine)))
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
    const auto crossing = decision::crossingBytes(form, made.outcome);
    time(made, layer, form, roofs, crossing, batch);
    if (!layer.onEngine())
        made.decision.bytesMoved = 0;
    else if (made.decision.bytesMoved)
        made.decision.bytesMoved = layer.bytesRead(*made.decision.bytesMoved, batch);
    if (crossing)
        made.weightBytes = layer.bytesRead(*crossing, batch);
    made.energy = energyOf(*roofs.target, layer.op, made.bound, made.timeS);
    // Published figures of a form are not applied to a weight whose bytes cannot be read.
    if (!form.compressed() || !crossing)
        return made;
    const Assessment dense = denseTimes(layer, form, roofs, batch);
    // What is refused, or of which nothing is known, has no rate to speak of.
    if (usable(made) && dense.timeS && made.timeS && *made.timeS > 0) {
        made.predictedSpeedup = *dense.timeS / *made.timeS;
        made.predictedOverUnpruned =
            *denseTimes(layer, form, roofs, batch, false).timeS / *made.timeS;
    }
    decision::MeasuredSubject subject;
    subject.outcome = made.outcome;
    subject.op = layer.op;
    subject.operation = layer.operation ? &*layer.operation : nullptr;
    if (dense.bound != Bound::Unknown)
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
        auto placed = place(layer, roofs, judge, batch);
        if (!placed)
            return tl::unexpected(std::move(placed.error()));
        network.placements.push_back(std::move(*placed));
    }
    network.program = programTime(network.placements, roofs);
    return network;
}

Result<Placement> place(const Layer &layer, const Roofs &roofs, decision::Judge &judge,
                        std::uint64_t batch)
{
    constexpr std::uint64_t kMaxBatch = 1'000'000'000;
    if (batch == 0 || batch > kMaxBatch) {
        return ErrorBuilder("roofline.batch")
            .field("batch")
            .expected("1 to 1,000,000,000")
            .found(std::to_string(batch))
            .message("The batch is out of range.")
            .unexpected();
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

std::string_view programBoundName(ProgramTime::Bound bound)
{
    static constexpr std::array<std::string_view, 3> kNames{"engine", "dispatch", "unknown"};
    return kNames[std::size_t(bound)];
}

} // namespace kernscope::roofline
