// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"

#include <cstddef>

namespace kernscope::patch {

/// The weight that an edit names: by its name; with its function before a '/', and its model before
/// that, where several have one of that name; without the converters' suffixes, or by the operation
/// that makes it, where that is unambiguous. Errors: "patch.weight", `expected` naming the nearest
/// ones.
Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name);

} // namespace kernscope::patch
