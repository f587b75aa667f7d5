// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/report/json.h"

#include <vector>

namespace kernscope::report {

/// Published measurements beside what is predicted for them, as `calibrate` lists them.
Json calibrationJson(const std::vector<roofline::CalibrationRow> &rows);
/// Further published figures, most of which nothing predicts.
Json publishedFiguresJson(const std::vector<roofline::PublishedFigure> &figures);

} // namespace kernscope::report
