// SPDX-License-Identifier: GPL-3.0-or-later
// Words without a name, and what differs between tasks, as tables.
#include "core/report/json_table.h"
#include "core/report/number_text.h"
#include "core/report/register_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr auto kChangeNumber = TextTable::Align::Right;

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

std::vector<Column<SurveyRow>> surveyColumns()
{
    using Row = SurveyRow;
    return {{.key = "kind",
             .title = "kind",
             .explanation = "A register, or a word of a thread command",
             .value = [](const Row &row) -> Value { return View(row.kind); }},
            {.key = "version",
             .title = "version",
             .explanation = "Version of the register map; of a thread word its flavor",
             .align = kChangeNumber,
             .value = [](const Row &row) -> Value { return Code{row.version}; }},
            {.key = "address",
             .title = "address",
             .explanation = "Address of the register, or offset in the command",
             .align = kChangeNumber,
             .value = [](const Row &row) -> Value { return Hex{row.address}; },
             .document = [](const Row &row) { return Json(hexText(row.address)); }},
            {.key = "files",
             .title = "files",
             .explanation = "Containers that have it",
             .align = kChangeNumber,
             .value = [](const Row &row) -> Value { return Count{row.files}; }},
            {.key = "writes",
             .title = "writes",
             .explanation = "How often it is written",
             .align = kChangeNumber,
             .value = [](const Row &row) -> Value { return Count{row.writes}; }},
            {.key = "set_bits",
             .title = "set bits",
             .explanation = "Bits that are 1 in every value",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(hexText(row.setBits)); }},
            {.key = "clear_bits",
             .title = "clear bits",
             .explanation = "Bits that are 0 in every value",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(hexText(row.clearBits)); }},
            {.key = "more_values",
             .title = "more values",
             .explanation = "Whether it has more values than are listed",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return row.more; }},
            {.key = "values",
             .title = "values",
             .explanation = "Its values, and how often each was written",
             .value = surveyValues,
             .document = surveyValuesDocument}};
}

Value sideValue(const RegisterChange &row, const std::optional<std::uint32_t> &value)
{
    if (row.taskAlone)
        return Nothing();
    if (!value)
        return Unknown();
    return row.whole ? Value(Hex{*value, 8}) : Value(Code{*value});
}

std::vector<Column<RegisterChange>> changeColumns()
{
    using Row = RegisterChange;
    return {{.key = "task",
             .title = "task",
             .explanation = "Number of the task in A and, where it is another one, in B",
             .align = kChangeNumber,
             .shown = kTerminal,
             .value = [](const Row &row) -> Value { return View(row.task); }},
            {.key = "name",
             .title = "register",
             .explanation = "Register or field that differs",
             .shown = kTables,
             .value = [](const Row &row) -> Value { return View(row.name); }},
            {.key = "field",
             .title = "field",
             .explanation = "Field of the register that differs",
             .shown = kTerminal,
             .value = [](const Row &row) -> Value { return View(row.field); }},
            {.key = "a",
             .title = "A",
             .explanation = "In the first; a dash where it has none",
             .align = kChangeNumber,
             .shown = kTables,
             .value = [](const Row &row) { return sideValue(row, row.a); }},
            {.key = "b",
             .title = "B",
             .explanation = "In the second; a dash where it has none",
             .align = kChangeNumber,
             .shown = kTables,
             .value = [](const Row &row) { return sideValue(row, row.b); }}};
}

} // namespace

const TableOf<SurveyRow> &surveyTable()
{
    static const TableOf<SurveyRow> kTable{"survey",
                                           surveyColumns(),
                                           {"kind", "version", "address", "files", "writes",
                                            "set_bits", "clear_bits", "more_values", "values"}};
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
    static const TableOf<RegisterChange> kTable{"register_changes", changeColumns()};
    return kTable;
}

} // namespace kernscope::report
