// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/geometry.h"
#include "widgets/chips/fact_table_model.h"

namespace kernscope::ui {

/// Every figure of a geometry: what, value, remark, source, confidence.
std::vector<FactTableModel::Row> geometryRows(const decision::Operation &operation,
                                              const decision::Geometry &geometry);
/// The first words: "group 2, 128 passes, 4 of 4 cores, double-buffered, Winograd eligible".
QString geometrySummary(const decision::Geometry &geometry);

} // namespace kernscope::ui
