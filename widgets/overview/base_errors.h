// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"

#include <memory>
#include <optional>
#include <vector>

namespace kernscope::ui {

/// How far the weights of a bundle are from those of the build that it was made of.
struct BaseErrors {
    BundlePtr of, base;
    /// By weight of `of`: the root of the summed squares of the differences over that of the base's
    /// values (0: the same values). Empty: no partner of that shape, or it cannot be read.
    std::vector<std::optional<double>> relative;
    double least = 0, most = 0; ///< of the errors above 0; both 0 where there is none
};

/// Pairs the weights and compares their decoded values. Takes the files' locks itself: the caller
/// must not hold them. Null where it was cancelled.
std::shared_ptr<const BaseErrors> errorsAgainst(const BundlePtr &of, const BundlePtr &base,
                                                Progress &progress);

/// 0 to 1 for a map of colours: 0 for the same values, well away from it the least error of the
/// bundle, 1 for the largest, between them by their logarithms.
double errorShade(const BaseErrors &errors, double relative);

} // namespace kernscope::ui
