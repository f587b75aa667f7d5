// SPDX-License-Identifier: GPL-3.0-or-later
// What the encoder of a descriptor version can write.
#include "core/report/fact_values.h"
#include "core/report/format_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

std::vector<CodegenFacts> codegenRows(unsigned version)
{
    std::vector<CodegenFacts> rows;
    for (const format::CodegenRule &rule : format::codegenRules())
        rows.push_back({&rule, version >= rule.sinceVersion});
    return rows;
}

const TableOf<CodegenFacts> &codegenTable()
{
    using Row = CodegenFacts;
    static constexpr Column<Row> kColumns[] = {
        {"capability", "capability", "What an encoder writes",
         [](const Row &row) -> Value { return View(row.rule->capability); }},
        {kNumber, "since_version", "since", "First descriptor version whose encoder writes it",
         [](const Row &row) -> Value { return Code(row.rule->sinceVersion); }},
        {"implemented", "here", "Whether the chosen descriptor version has it",
         [](const Row &row) -> Value {
             return row.implemented ? Word("implemented", Mark::Good)
                                    : Word("no encoder", Mark::Bad);
         },
         jsonOf([](const Row &row) { return Json(row.implemented); })},
        {"offset", "offset", "In the descriptor, where one is published",
         [](const Row &row) -> Value {
             if (!row.rule->offset)
                 return Nothing();
             return fmt::format("{:#05x}", *row.rule->offset);
         }},
        {"source", "source", "Where the rule comes from",
         [](const Row &row) -> Value { return View(row.rule->source); },
         originOf([](const Row &row) { return row.rule->note; })},
        {kDocument | kWindow, "confidence", "confidence", "How well the rule is known",
         [](const Row &row) { return confidenceValue(row.rule->confidence); }},
        {kDocument, "note", "note", "What is to be known of it",
         [](const Row &row) -> Value { return View(row.rule->note); }},
    };
    static const TableOf<Row> kTable{"encoder", kColumns};
    return kTable;
}

} // namespace kernscope::report
