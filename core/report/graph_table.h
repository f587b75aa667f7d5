// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/neighbourhood.h"
#include "core/report/column.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace kernscope::report {

/// A box of a drawing, which is shared with the other rows.
struct GraphRow {
    std::shared_ptr<const graph::Neighbourhood> drawn;
    std::size_t unit = 0;
};
std::vector<GraphRow> graphRows(const std::shared_ptr<const graph::Neighbourhood> &drawn);
/// What is drawn as a table: as `graph` lists it and the Graph dock shows it to those who do not
/// see the drawing.
const TableOf<GraphRow> &graphTable();

} // namespace kernscope::report
