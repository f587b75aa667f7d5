// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/diagnostic_table.h"
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

} // namespace

const TableOf<Diagnostic> &diagnosticTable()
{
    using Row = Diagnostic;
    static constexpr Column<Row> kColumns[] = {
        {"severity", "severity", "Error: something cannot be read. Warning: it can, with doubt.",
         severityValue},
        {"code", "code", "Stable name of the fault, the same on the command line",
         [](const Row &row) -> Value { return View(row.error.code); }},
        {kWindow, "place", "place", "File and offset; Enter goes there",
         [](const Row &row) -> Value {
             const auto &offset = row.error.offset;
             return FilePlace(row.error.file, offset ? std::optional(offset->value) : std::nullopt);
         }},
        {kDocument, "file", "file", "File that is meant",
         [](const Row &row) { return orNothing(row.error.file); }},
        {kDocument, "offset", "offset", "First byte that is meant",
         [](const Row &row) -> Value {
             return row.error.offset ? Value(Hex(row.error.offset->value)) : Value(Unknown());
         }},
        {kDocument, "length", "length", "Bytes that are meant",
         [](const Row &row) -> Value {
             return row.error.length ? Value(Count(row.error.length->value)) : Value(Absent());
         }},
        {kDocument | kWindow, "field", "field", "Field or operand that is meant",
         [](const Row &row) -> Value {
             return row.error.field.empty() ? Value(Absent()) : Value(View(row.error.field));
         }},
        {kDocument | kWindow, "expected", "expected", "What should stand there",
         [](const Row &row) -> Value { return View(row.error.expected); }},
        {kDocument | kWindow, "found", "found", "What stands there",
         [](const Row &row) -> Value { return View(row.error.found); }},
        {kDocument | kWindow, "message", "message", "What is wrong",
         [](const Row &row) -> Value {
             return View(row.error.message.empty() ? row.error.code : row.error.message);
         },
         jsonOf([](const Row &row) { return Json(row.error.message); })},
    };
    static const TableOf<Row> kTable{
        "diagnostics", kColumns, {}, {"severity", "code", "place", "field", "message"}};
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
