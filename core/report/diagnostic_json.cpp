// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/diagnostic_table.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <cmath>

namespace kernscope::report {

Json numberJson(std::uint64_t number)
{
    constexpr std::uint64_t kExact = std::uint64_t(1) << 53;
    return number <= kExact ? Json(number) : Json(std::to_string(number));
}

Json numberJson(const std::optional<std::uint64_t> &number)
{
    return number ? numberJson(*number) : Json(nullptr);
}

Json numbersJson(std::span<const std::uint64_t> numbers)
{
    Json list = Json::array();
    for (const std::uint64_t number : numbers)
        list.push_back(numberJson(number));
    return list;
}

Json ratioJson(double ratio)
{
    if (!std::isfinite(ratio))
        return nullptr;
    return std::round(ratio * 1e6) / 1e6;
}

Json document(std::string_view command)
{
    Json document;
    document["schema"] = 1;
    document["tool"] = "kernscope";
    document["version"] = KERNSCOPE_VERSION;
    document["command"] = command;
    return document;
}

namespace {

Value severityValue(const Diagnostic &row)
{
    return Word{severityName(row.severity), Mark::None, {}, static_cast<int>(row.severity)};
}

std::vector<Column<Diagnostic>> diagnosticPlaceColumns()
{
    using Row = Diagnostic;
    return {
        {.key = "severity",
         .title = "severity",
         .explanation = "Error: something cannot be read. Warning: it can, with doubt.",
         .value = severityValue},
        {.key = "code",
         .title = "code",
         .explanation = "Stable name of the fault, the same on the command line",
         .value = [](const Row &row) -> Value { return View(row.error.code); }},
        {.key = "place",
         .title = "place",
         .explanation = "File and offset; Enter goes there",
         .shown = kWindow,
         .value = [](const Row &row) -> Value {
             const auto &offset = row.error.offset;
             return FilePlace{row.error.file, offset ? std::optional(offset->value) : std::nullopt};
         }},
        {.key = "file",
         .title = "file",
         .explanation = "File that is meant",
         .shown = kDocument,
         .value = [](const Row &row) { return orNothing(row.error.file); }},
        {.key = "offset",
         .title = "offset",
         .explanation = "First byte that is meant",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.error.offset ? Value(Hex{row.error.offset->value}) : Value(Unknown());
         }},
        {.key = "length",
         .title = "length",
         .explanation = "Bytes that are meant",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.error.length ? Value(Count{row.error.length->value}) : Value(Absent());
         }},
    };
}

std::vector<Column<Diagnostic>> diagnosticTextColumns()
{
    using Row = Diagnostic;
    return {
        {.key = "field",
         .title = "field",
         .explanation = "Field or operand that is meant",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value {
             return row.error.field.empty() ? Value(Absent()) : Value(View(row.error.field));
         }},
        {.key = "expected",
         .title = "expected",
         .explanation = "What should stand there",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.error.expected); }},
        {.key = "found",
         .title = "found",
         .explanation = "What stands there",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.error.found); }},
        {.key = "message",
         .title = "message",
         .explanation = "What is wrong",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value {
             return View(row.error.message.empty() ? row.error.code : row.error.message);
         },
         .document = [](const Row &row) { return Json(row.error.message); }},
    };
}

std::vector<Column<Diagnostic>> diagnosticColumns()
{
    return joinedColumns(diagnosticPlaceColumns(), diagnosticTextColumns());
}

} // namespace

const TableOf<Diagnostic> &diagnosticTable()
{
    static const TableOf<Diagnostic> kTable{
        "diagnostics", diagnosticColumns(), {}, {"severity", "code", "place", "field", "message"}};
    return kTable;
}

Json diagnosticJson(const Diagnostic &diagnostic)
{
    return jsonObject(diagnosticTable(), diagnostic);
}

void finish(Json &document, const Diagnostics &diagnostics)
{
    for (const Diagnostic &diagnostic : diagnostics) {
        const char *list = diagnostic.severity == Severity::Error     ? "errors"
                           : diagnostic.severity == Severity::Warning ? "warnings"
                                                                      : nullptr;
        if (list && document.contains(list))
            document[list].push_back(describe(diagnostic.error));
    }
    document["diagnostics"] = jsonArray(diagnosticTable(), diagnostics);
}

std::string documentText(const Json &document, int indent)
{
    return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace kernscope::report
