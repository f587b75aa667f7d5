// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle.h"

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
};

/// Pairs the weights and compares their decoded values. Takes the files' locks itself: the caller
/// must not hold them. Null where it was cancelled.
std::shared_ptr<const BaseErrors> errorsAgainst(const BundlePtr &of, const BundlePtr &base,
                                                Progress &progress);

/// 0 to 1 for a map of colours: an error of 0.01 % and less to 100 % and more, by decades.
double errorShade(double relative);

} // namespace kernscope::ui
