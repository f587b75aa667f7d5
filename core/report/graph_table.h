// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/neighbourhood.h"
#include "core/report/column.h"
#include "core/report/json.h"

#include <cstddef>
#include <memory>
#include <string_view>
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

/// Everything of `graph`; `output` is empty where nothing was drawn to a file.
Json graphJson(std::string_view path, std::string_view output, const graph::Neighbourhood &drawn);
/// "function", "hops", "centers", "nodes", "edges", "left_out" of the document of `graph`.
void addGraph(Json &document, const graph::Neighbourhood &drawn);

} // namespace kernscope::report
