// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/structure_table.h"

#include "core/base/counted_text.h"
#include "core/bundle/pair_read_lock.h"
#include "core/diff/task_comparison.h"

#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

using Kind = StructureFacts::Kind;

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

std::vector<Column<StructureFacts>> structureColumns()
{
    using Row = StructureFacts;
    return {
        {.key = "what",
         .title = "what",
         .explanation = "A file, a section, a task of a hardware container, a field of its header "
                        "or a register",
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
        {.key = "fields",
         .title = "fields",
         .explanation = "Fields of the register that differ, each with its value in A and in B",
         .value = [](const Row &row) { return orNothing(row.detail); }},
    };
}

/// Lengths by name, in the order in which A has them, then what B has besides.
using Lengths = std::vector<std::pair<std::string, std::uint64_t>>;

std::string lengthText(const std::uint64_t *bytes)
{
    return bytes ? grouped(*bytes) + " B" : std::string();
}

/// What has another length, or is there on one side only. Of several of one name the first of A
/// stands for the first of B, and so on.
void addLengths(Kind kind, const Lengths &a, const Lengths &b, std::vector<StructureFacts> &rows)
{
    std::map<std::string_view, std::vector<const std::uint64_t *>> left;
    for (auto it = b.rbegin(); it != b.rend(); ++it)
        left[it->first].push_back(&it->second);
    for (const auto &[name, bytes] : a) {
        const auto found = left.find(name);
        const std::uint64_t *other = nullptr;
        if (found != left.end() && !found->second.empty()) {
            other = found->second.back();
            found->second.pop_back();
        }
        if (!other || *other != bytes)
            rows.push_back({kind, name, lengthText(&bytes), lengthText(other), {}});
    }
    for (const auto &[name, bytes] : b) {
        auto &rest = left[name];
        if (!rest.empty() && rest.back() == &bytes) {
            rest.pop_back();
            rows.push_back({kind, name, {}, lengthText(&bytes), {}});
        }
    }
}

Lengths filesOf(const Bundle &bundle)
{
    Lengths list;
    for (const BundleFile &file : bundle.files())
        list.emplace_back(file.path, file.file->size().value);
    return list;
}

/// Padding and gaps follow from what lies around them.
Lengths sectionsOf(const Bundle &bundle)
{
    Lengths list;
    for (const kernscope::Section &section : bundle.sections()) {
        if (section.kind != SectionKind::Padding)
            list.emplace_back(section.name, section.range.bytes.value);
    }
    return list;
}

std::string hexOf(const std::optional<std::uint32_t> &value)
{
    return value ? fmt::format("0x{:08x}", *value) : std::string();
}

std::string fieldText(const descriptor::FieldDifference &field)
{
    const auto number = [](const std::optional<std::uint32_t> &value) {
        return value ? fmt::format("{}", *value) : std::string("none");
    };
    return fmt::format("{}: {} > {}", field.name, number(field.a), number(field.b));
}

void addTask(const descriptor::TaskDifference &task, std::vector<StructureFacts> &rows)
{
    const auto index = [](std::size_t of) {
        return of == descriptor::kNoTask ? std::string() : fmt::format("{}", of);
    };
    const std::string name = "task " + index(task.a == descriptor::kNoTask ? task.b : task.a);
    rows.push_back({Kind::Task, name, index(task.a), index(task.b), {}});
    const auto decimal = [](const std::optional<std::uint32_t> &value) {
        return value ? fmt::format("{}", *value) : std::string();
    };
    for (const descriptor::FieldDifference &field : task.header)
        rows.push_back(
            {Kind::Header, name + ": " + field.name, decimal(field.a), decimal(field.b), {}});
    for (const descriptor::RegisterDifference &each : task.registers) {
        std::vector<std::string> fields;
        for (const descriptor::FieldDifference &field : each.fields)
            fields.push_back(fieldText(field));
        const std::string called = each.reg ? each.reg->block + "." + each.reg->name
                                            : fmt::format("{:#07x}", each.address);
        rows.push_back({Kind::Register, name + ": " + called, hexOf(each.a), hexOf(each.b),
                        fmt::format("{}", fmt::join(fields, "; "))});
    }
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
    static constexpr std::array<std::string_view, 5> kNames{"file", "section", "task",
                                                            "header field", "register"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::vector<StructureFacts> structureRows(const Bundle &a, const Bundle &b)
{
    const PairReadLock lock(a, b);
    std::vector<StructureFacts> rows;
    addLengths(Kind::File, filesOf(a), filesOf(b), rows);
    addLengths(Kind::Section, sectionsOf(a), sectionsOf(b), rows);
    if (const auto tasks = compareTasks(a, b)) {
        for (const descriptor::TaskDifference &task : tasks->differences)
            addTask(task, rows);
    }
    return rows;
}

const TableOf<StructureFacts> &structureTable()
{
    static const TableOf<StructureFacts> kTable{"structure", structureColumns()};
    return kTable;
}

} // namespace kernscope::report
