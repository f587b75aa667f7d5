// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <cstdint>
#include <vector>

namespace kernscope {

/// A number for every weight that changes whenever its stored bytes are edited: from the places of
/// its parts, what is laid over them and the bytes of its literals. Compare only numbers of
/// snapshots that share their files. Costs the edits, not the weights. Hold the files for reading.
std::vector<std::uint64_t> weightFingerprints(const Bundle &bundle);

} // namespace kernscope
