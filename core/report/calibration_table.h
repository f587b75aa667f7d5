// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/report/column.h"

/// Published measurements beside what is predicted for them: `calibrate` and its dock.
namespace kernscope::report {

const TableOf<roofline::CalibrationRow> &calibrationTable();
/// Figures that are no time of a layer.
const TableOf<roofline::PublishedFigure> &publishedFigureTable();

} // namespace kernscope::report
