// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"

#include <iterator>
#include <utility>
#include <vector>

namespace kernscope::report {

/// The columns of one table that are declared in several lists, in that order.
template <class Row, class... More>
std::vector<Column<Row>> joinedColumns(std::vector<Column<Row>> first, More... more)
{
    const auto append = [&first](std::vector<Column<Row>> next) {
        first.insert(first.end(), std::make_move_iterator(next.begin()),
                     std::make_move_iterator(next.end()));
    };
    (append(std::move(more)), ...);
    return first;
}

} // namespace kernscope::report
