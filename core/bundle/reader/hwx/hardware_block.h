// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/section_map.h"
#include "core/bundle/weight.h"
#include "core/container/hwx/container.h"

/// Private to the readers of hardware images: a set of slices as a weight, its biases as another.
namespace kernscope {

/// The weights of a hardware container's tasks, with what each lane's slice holds.
struct HardwareWeights {
    std::vector<Weight> weights;
    std::vector<ByteClaim> claims; ///< planes, bias rows and padding of the slices; by offset
    Diagnostics diagnostics;       ///< "hwx.slices": sizes or places that no law explains
};

/// Finds the slices that the tasks of `container` load and makes each set of them a weight: shape
/// from the task that reads it, element order by the laws of core/codec/lanes where it is known
/// (versions 7 and 11), assumed for fp16 of others, raw bytes with their size law where it is not.
/// Reads tables and task words only, no coefficient.
HardwareWeights hardwareWeights(const hwx::Container &container, std::span<const std::byte> bytes,
                                const std::string &file);

} // namespace kernscope
