// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/geometry_facts.h"

#include "core/format/table_rows.h"

namespace kernscope::decision {

std::span<const GeometryFact> geometryFacts()
{
    static const auto facts = tables::loadRows<GeometryFact>(
        "geometry_facts", {{"fact", &GeometryFact::fact},
                           {"target", &GeometryFact::target},
                           {"value", &GeometryFact::value},
                           {"unit", &GeometryFact::unit},
                           {"source", &GeometryFact::source},
                           {"note", &GeometryFact::note},
                           {"confidence", &GeometryFact::confidence}});
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
