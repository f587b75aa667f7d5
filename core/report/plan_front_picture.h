// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/plan_table.h"

#include <string>

namespace kernscope::report {

/// The error of the network against stored bytes, and against time where it is known, each an SVG
/// that needs no style sheet: the front, this plan as a ring, the other builds as squares with
/// their names. The figures are in the tables beside.
std::string planFrontPictures(const PlanSubject &subject);

} // namespace kernscope::report
