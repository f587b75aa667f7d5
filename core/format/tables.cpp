// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tables.h"

namespace kernscope::tables {

Result<CsvTable> load(std::string_view name)
{
    const std::string_view content = text(name);
    if (content.empty()) {
        Error error;
        error.code = "table.name";
        error.found = name;
        error.message = "no such table is embedded";
        return tl::unexpected(std::move(error));
    }
    return CsvTable::parse(content, name);
}

} // namespace kernscope::tables
