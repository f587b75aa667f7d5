// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <string>
#include <vector>

namespace kernscope::sample {

/// One layer of the sample network, with the values that all builds approximate.
struct Layer {
    std::string name; ///< "conv1"
    std::string op;   ///< "conv" or "linear"
    Shape shape;      ///< OIHW, or [Dout, Din]
    Shape input, output;
    std::uint64_t stride = 1, pad = 0, groups = 1;
    std::vector<float> weight, bias;
    bool relu = true;
};

/// A small image classifier, always the same: edge filters that a person recognises in the heat
/// map, a depthwise layer, a wider convolution and a linear head. Values are exact in fp16.
std::vector<Layer> makeNetwork();

} // namespace kernscope::sample
