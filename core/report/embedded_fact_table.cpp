// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/embedded_fact_table.h"

#include "core/format/tables.h"
#include "core/report/json.h"
#include "core/report/json_table.h"

#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

void addRows(std::string_view name, std::vector<EmbeddedFact> &rows)
{
    const auto csv = tables::load(name);
    for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
        EmbeddedFact fact;
        fact.table = name;
        for (std::size_t i = 0; i < csv->columns().size(); ++i) {
            const std::string &column = csv->columns()[i];
            const std::string_view cell = csv->cell(row, i);
            if (column == "confidence")
                fact.confidence = cell;
            else if (column == "source")
                fact.source = cell;
            else if (column == "note")
                fact.note = cell;
            else if (!cell.empty())
                fact.cells.append(fact.cells.empty() ? "" : "; ").append(column + "=").append(cell);
        }
        rows.push_back(std::move(fact));
    }
}

} // namespace

std::vector<EmbeddedFact> embeddedFactRows(std::string_view table)
{
    std::vector<EmbeddedFact> rows;
    for (const std::string_view name : tables::names()) {
        if (table.empty() || table == name)
            addRows(name, rows);
    }
    return rows;
}

const TableOf<EmbeddedFact> &embeddedFactTable()
{
    using Row = EmbeddedFact;
    static constexpr Column<Row> kColumns[] = {
        {"table", "table", "Table of facts that the program reads",
         [](const Row &row) -> Value { return View(row.table); }},
        {"fact", "fact", "Cells of the row, by column",
         [](const Row &row) -> Value { return View(row.cells); }},
        {"confidence", "confidence", "How well the row is known, in the words of its table",
         [](const Row &row) { return orNothing(row.confidence); }},
        {"source", "source", "Where the row comes from",
         [](const Row &row) { return orNothing(row.source); }},
        {"note", "note", "What is to be known of it",
         [](const Row &row) { return orNothing(row.note); }},
    };
    static const TableOf<Row> kTable{"facts", kColumns};
    return kTable;
}

Json embeddedFactsJson(std::string_view table)
{
    Json json = document("formats");
    json["facts"] = jsonArray(embeddedFactTable(), embeddedFactRows(table));
    return json;
}

} // namespace kernscope::report
