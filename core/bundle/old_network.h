// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

/// Weights of neural networks of the kind before programs (NeuralNetwork.proto): layers without
/// statements, whose shapes follow only as the network is compiled.
namespace kernscope {

/// Whether it is a weight of such a layer.
bool isOfOldNetwork(const Weight &weight);
/// Whether there is a weight, and all of them are.
bool isOldNetwork(const Bundle &bundle);

/// Says of what cannot be done with such a weight what it is, and what can be done instead.
Error oldNetworkError(std::string code, const std::string &weight);
inline constexpr std::string_view kOldNetworkReason =
    "a layer of an old neural network: its shapes are not in the file";

} // namespace kernscope
