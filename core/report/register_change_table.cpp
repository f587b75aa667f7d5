// SPDX-License-Identifier: GPL-3.0-or-later
// Words without a name, and what differs between tasks, as tables.
#include "core/report/json_table.h"
#include "core/report/number_text.h"
#include "core/report/register_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// The first values and how often each was seen.
Value surveyValues(const SurveyRow &row)
{
    constexpr std::size_t kShown = 6;
    std::string text;
    std::size_t shown = 0;
    for (const auto &[value, times] : row.values) {
        if (shown++ < kShown)
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", hexText(value), times);
    }
    if (row.values.size() > kShown || row.more)
        text += fmt::format(" and {}{} more", row.more ? "at least " : "",
                            row.values.size() - std::min(kShown, row.values.size()));
    return text;
}

Json surveyValuesDocument(const SurveyRow &row)
{
    Json values = Json::array();
    for (const auto &[value, times] : row.values)
        values.push_back({{"value", hexText(value)}, {"times", times}});
    return values;
}

Value sideValue(const RegisterChange &row, const std::optional<std::uint32_t> &value)
{
    if (row.taskAlone)
        return Nothing();
    if (!value)
        return Unknown();
    return row.whole ? Value(Hex{*value, 8}) : Value(Code{*value});
}

} // namespace

const TableOf<SurveyRow> &surveyTable()
{
    using Row = SurveyRow;
    static constexpr Column<Row> kColumns[] = {
        {"kind", "kind", "A register, or a word of a thread command",
         [](const Row &row) -> Value { return View(row.kind); }},
        {kNumber, "version", "version", "Version of the register map; of a thread word its flavor",
         [](const Row &row) -> Value { return Code(row.version); }},
        {kNumber, "address", "address", "Address of the register, or offset in the command",
         [](const Row &row) -> Value { return Hex(row.address); },
         jsonOf([](const Row &row) { return Json(hexText(row.address)); })},
        {kNumber, "files", "files", "Containers that have it",
         [](const Row &row) -> Value { return Count(row.files); }},
        {kNumber, "writes", "writes", "How often it is written",
         [](const Row &row) -> Value { return Count(row.writes); }},
        {kDocument, "set_bits", "set bits", "Bits that are 1 in every value", nullptr,
         jsonOf([](const Row &row) { return Json(hexText(row.setBits)); })},
        {kDocument, "clear_bits", "clear bits", "Bits that are 0 in every value", nullptr,
         jsonOf([](const Row &row) { return Json(hexText(row.clearBits)); })},
        {kDocument, "more_values", "more values", "Whether it has more values than are listed",
         [](const Row &row) -> Value { return row.more; }},
        {"values", "values", "Its values, and how often each was written", surveyValues,
         jsonOf(surveyValuesDocument)},
    };
    static const TableOf<Row> kTable{"survey",
                                     kColumns,
                                     {"kind", "version", "address", "files", "writes", "set_bits",
                                      "clear_bits", "more_values", "values"}};
    return kTable;
}

std::vector<RegisterChange> registerChanges(const descriptor::RegisterDifference &difference)
{
    const std::string name = difference.reg == nullptr
                                 ? hexText(difference.address)
                                 : difference.reg->block + " " + difference.reg->name;
    std::vector<RegisterChange> rows{{{}, name, {}, difference.a, difference.b, true, false}};
    for (const descriptor::FieldDifference &field : difference.fields)
        rows.push_back({{}, {}, field.name, field.a, field.b, false, false});
    return rows;
}

const TableOf<RegisterChange> &registerChangeTable()
{
    using Row = RegisterChange;
    static constexpr Column<Row> kColumns[] = {
        {kNumber | kTerminal, "task", "task",
         "Number of the task in A and, where it is another one, in B",
         [](const Row &row) -> Value { return View(row.task); }},
        {kTables, "name", "register", "Register or field that differs",
         [](const Row &row) -> Value { return View(row.name); }},
        {kTerminal, "field", "field", "Field of the register that differs",
         [](const Row &row) -> Value { return View(row.field); }},
        {kNumber | kTables, "a", "A", "In the first; a dash where it has none",
         [](const Row &row) { return sideValue(row, row.a); }},
        {kNumber | kTables, "b", "B", "In the second; a dash where it has none",
         [](const Row &row) { return sideValue(row, row.b); }},
    };
    static const TableOf<Row> kTable{"register_changes", kColumns};
    return kTable;
}

} // namespace kernscope::report
