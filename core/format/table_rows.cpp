// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/table_rows.h"

#include <algorithm>

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
    std::string_view rest = conditions;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(';'));
        if (one.starts_with(key) && one.size() > key.size() && one[key.size()] == '=')
            return one.substr(key.size() + 1);
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
    return {};
}

} // namespace kernscope::tables
