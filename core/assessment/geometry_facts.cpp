// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/geometry_facts.h"

#include "core/format/tables.h"

namespace kernscope::decision {

std::span<const GeometryFact> geometryFacts()
{
    static const std::vector<GeometryFact> facts = [] {
        std::vector<GeometryFact> rows;
        const auto table = tables::load("geometry_facts");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            GeometryFact fact;
            fact.fact = table->cell(i, "fact");
            fact.target = table->cell(i, "target");
            fact.value = parseNumber(table->cell(i, "value")).value_or(0);
            fact.unit = table->cell(i, "unit");
            fact.source = table->cell(i, "source");
            fact.note = table->cell(i, "note");
            fact.confidence = format::confidenceFromName(table->cell(i, "confidence"));
            rows.push_back(std::move(fact));
        }
        return rows;
    }();
    return facts;
}

const GeometryFact *geometryFact(const target::Target &target, std::string_view name)
{
    const GeometryFact *found = nullptr;
    for (const GeometryFact &fact : geometryFacts()) {
        if (fact.fact != name)
            continue;
        if (fact.target == target.name)
            return &fact;
        if (fact.target == "*")
            found = &fact;
    }
    return found;
}

} // namespace kernscope::decision
