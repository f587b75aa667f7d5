// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// The embedded samples: one small network in three builds, and a part of it as a Core AI package,
/// made by the build itself
/// (resources/sample/), so that inspecting, comparing and patching can be tried at once.
namespace kernscope::sample {

struct SampleBundle {
    std::string name; ///< "sample-dense.mlmodelc"
    /// Path relative to the bundle and content, as Bundle::open takes them in memory.
    std::vector<std::pair<std::string, std::vector<std::byte>>> files;
};

/// sample-dense, sample-sparse and sample-palette, in this order.
std::vector<SampleBundle> bundles();
/// sample-coreai.aimodel: the last layers of the network, in a form each.
SampleBundle coreAi();

} // namespace kernscope::sample
