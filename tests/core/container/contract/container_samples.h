// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <vector>

/// One sound file or folder of each kind of container, for the tests that all of them pass. A new
/// container adds its own here.
namespace kernscope::test {

struct ContainerSample {
    BundleKind kind = BundleKind::Unknown;
    const char *name = "";
    OpenOptions files; ///< in memory
};

std::vector<ContainerSample> containerSamples();

} // namespace kernscope::test
