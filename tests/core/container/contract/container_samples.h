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
    const char *pages = "resources/formats";
};

/// What reads and writes the sample.
const ContainerReader &readerOf(const ContainerSample &sample);

std::vector<ContainerSample> containerSamples();

/// A row of a test for each sample, and the one of the row at hand.
void addContainers();
ContainerSample fetchedContainer();

/// "w[0,0]=2": another value in the first element of a weight.
std::string firstElementEdit(const Weight &weight);

} // namespace kernscope::test
