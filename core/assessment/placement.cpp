// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernscope::roofline {

namespace {

using decision::Outcome;
using decision::WeightForm;

constexpr std::array<std::string_view, 4> kCandidates{"palette4", "sparse", "int8", "blockwise"};
constexpr std::uint64_t kBlock = 32; ///< elements of a block in a candidate

/// The rest of a point, once its FLOPs and bytes stand.
void rate(Point &point, const Roofs &roofs)
{
    if (point.bytes <= 0)
        return;
    point.intensity = point.flops / point.bytes;
    double time = 0;
    if (roofs.bandwidth) {
        time = point.bytes / roofs.bandwidth->value;
        point.bound = Bound::Bandwidth;
        point.attainable = *point.intensity * roofs.bandwidth->value;
    }
    if (roofs.compute) {
        const double arithmetic = point.flops / roofs.compute->value;
        if (arithmetic > time) {
            time = arithmetic;
            point.bound = Bound::Compute;
        }
        point.attainable =
            std::min(point.attainable.value_or(roofs.compute->value), roofs.compute->value);
    }
    if (!roofs.compute && !roofs.bandwidth)
        return;
    point.timeS = time;
    if (time > 0)
        point.rate = point.flops / time;
}

Point pointOf(const WeightForm &form, const Layer &layer, const Roofs &roofs,
              decision::Judge &judge, std::uint64_t batch)
{
    Point point;
    const auto decided = judge.decide(form, *roofs.target);
    point.form = form.key();
    point.outcome = decided.outcome();
    // What a chip refuses or leaves open is drawn as the dense weight that would have to replace
    // it.
    point.weightBytes = decided.bytesMoved.value_or(form.denseBytes);
    const double times = static_cast<double>(batch);
    point.flops = static_cast<double>(layer.flops.value_or(0)) * times;
    point.bytes = static_cast<double>(point.weightBytes) +
                  (static_cast<double>(layer.inputBytes.value_or(0)) +
                   static_cast<double>(layer.outputBytes.value_or(0))) *
                      times;
    rate(point, roofs);
    return point;
}

bool usable(const Point &point)
{
    return point.outcome == Outcome::Streams || point.outcome == Outcome::Dense ||
           point.outcome == Outcome::Folds;
}

std::size_t bestOf(const std::vector<Point> &trail)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < trail.size(); ++i) {
        if (!usable(trail[i]) || !trail[i].timeS)
            continue;
        const Point &so = trail[best];
        const bool faster = !usable(so) || !so.timeS || *trail[i].timeS < *so.timeS;
        const bool same = so.timeS && *trail[i].timeS == *so.timeS;
        if (faster || (same && trail[i].weightBytes < so.weightBytes))
            best = i;
    }
    return best;
}

void flag(Placement &placed, const Roofs &roofs, std::uint64_t batch)
{
    const Point &stored = placed.stored();
    const Layer &layer = placed.layer;
    const double times = static_cast<double>(batch);
    placed.largestOperand = std::max({static_cast<double>(layer.form.denseBytes),
                                      static_cast<double>(layer.inputBytes.value_or(0)) * times,
                                      static_cast<double>(layer.outputBytes.value_or(0)) * times});
    if (roofs.workingSetBytes)
        placed.aboveWorkingSet = placed.largestOperand > *roofs.workingSetBytes;
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
                       !layer.inputBytes || !layer.outputBytes;
}

} // namespace

std::string_view boundName(Bound bound)
{
    static constexpr std::array<std::string_view, 4> kNames{"compute", "bandwidth", "dispatch",
                                                            "unknown"};
    return kNames[std::size_t(bound)];
}

std::span<const std::string_view> candidateForms()
{
    return kCandidates;
}

std::optional<WeightForm> asForm(const WeightForm &form, std::string_view key,
                                 std::uint64_t outputChannels)
{
    WeightForm other;
    other.use = form.use;
    other.elements = form.elements;
    other.denseBytes = form.denseBytes;
    other.density = form.density;
    const std::uint64_t n = form.elements;
    if (key == "dense") {
        other.storedBytes = form.denseBytes;
    } else if (key == "palette4") {
        other.kind = WeightForm::Kind::Palette;
        other.bits = 4;
        other.storedBytes = n / 2 + n % 2 + 32;
    } else if (key == "int8") {
        other.kind = WeightForm::Kind::Affine;
        other.bits = 8;
        other.element = "int8";
        other.storedBytes = n + 2 * std::min(outputChannels, n);
    } else if (key == "blockwise") {
        other.kind = WeightForm::Kind::Blockwise;
        other.bits = 8;
        other.element = "int8";
        other.storedBytes = n + 2 * (n / kBlock + (n % kBlock == 0 ? 0 : 1));
    } else if (key == "sparse") {
        if (!form.density || *form.density > 0.5)
            return std::nullopt;
        other.masked = true;
        other.storedBytes = n / 8 + (n % 8 == 0 ? 0 : 1) +
                            2 * static_cast<std::uint64_t>(*form.density * static_cast<double>(n));
    } else {
        return std::nullopt;
    }
    return other;
}

Result<Placement> place(const Layer &layer, const Roofs &roofs, decision::Judge &judge,
                        std::uint64_t batch)
{
    constexpr std::uint64_t kMaxBatch = 1'000'000'000;
    if (batch == 0 || batch > kMaxBatch) {
        Error error;
        error.code = "roofline.batch";
        error.field = "batch";
        error.expected = "1 to 1,000,000,000";
        error.found = std::to_string(batch);
        error.message = "The batch is out of range.";
        return tl::unexpected(std::move(error));
    }
    Placement placed;
    placed.layer = layer;
    placed.trail.push_back(pointOf(layer.form, layer, roofs, judge, batch));
    placed.trail.front().stored = true;
    const std::string stored = layer.form.key();
    if (stored != "dense") {
        placed.dense = placed.trail.size();
        const auto dense = asForm(layer.form, "dense", layer.outputChannels);
        placed.trail.push_back(pointOf(*dense, layer, roofs, judge, batch));
    }
    for (const std::string_view key : kCandidates) {
        if (key == stored)
            continue;
        if (const auto other = asForm(layer.form, key, layer.outputChannels))
            placed.trail.push_back(pointOf(*other, layer, roofs, judge, batch));
    }
    placed.best = bestOf(placed.trail);
    flag(placed, roofs, batch);
    return placed;
}

std::optional<double> applyDispatchFloor(std::span<Placement> placements, const Roofs &roofs)
{
    double total = 0;
    for (const Placement &placement : placements)
        total += placement.stored().timeS.value_or(0);
    if (total <= 0)
        return std::nullopt;
    if (!roofs.dispatchFloorS || total >= *roofs.dispatchFloorS)
        return total;
    const double scale = *roofs.dispatchFloorS / total;
    for (Placement &placement : placements) {
        for (Point &point : placement.trail) {
            if (point.bound != Bound::Bandwidth || !point.timeS)
                continue;
            point.bound = Bound::Dispatch;
            point.timeS = *point.timeS * scale;
            point.rate = point.flops / *point.timeS;
        }
    }
    return *roofs.dispatchFloorS;
}

} // namespace kernscope::roofline
