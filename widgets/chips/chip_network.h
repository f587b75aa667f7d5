// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/base/progress.h"
#include "core/bundle/bundle.h"

#include <functional>
#include <optional>
#include <vector>

namespace kernscope::ui {

/// With up to so many weights a network is placed within a frame; more are a task.
inline constexpr std::size_t kMostPlacedAtOnce = 500;

/// Places the layers of a bundle one after the other, in the order of its weights, and hands each
/// to `visit`: whole trails of 50,000 layers would take half a gigabyte. `progress` counts weights.
/// False where it was cancelled, or the batch is out of range.
bool forEachPlacement(const Bundle &bundle, const roofline::Roofs &roofs,
                      const target::Choice &choice, std::uint64_t batch, Progress *progress,
                      const std::function<void(roofline::Placement &&)> &visit);

/// The layers of a bundle on a chip, as roofline::assessNetwork gives them, but with the figures of
/// the stored, the dense and the best form only: times, bytes and rates. Nothing where it
/// was cancelled, or the batch is out of range.
std::optional<roofline::Network> placeNetwork(const Bundle &bundle, const roofline::Roofs &roofs,
                                              const target::Choice &choice, std::uint64_t batch,
                                              Progress *progress = nullptr);

} // namespace kernscope::ui
