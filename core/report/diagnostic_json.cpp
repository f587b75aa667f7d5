// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_values.h"

#include <cmath>

namespace kernscope::report {

Json numberJson(std::uint64_t number)
{
    constexpr std::uint64_t kExact = std::uint64_t(1) << 53;
    return number <= kExact ? Json(number) : Json(std::to_string(number));
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

Json diagnosticJson(const Diagnostic &diagnostic)
{
    const Error &error = diagnostic.error;
    Json json;
    json["severity"] = severityName(diagnostic.severity);
    json["code"] = error.code;
    json["file"] = error.file.empty() ? Json(nullptr) : Json(error.file);
    json["offset"] = error.offset ? numberJson(error.offset->value) : Json(nullptr);
    if (error.length)
        json["length"] = numberJson(error.length->value);
    if (!error.field.empty())
        json["field"] = error.field;
    json["expected"] = error.expected;
    json["found"] = error.found;
    json["message"] = error.message;
    return json;
}

void finish(Json &document, const Diagnostics &diagnostics)
{
    Json rows = Json::array();
    for (const Diagnostic &diagnostic : diagnostics) {
        rows.push_back(diagnosticJson(diagnostic));
        const char *list = diagnostic.severity == Severity::Error     ? "errors"
                           : diagnostic.severity == Severity::Warning ? "warnings"
                                                                      : nullptr;
        if (list && document.contains(list))
            document[list].push_back(describe(diagnostic.error));
    }
    document["diagnostics"] = std::move(rows);
}

} // namespace kernscope::report
