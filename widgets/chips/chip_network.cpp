// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_network.h"

#include "core/assessment/assess.h"
#include "core/assessment/weight_layers.h"
#include "core/base/hash.h"

#include <unordered_map>
#include <utility>

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
        if (one.outcome != decision::Outcome::Rejected) // which refusal it is stays known
            one.decision = {};
        one.measured = {};
        one.speedup.reset();
        one.energy.reset();
        one.energyMeasured = {};
    }
}

/// Places layers, equal ones once.
class LayerPlacer
{
public:
    LayerPlacer(const roofline::Roofs &roofs, const target::TargetChoice &choice,
                std::uint64_t batch, KeptForms kept)
        : m_roofs(roofs), m_judge(choice), m_batch(batch), m_kept(kept)
    {
    }

    /// Nothing where the batch is out of range.
    std::optional<ChipLayer> place(roofline::Layer &&layer)
    {
        layer.name.clear();
        ChipLayer placed{std::exchange(layer.weight, 0), std::exchange(layer.consumer, 0), nullptr};
        if (const auto known = m_known.find(layer); known != m_known.end()) {
            placed.figures = known->second;
            return placed;
        }
        auto figures = roofline::place(layer, m_roofs, m_judge, m_batch);
        if (!figures)
            return std::nullopt;
        if (m_kept == KeptForms::Ends)
            keepEnds(*figures);
        placed.figures = std::make_shared<const roofline::Placement>(std::move(*figures));
        if (m_known.size() >= kMostPlacements) // layers that have them share them
            m_known.clear();
        m_known.emplace(std::move(layer), placed.figures);
        return placed;
    }

private:
    const roofline::Roofs &m_roofs;
    decision::Judge m_judge;
    std::uint64_t m_batch;
    KeptForms m_kept;
    std::unordered_map<roofline::Layer, std::shared_ptr<const roofline::Placement>, Hashed> m_known;
};

} // namespace

const std::string &ChipLayer::name(const Bundle &bundle) const
{
    return layerName(bundle.weights()[weight], consumer);
}

std::string ChipLayer::label(const Bundle &bundle) const
{
    const roofline::Layer &common = figures->layer;
    return common.ofSeveral ? common.function + "/" + name(bundle) : name(bundle);
}

roofline::Layer ChipLayer::layer(const Bundle &bundle) const
{
    roofline::Layer whole = figures->layer;
    whole.name = name(bundle);
    whole.weight = weight;
    whole.consumer = consumer;
    return whole;
}

roofline::Placement ChipLayer::placement(const Bundle &bundle) const
{
    roofline::Placement whole = *figures;
    whole.layer = layer(bundle);
    return whole;
}

bool forEachPlacement(const Bundle &bundle, const roofline::Roofs &roofs,
                      const target::TargetChoice &choice, std::uint64_t batch, KeptForms kept,
                      Progress *progress, const std::function<void(ChipLayer &&)> &visit)
{
    const LayerReader reader(bundle);
    if (progress)
        progress->setTotal(reader.weights());
    LayerPlacer placer(roofs, choice, batch, kept);
    for (std::size_t i = 0; i < reader.weights(); ++i) {
        for (roofline::Layer &layer : reader.layers(i, reader.form(i))) {
            auto placed = placer.place(std::move(layer));
            if (!placed)
                return false;
            visit(std::move(*placed));
        }
        if (progress && !progress->advance(1))
            return false;
    }
    return true;
}

std::optional<ChipNetwork> placeNetwork(const Bundle &bundle, const roofline::Roofs &roofs,
                                        const target::TargetChoice &choice, std::uint64_t batch,
                                        Progress *progress)
{
    ChipNetwork network;
    network.roofs = roofs;
    roofline::LayerTimes times;
    const auto add = [&](ChipLayer &&placed) {
        times.add(placed.figures->layer, placed.figures->stored());
        network.layers.push_back(std::move(placed));
    };
    if (!forEachPlacement(bundle, roofs, choice, batch, KeptForms::Ends, progress, add))
        return std::nullopt;
    network.layers.shrink_to_fit();
    network.program = times.total(roofs);
    return network;
}

} // namespace kernscope::ui
