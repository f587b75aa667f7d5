// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

namespace kernscope::patch {

/// The weights that names and patterns stand for, each once, in the bundle's order. A name is what
/// findWeight() takes; what is none is a pattern, of names and of addresses. Errors: those of
/// findWeight(), "patch.weight" for a pattern that no weight is like.
Result<std::vector<std::size_t>> findWeights(const Bundle &bundle,
                                             std::span<const std::string> names);

} // namespace kernscope::patch
