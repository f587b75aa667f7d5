// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/contested.h"

#include "core/format/tables.h"

#include <algorithm>
#include <iterator>

namespace kernscope::format {

std::span<const Reading> readings()
{
    static const std::vector<Reading> all = [] {
        std::vector<Reading> rows;
        const auto table = tables::load("contested");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            Reading row;
            row.topic = table->cell(i, "topic");
            row.subject = table->cell(i, "subject");
            row.text = table->cell(i, "reading");
            row.taken = table->cell(i, "taken") == "yes";
            row.source = table->cell(i, "source");
            row.note = table->cell(i, "note");
            row.confidence = confidenceFromName(table->cell(i, "confidence"));
            rows.push_back(std::move(row));
        }
        return rows;
    }();
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
    static const std::vector<WeightElementRole> all = [] {
        std::vector<WeightElementRole> rows;
        const auto table = tables::load("weight_element_roles");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            WeightElementRole row;
            row.name = table->cell(i, "name");
            row.width = table->cell(i, "width");
            row.role = table->cell(i, "role");
            row.source = table->cell(i, "source");
            row.confidence = confidenceFromName(table->cell(i, "confidence"));
            rows.push_back(std::move(row));
        }
        return rows;
    }();
    return all;
}

} // namespace kernscope::format
