// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <string_view>
#include <vector>

/// What people measured of a network, as plans take it.
namespace kernscope::plan {

/// Mean squares of what flows into each weight, by weight: of an archive of arrays (.npz), each
/// with a weight's name. Weights without an array have none. Errors: "plan.activations" (no archive
/// of arrays, a name that no weight has, a value that is negative or not finite), those of the
/// decoder.
Result<std::vector<std::vector<float>>> readMeanSquares(const Bundle &network,
                                                        const Bundle &arrays);

/// Sensitivities by weight: of a CSV table with the columns "weight" (a name or a pattern, of
/// several that match the last) and "sensitivity" (0 or more); 1 for all others. Errors:
/// "plan.sensitivity", those of CsvTable::parse.
Result<std::vector<double>> readSensitivity(const Bundle &network, std::string_view csv,
                                            std::string_view fileName);

} // namespace kernscope::plan
