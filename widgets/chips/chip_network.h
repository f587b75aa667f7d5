// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/base/progress.h"
#include "core/base/small_index.h"
#include "core/bundle/bundle_fwd.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernscope::ui {

/// A network of at most this many weights is placed within a frame; a larger one in a task.
inline constexpr std::size_t kMostPlacedAtOnce = 500;

/// A layer of a bundle on a chip.
struct ChipLayer {
    SmallIndex weight = 0, consumer = 0;
    /// What layers that differ in nothing but their names and these two have in common: their layer
    /// has no name, and the numbers 0.
    std::shared_ptr<const roofline::Placement> figures;

    /// All of these read the names in the bundle that the layer was placed of.
    const std::string &name(const Bundle &bundle) const;
    std::string label(const Bundle &bundle) const;             ///< roofline::Layer::label
    roofline::Layer layer(const Bundle &bundle) const;         ///< whole
    roofline::Placement placement(const Bundle &bundle) const; ///< with the whole layer
};

/// The layers of a bundle on a chip, in the order of its weights.
struct ChipNetwork {
    roofline::Roofs roofs;
    std::vector<ChipLayer> layers;
    roofline::ProgramTime program;
};

/// What is kept of the forms that a layer was tried in.
enum class KeptForms : std::uint8_t {
    All,
    Ends, ///< the stored, the dense and the best form: times, bytes and rates only
};

/// How many different placements are remembered while layers are placed: some kilobytes each;
/// networks have hundreds of different layers at most.
inline constexpr std::size_t kMostPlacements = 4096;

/// Places the layers of a bundle one after the other, in the order of its weights, and hands each
/// to `visit`: whole trails of 50,000 layers would take half a gigabyte. Equal layers are placed
/// once. `progress` counts weights. False where it was cancelled, or the batch is out of range.
bool forEachPlacement(const Bundle &bundle, const roofline::Roofs &roofs,
                      const target::TargetChoice &choice, std::uint64_t batch, KeptForms kept,
                      Progress *progress, const std::function<void(ChipLayer &&)> &visit);

/// The layers of a bundle on a chip, as roofline::assessNetwork gives them, but with the figures of
/// the stored, the dense and the best form only. Nothing where it was cancelled, or the batch is
/// out of range.
std::optional<ChipNetwork> placeNetwork(const Bundle &bundle, const roofline::Roofs &roofs,
                                        const target::TargetChoice &choice, std::uint64_t batch,
                                        Progress *progress = nullptr);

} // namespace kernscope::ui
