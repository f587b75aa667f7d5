// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::patch {

/// Whether a text is like a pattern: '*' stands for any characters, '?' for one, "[a-c_]" for one
/// of those, "[!a-c]" for one that is not; a '[' without ']' for itself.
bool matchesPattern(std::string_view pattern, std::string_view text);

/// The weights that names and patterns stand for, each once, in the bundle's order. A name is what
/// findWeight() takes; what is none is a pattern, of names and of addresses. Errors: those of
/// findWeight(), "patch.weight" for a pattern that no weight is like.
Result<std::vector<std::size_t>> findWeights(const Bundle &bundle,
                                             std::span<const std::string> names);

} // namespace kernscope::patch
