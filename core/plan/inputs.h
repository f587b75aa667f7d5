// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <string_view>
#include <vector>

/// What people measured of a network, as plans take it. Statistics of inputs: readActivations.
namespace kernscope::plan {

/// Sensitivities by weight: of a CSV table with the columns "weight" (a name or a pattern, of
/// several that match the last) and "sensitivity" (0 or more); 1 for all others. Errors:
/// "plan.sensitivity", those of CsvTable::parse.
Result<std::vector<double>> readSensitivity(const Bundle &network, std::string_view csv,
                                            std::string_view fileName);

} // namespace kernscope::plan
