// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/engine_facts.h"

#include "core/report/fact_values.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

std::vector<Column<EngineFact>> engineColumns()
{
    using Row = EngineFact;
    return {{"what", "what", "The figure, or what the figures below are about",
             [](const Row &row) -> Value { return View(row.what); }},
            {"value", "value", "What it comes to", [](const Row &row) { return row.value; }},
            {"remark", "remark", "How it comes about, and what other readings give",
             [](const Row &row) -> Value { return View(row.remark); }},
            {"source", "source", "Where the rule or the value is documented",
             [](const Row &row) -> Value { return View(row.source); }}};
}

} // namespace

const TableOf<EngineFact> &geometryFactTable()
{
    static const TableOf<EngineFact> kTable = [] {
        TableOf<EngineFact> table{"geometry", engineColumns()};
        table.columns.push_back({"confidence", "confidence", "How well it is known",
                                 [](const EngineFact &row) -> Value {
                                     return row.confidence ? confidenceValue(*row.confidence)
                                                           : Value(Nothing());
                                 }});
        return table;
    }();
    return kTable;
}

const TableOf<EngineFact> &collectiveFactTable()
{
    static const TableOf<EngineFact> kTable{"collective", engineColumns()};
    return kTable;
}

std::string engineFactsText(const std::vector<EngineFact> &facts)
{
    std::string text;
    for (const EngineFact &fact : facts) {
        if (fact.heading) {
            text += fmt::format("  {}\n", fact.what);
            continue;
        }
        std::string line = fmt::format("    {:<26} {}", fact.what, report::text(fact.value, "?"));
        if (!fact.remark.empty())
            line += "  " + fact.remark;
        const bool doubtful = fact.confidence == format::Confidence::Contested ||
                              fact.confidence == format::Confidence::Assumed;
        if (!fact.source.empty() || doubtful)
            line +=
                fmt::format(" [{}{}{}]", fact.source, doubtful && !fact.source.empty() ? "; " : "",
                            doubtful ? format::confidenceName(*fact.confidence) : "");
        text += line + "\n";
    }
    return text;
}

} // namespace kernscope::report
