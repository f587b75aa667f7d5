// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "resources/sample.h"
#include "resources/sample/network.h"

#include <span>
#include <vector>

namespace kernscope::sample {

/// The last layers of the network as a Core AI package: indices of 4 bits into a codebook, half of
/// the weights left out, and int8 with a scale for each row. `module`: main.mlirb of three linear
/// layers whose weights are one number each (base.mlirb); the project's own writer gives them
/// their values and forms.
Result<SampleBundle> buildCoreAi(const std::vector<Layer> &network,
                                 std::span<const std::byte> module);

} // namespace kernscope::sample
