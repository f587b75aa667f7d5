// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/base/progress.h"
#include "core/bundle/bundle.h"

#include <optional>
#include <vector>

namespace kernscope::ui {

/// With up to so many weights a network is placed within a frame; more are a task.
inline constexpr std::size_t kMostPlacedAtOnce = 500;

/// The layers of a bundle on a chip, as roofline::assessNetwork gives them, but with the figures of
/// the trail only: reasons and measurements of 50,000 layers would take a gigabyte. Nothing where
/// it was cancelled, or the batch is out of range.
std::optional<roofline::Network> placeNetwork(const Bundle &bundle,
                                              const std::vector<decision::WeightForm> &forms,
                                              const roofline::Roofs &roofs,
                                              const target::Choice &choice, std::uint64_t batch,
                                              Progress *progress = nullptr);

/// Leaves of the trail only the stored, the dense and the best form.
void keepEnds(roofline::Placement &placed);

} // namespace kernscope::ui
