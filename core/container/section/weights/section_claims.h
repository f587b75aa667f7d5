// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/section_map.h"
#include "core/container/section/section.h"

#include <vector>

namespace kernscope {

/// What each byte of a weight section is for: header, names, units and the sections of their
/// payloads. `weights` are those of the bundle; a unit's bytes belong to the one of its name.
std::vector<ByteClaim> claimsOfSection(const section::WeightSection &section,
                                       const std::vector<Weight> &weights);

/// The mask at the front of a sound sparse unit's coefficients.
ByteRange maskRange(const section::Unit &unit);

} // namespace kernscope
