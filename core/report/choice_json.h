// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/choose_form.h"
#include "core/report/json.h"

namespace kernscope::report {

/// A weight of `choose`: the form that it should take, why, and every candidate.
Json choiceJson(const FormChoice &choice);

} // namespace kernscope::report
