// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/contested.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <iterator>

namespace kernscope::format {

std::span<const Reading> readings()
{
    static const auto all =
        tables::loadRows<Reading>("contested", {{"topic", &Reading::topic},
                                                {"subject", &Reading::subject},
                                                {"reading", &Reading::text},
                                                {"taken", &Reading::taken},
                                                {"source", &Reading::source},
                                                {"note", &Reading::note},
                                                {"confidence", &Reading::confidence}});
    return all;
}

std::vector<Reading> readingsOf(std::string_view topic)
{
    std::vector<Reading> found;
    std::copy_if(readings().begin(), readings().end(), std::back_inserter(found),
                 [topic](const Reading &row) { return row.topic == topic; });
    return found;
}

std::vector<Reading> readingsAbout(std::string_view subject)
{
    std::vector<Reading> found;
    std::copy_if(readings().begin(), readings().end(), std::back_inserter(found),
                 [subject](const Reading &row) { return row.subject == subject; });
    return found;
}

std::span<const WeightElementRole> weightElementRoles()
{
    static const auto all = tables::loadRows<WeightElementRole>(
        "weight_element_roles", {{"name", &WeightElementRole::name},
                                 {"width", &WeightElementRole::width},
                                 {"role", &WeightElementRole::role},
                                 {"source", &WeightElementRole::source},
                                 {"confidence", &WeightElementRole::confidence}});
    return all;
}

} // namespace kernscope::format
