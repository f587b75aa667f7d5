// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <cstddef>
#include <string>

namespace kernscope::diff {

/// Digest of the decoded elements (of a large weight: of runs spread over it), with their number;
/// empty where the weight cannot be decoded. Hold the files for reading.
std::string contentKey(const Bundle &bundle, std::size_t weight);

} // namespace kernscope::diff
