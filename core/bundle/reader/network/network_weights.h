// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/network/network.h"

namespace kernscope {

/// The weights of a neural network that lies in file number `file`: "LAYER.FIELD", each with its
/// form ("dense-fp32", "dense-fp16", "affine", "palette", "dense-int8") and its layer as consumer.
std::vector<Weight> networkWeights(const network::Network &network, std::size_t file,
                                   const std::string &model);

} // namespace kernscope
