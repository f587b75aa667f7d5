// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/coverage.h"

namespace kernscope {

/// A configuration of coremltools (OptimizationConfig) or coreai-opt, JSON or YAML: the forms for
/// all weights, for operations and for names. What weights cannot be judged by (types of modules, a
/// key that there is not) is refused, never left out. Error "coverage.config", with the line.
Result<CoverageRules> readCompressionConfig(std::string_view text, const std::string &file);

} // namespace kernscope
