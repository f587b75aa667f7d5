// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/stale_caches.h"

#include "core/format/table_rows.h"

namespace kernscope::format {

std::vector<StaleCache> staleCaches(std::string_view kind)
{
    static const auto all =
        tables::loadRows<StaleCache>("stale_caches", {{"kinds", &StaleCache::kinds},
                                                      {"place", &StaleCache::place},
                                                      {"what", &StaleCache::what},
                                                      {"clear", &StaleCache::clear},
                                                      {"source", &StaleCache::source},
                                                      {"confidence", &StaleCache::confidence}});
    std::vector<StaleCache> rows;
    for (const StaleCache &row : all) {
        if ((" " + row.kinds + " ").find(" " + std::string(kind) + " ") != std::string::npos)
            rows.push_back(row);
    }
    return rows;
}

} // namespace kernscope::format
