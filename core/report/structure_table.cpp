// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/structure_table.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

Value offsetOf(const std::optional<std::uint64_t> &offset)
{
    return offset ? Value(Hex{*offset}) : Value(Nothing());
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
    using Row = ProgramChangeFacts;
    static constexpr Column<Row> kColumns[] = {
        {"change", "Whether B lacks it, has it besides, or has it otherwise",
         [](const Row &row) -> Value { return Word(programChangeName(row.change.kind)); }},
        {"what",
         "A function, an operation that computes, the way a weight is stored, or a model of a "
         "pipeline that is no program",
         [](const Row &row) -> Value { return Word(programPartName(row.change.what)); }},
        {"function", "Function that it stands in; of a pipeline with its model",
         [](const Row &row) { return orNothing(row.change.function); }},
        {kName, "operation", "What the operation makes, as A calls it where it is there",
         [](const Row &row) { return orNothing(row.change.operation); }},
        {"type", "Type of the operation; of A and of B where they differ",
         [](const Row &row) { return orNothing(row.change.type); }},
        {"details", "A > B", "Arguments that differ, each with its value in A and in B",
         [](const Row &row) -> Value {
             return fmt::format("{}", fmt::join(row.change.details, "; "));
         }},
    };
    static const TableOf<Row> kTable{"program-changes", kColumns};
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
    using Row = StructureFacts;
    static constexpr Column<Row> kColumns[] = {
        {"what",
         "A file, a section, a task of a hardware container, a field of its header or a register, "
         "a symbol, a relocation slot or the address of a port",
         [](const Row &row) -> Value { return Word(structureKindName(row.kind)); }},
        {kName, "name", "What it is called", member<&Row::name>},
        {kNumber, "a", "A", "Its length or value in A; nothing where A does not have it",
         [](const Row &row) { return orNothing(row.a); }},
        {kNumber, "b", "B", "Its length or value in B; nothing where B does not have it",
         [](const Row &row) { return orNothing(row.b); }},
        {"different", "bytes",
         "Bytes of the file or section that are not the same, each set against the byte that "
         "stands for it on the other side",
         [](const Row &row) { return orNothing(row.different); }},
        {kNumber, "first_a", "first in A", "Offset in the file of A of the first byte that differs",
         [](const Row &row) { return offsetOf(row.firstA); }},
        {kNumber, "first_b", "first in B", "Offset in the file of B of the first byte that differs",
         [](const Row &row) { return offsetOf(row.firstB); }},
        {"fields", "details",
         "Fields of the register that differ, each with its value in A and in B; what a section is "
         "called in B",
         [](const Row &row) { return orNothing(row.detail); }},
    };
    static const TableOf<Row> kTable{"structure", kColumns};
    return kTable;
}

} // namespace kernscope::report
