// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

namespace kernscope {

/// One thing that the tools which made a bundle wrote about themselves.
struct BuildFact {
    std::string key, value; ///< "coremlc-version", "3505.4.1"
    friend bool operator==(const BuildFact &, const BuildFact &) = default;
};

/// The pairs of the program's `buildInfo` in its order, then the description, version, author and
/// license (as "shortDescription" and so on) and the user-defined metadata of the model's
/// description (mil::ModelDescription).
std::vector<BuildFact> buildFacts(const Bundle &bundle);

/// The versions of the tools that are known by name, of each the first that is not empty:
/// "coremltools 9.0b1", "coremlc 3505.4.1".
std::vector<std::string> buildTools(const std::vector<BuildFact> &facts);

/// Whether it is a weight of such a layer.
bool isOfOldNetwork(const Weight &weight);
/// Whether there is a weight, and all of them are.
bool isOldNetwork(const Bundle &bundle);

/// Says of what cannot be done with such a weight what it is, and what can be done instead.
Error oldNetworkError(std::string code, const std::string &weight);
inline constexpr std::string_view kOldNetworkReason =
    "a layer of an old neural network: its shapes are not in the file";

} // namespace kernscope
