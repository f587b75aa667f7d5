// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_network.h"

#include "core/assessment/weight_layers.h"

namespace kernscope::ui {

namespace {

/// Leaves of the trail only the stored, the dense and the best form, and of these the figures.
void keepEnds(roofline::Placement &placed)
{
    std::vector<roofline::Assessment> kept;
    const auto keep = [&](std::size_t &index) {
        if (index == 0)
            return;
        kept.push_back(std::move(placed.trail[index]));
        index = kept.size() - 1;
    };
    const bool same = placed.best == placed.dense;
    kept.reserve(3);
    kept.push_back(std::move(placed.trail.front()));
    keep(placed.dense);
    if (same)
        placed.best = placed.dense;
    else if (placed.best)
        keep(*placed.best);
    placed.trail = std::move(kept);
    for (roofline::Assessment &one : placed.trail) {
        one.weight = {};
        one.decision = {};
        one.measured = {};
        one.speedup.reset();
        one.energy.reset();
        one.energyMeasured = {};
    }
}

} // namespace

bool forEachPlacement(const Bundle &bundle, const roofline::Roofs &roofs,
                      const target::Choice &choice, std::uint64_t batch, Progress *progress,
                      const std::function<void(roofline::Placement &&)> &visit)
{
    const LayerReader reader(bundle);
    if (progress)
        progress->setTotal(reader.weights());
    decision::Judge judge(choice);
    for (std::size_t i = 0; i < reader.weights(); ++i) {
        for (const roofline::Layer &layer : reader.layers(i, reader.form(i))) {
            auto placed = roofline::place(layer, roofs, judge, batch);
            if (!placed)
                return false;
            visit(std::move(*placed));
        }
        if (progress && !progress->advance(1))
            return false;
    }
    return true;
}

std::optional<roofline::Network> placeNetwork(const Bundle &bundle, const roofline::Roofs &roofs,
                                              const target::Choice &choice, std::uint64_t batch,
                                              Progress *progress)
{
    roofline::Network network;
    network.roofs = roofs;
    const bool whole = forEachPlacement(bundle, roofs, choice, batch, progress,
                                        [&network](roofline::Placement &&placed) {
                                            keepEnds(placed);
                                            network.placements.push_back(std::move(placed));
                                        });
    if (!whole)
        return std::nullopt;
    network.program = roofline::programTime(network.placements, roofs);
    return network;
}

} // namespace kernscope::ui
