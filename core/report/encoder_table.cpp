// SPDX-License-Identifier: GPL-3.0-or-later
// What the encoder of a descriptor version can write.
#include "core/report/fact_values.h"
#include "core/report/format_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

std::vector<Column<CodegenFacts>> codegenColumns()
{
    using Row = CodegenFacts;
    return {
        {.key = "capability",
         .title = "capability",
         .explanation = "What an encoder writes",
         .value = [](const Row &row) -> Value { return View(row.rule->capability); }},
        {.key = "since_version",
         .title = "since",
         .explanation = "First descriptor version whose encoder writes it",
         .align = TextTable::Align::Right,
         .value = [](const Row &row) -> Value { return Code{row.rule->sinceVersion}; }},
        {.key = "implemented",
         .title = "here",
         .explanation = "Whether the chosen descriptor version has it",
         .value = [](const Row &row) -> Value {
             return row.implemented ? Word{"implemented", Mark::Good}
                                    : Word{"no encoder", Mark::Bad};
         },
         .document = [](const Row &row) { return Json(row.implemented); }},
        {.key = "offset",
         .title = "offset",
         .explanation = "In the descriptor, where one is published",
         .value = [](const Row &row) -> Value {
             if (!row.rule->offset)
                 return Nothing();
             return fmt::format("{:#05x}", *row.rule->offset);
         }},
        {.key = "source",
         .title = "source",
         .explanation = "Where the rule comes from",
         .value = [](const Row &row) -> Value { return View(row.rule->source); },
         .origin = [](const Row &row) { return row.rule->note; }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well the rule is known",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) { return confidenceValue(row.rule->confidence); }},
        {.key = "note",
         .title = "note",
         .explanation = "What is to be known of it",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row.rule->note); }},
    };
}

} // namespace

std::vector<CodegenFacts> codegenRows(unsigned version)
{
    std::vector<CodegenFacts> rows;
    for (const format::CodegenRule &rule : format::codegenRules())
        rows.push_back({&rule, version >= rule.sinceVersion});
    return rows;
}

const TableOf<CodegenFacts> &codegenTable()
{
    static const TableOf<CodegenFacts> kTable{"encoder", codegenColumns()};
    return kTable;
}

} // namespace kernscope::report
