// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_network.h"

#include "core/assessment/weight_facts.h"

namespace kernscope::ui {

std::optional<roofline::Network> placeNetwork(const Bundle &bundle,
                                              const std::vector<decision::WeightForm> &forms,
                                              const roofline::Roofs &roofs,
                                              const target::Choice &choice, std::uint64_t batch,
                                              Progress *progress)
{
    const std::vector<roofline::Layer> layers = layersOf(bundle, forms);
    if (progress)
        progress->setTotal(layers.size());
    decision::Judge judge(choice);
    roofline::Network network;
    network.roofs = roofs;
    network.placements.reserve(layers.size());
    for (const roofline::Layer &layer : layers) {
        auto placed = roofline::place(layer, roofs, judge, batch);
        if (!placed || (progress && !progress->advance(1)))
            return std::nullopt;
        for (roofline::Assessment &one : placed->trail) {
            one.decision = {};
            one.measured = {};
            one.energyMeasured = {};
        }
        placed->trail.shrink_to_fit();
        network.placements.push_back(std::move(*placed));
    }
    network.program = roofline::programTime(network.placements, roofs);
    return network;
}

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
}

} // namespace kernscope::ui
