// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include "core/base/error_builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

Error valueError(std::string code, std::string field, std::string expected, std::string found,
                 std::string message)
{
    return ErrorBuilder(code)
        .field(std::move(field))
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
}

tl::unexpected<Error> refused(std::string code, std::string field, std::string expected,
                              std::string found, std::string message)
{
    return tl::unexpected(valueError(std::move(code), std::move(field), std::move(expected),
                                     std::move(found), std::move(message)));
}

Error cancelledError(std::string message)
{
    return ErrorBuilder("task.cancelled").message(std::move(message));
}

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    }
    return "note";
}

std::size_t countOf(const Diagnostics &diagnostics, Severity severity)
{
    return static_cast<std::size_t>(
        std::count_if(diagnostics.begin(), diagnostics.end(),
                      [severity](const Diagnostic &d) { return d.severity == severity; }));
}

bool hasErrors(const Diagnostics &diagnostics)
{
    return countOf(diagnostics, Severity::Error) > 0;
}

std::string describe(const Error &error)
{
    std::string text = error.file;
    if (error.offset)
        text += fmt::format("+0x{:x}", error.offset->value);
    if (!text.empty())
        text += ": ";
    text += error.message.empty() ? error.code : error.message;
    if (!error.expected.empty() && !error.found.empty())
        text += fmt::format(" (expected {}, found {})", error.expected, error.found);
    else if (!error.expected.empty())
        text += fmt::format(" (expected {})", error.expected);
    else if (!error.found.empty())
        text += fmt::format(" (found {})", error.found);
    return text;
}

} // namespace kernscope
