// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"

#include <iterator>
#include <utility>
#include <vector>

namespace kernscope::report {

/// The columns of one table that are declared in several lists, in that order.
template <class Row>
std::vector<Column<Row>> joinedColumns(std::vector<Column<Row>> first,
                                       std::vector<Column<Row>> second)
{
    first.insert(first.end(), std::make_move_iterator(second.begin()),
                 std::make_move_iterator(second.end()));
    return first;
}

} // namespace kernscope::report
