// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/structure_table.h"

#include <vector>

namespace kernscope::report {

/// Symbols, relocation slots and addresses of ports of two hardware containers that are not alike:
/// symbols and ports by their names, slots by their section and place in it. Nothing where one of
/// the two is no such container.
std::vector<StructureFacts> symbolRows(const Bundle &a, const Bundle &b);

} // namespace kernscope::report
