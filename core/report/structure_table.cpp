// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/structure_table.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

std::vector<Column<ProgramChangeFacts>> programColumns()
{
    using Row = ProgramChangeFacts;
    return {
        {.key = "change",
         .title = "change",
         .explanation = "Whether B lacks it, has it besides, or has it otherwise",
         .value = [](const Row &row) -> Value { return Word{programChangeName(row.change.kind)}; }},
        {.key = "what",
         .title = "what",
         .explanation = "A function, an operation that computes, the way a weight is stored, or a "
                        "model of a pipeline that is no program",
         .value = [](const Row &row) -> Value { return Word{programPartName(row.change.what)}; }},
        {.key = "function",
         .title = "function",
         .explanation = "Function that it stands in; of a pipeline with its model",
         .value = [](const Row &row) { return orNothing(row.change.function); }},
        {.key = "operation",
         .title = "operation",
         .explanation = "What the operation makes, as A calls it where it is there",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) { return orNothing(row.change.operation); }},
        {.key = "type",
         .title = "type",
         .explanation = "Type of the operation; of A and of B where they differ",
         .value = [](const Row &row) { return orNothing(row.change.type); }},
        {.key = "details",
         .title = "A > B",
         .explanation = "Arguments that differ, each with its value in A and in B",
         .value = [](const Row &row) -> Value {
             return fmt::format("{}", fmt::join(row.change.details, "; "));
         }},
    };
}

Value offsetOf(const std::optional<std::uint64_t> &offset)
{
    return offset ? Value(Hex{*offset}) : Value(Nothing());
}

std::vector<Column<StructureFacts>> structureColumns()
{
    using Row = StructureFacts;
    return {
        {.key = "what",
         .title = "what",
         .explanation = "A file, a section, a task of a hardware container, a field of its header "
                        "or a register, a symbol, a relocation slot or the address of a port",
         .value = [](const Row &row) -> Value { return Word{structureKindName(row.kind)}; }},
        {.key = "name",
         .title = "name",
         .explanation = "What it is called",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return View(row.name); }},
        {.key = "a",
         .title = "A",
         .explanation = "Its length or value in A; nothing where A does not have it",
         .align = TextTable::Align::Right,
         .value = [](const Row &row) { return orNothing(row.a); }},
        {.key = "b",
         .title = "B",
         .explanation = "Its length or value in B; nothing where B does not have it",
         .align = TextTable::Align::Right,
         .value = [](const Row &row) { return orNothing(row.b); }},
        {.key = "different",
         .title = "bytes",
         .explanation = "Bytes of the file or section that are not the same, each set against the "
                        "byte that stands for it on the other side",
         .value = [](const Row &row) { return orNothing(row.different); }},
        {.key = "first_a",
         .title = "first in A",
         .explanation = "Offset in the file of A of the first byte that differs",
         .align = TextTable::Align::Right,
         .value = [](const Row &row) { return offsetOf(row.firstA); }},
        {.key = "first_b",
         .title = "first in B",
         .explanation = "Offset in the file of B of the first byte that differs",
         .align = TextTable::Align::Right,
         .value = [](const Row &row) { return offsetOf(row.firstB); }},
        {.key = "fields",
         .title = "details",
         .explanation = "Fields of the register that differ, each with its value in A and in B; "
                        "what a section is called in B",
         .value = [](const Row &row) { return orNothing(row.detail); }},
    };
}

} // namespace

std::vector<ProgramChangeFacts> programChangeRows(const Difference &difference)
{
    std::vector<ProgramChangeFacts> rows;
    for (const ProgramChange &change : difference.program.detail.changes)
        rows.push_back({change});
    return rows;
}

const TableOf<ProgramChangeFacts> &programChangeTable()
{
    static const TableOf<ProgramChangeFacts> kTable{"program-changes", programColumns()};
    return kTable;
}

std::string_view structureKindName(StructureFacts::Kind kind)
{
    static constexpr std::array<std::string_view, 8> kNames{
        "file", "section", "task", "header field", "register", "symbol", "relocation slot", "port"};
    return kNames[static_cast<std::size_t>(kind)];
}

const TableOf<StructureFacts> &structureTable()
{
    static const TableOf<StructureFacts> kTable{"structure", structureColumns()};
    return kTable;
}

} // namespace kernscope::report
