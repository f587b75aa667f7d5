// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <algorithm>
#include <string>

/// Which function of the program a weight belongs to, for the tables that list weights.
namespace kernscope::ui {

/// "main", "detector/main"; of a neural network in a pipeline the model alone.
inline std::string functionWords(const Weight &weight)
{
    const bool both = !weight.model.empty() && !weight.function.empty();
    return weight.model + (both ? "/" : "") + weight.function;
}

/// Whether a table has to tell functions apart.
inline bool severalFunctions(const Bundle &bundle)
{
    const auto &weights = bundle.weights();
    return std::any_of(weights.begin(), weights.end(), [&weights](const Weight &weight) {
        return weight.function != weights.front().function || weight.model != weights.front().model;
    });
}

} // namespace kernscope::ui
