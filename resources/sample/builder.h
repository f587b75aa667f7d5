// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "resources/sample.h"
#include "resources/sample/network.h"

namespace kernscope::sample {

enum class Build { Dense, Sparse, Palette };

/// Writes the network as a compiled bundle: model.mil (iOS 18), weights/weight.bin, metadata.json.
/// Sparse: the convolutions lose the smaller 60 % of their values, the others stay exact.
/// Palette: 4-bit codebooks, the depthwise layer 2 bits (its codebook is then a literal).
Result<SampleBundle> build(const std::vector<Layer> &network, Build form);

} // namespace kernscope::sample
