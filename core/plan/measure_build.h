// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"

#include <string>

/// Another build of the network that is planned, for comparison.
namespace kernscope::plan {

struct Build {
    std::string name;
    PlanTotals totals; ///< in the terms of the survey: errors against its weights
    std::size_t paired = 0;
    std::vector<std::string> unpaired; ///< weights that the other build has no partner for
};

/// Pairs weights by the operation and operand that read them and their shape, decodes both, and
/// assesses the other build on the same chips. Weights without a partner have no share in the
/// errors. Errors: "plan.build" (no weight has a partner), those of the decoders and of bindShapes,
/// "task.cancelled".
Result<Build> measureBuild(const Bundle &bundle, const Survey &survey, const SurveyOptions &options,
                           const Bundle &other);

} // namespace kernscope::plan
