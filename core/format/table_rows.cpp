// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/table_rows.h"

#include "core/base/parts.h"

namespace kernscope::tables {

Result<CsvTable> load(std::string_view name)
{
    const std::string_view content = text(name);
    if (content.empty()) {
        return refused("table.name", {}, {}, name, "no such table is embedded");
    }
    return CsvTable::parse(content, name);
}

std::string_view conditionIn(std::string_view conditions, std::string_view key)
{
    std::string_view found;
    allParts(conditions, ';', [&](std::string_view one) {
        if (one.starts_with(key) && one.size() > key.size() && one[key.size()] == '=')
            found = one.substr(key.size() + 1);
        return found.empty();
    });
    return found;
}

} // namespace kernscope::tables
