// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/csv.h"

#include <span>
#include <string_view>

/// The tables of facts about formats and chips: resources/tables/NAME.csv, embedded by the build.
/// Each has a source and a confidence column; code reads them and holds no such fact itself.
namespace kernscope::tables {

/// The names, in alphabetical order.
std::span<const std::string_view> names();

/// The embedded text; empty for a name that is not one.
std::string_view text(std::string_view name);

/// The embedded table, parsed. Errors: "table.name", those of CsvTable::parse.
Result<CsvTable> load(std::string_view name);

/// The value of `key` in a cell of conditions, "op=conv;bound=compute"; empty where it has none.
std::string_view conditionIn(std::string_view conditions, std::string_view key);

} // namespace kernscope::tables
