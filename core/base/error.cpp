// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include "core/base/error_builder.h"
#include "core/base/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

Error valueError(std::string_view code, std::string_view field, std::string_view expected,
                 std::string_view found, std::string_view message)
{
    return ErrorBuilder(code).field(field).expected(expected).found(found).message(message);
}

tl::unexpected<Error> refused(std::string_view code, std::string_view field,
                              std::string_view expected, std::string_view found,
                              std::string_view message)
{
    return tl::unexpected(valueError(code, field, expected, found, message));
}

Error valueError(const ErrorPlace &place, std::string_view code, std::string_view field,
                 std::string_view expected, std::string_view found, std::string_view message)
{
    Error error = valueError(code, field, expected, found, message);
    error.file = place.file;
    error.offset = place.offset;
    error.length = place.length;
    return error;
}

tl::unexpected<Error> refused(const ErrorPlace &place, std::string_view code,
                              std::string_view field, std::string_view expected,
                              std::string_view found, std::string_view message)
{
    return tl::unexpected(valueError(place, code, field, expected, found, message));
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
        std::ranges::count(diagnostics, severity, &Diagnostic::severity));
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
    if (error.field.starts_with("line ")) // of a text that people write: rules, configurations
        text += error.field + ": ";
    text += error.message.empty() ? error.code : error.message;
    if (!error.expected.empty() && !error.found.empty())
        text += fmt::format(" (expected {}, found {})", error.expected, error.found);
    else if (!error.expected.empty())
        text += fmt::format(" (expected {})", error.expected);
    else if (!error.found.empty())
        text += fmt::format(" (found {})", error.found);
    return text;
}

Error withNearest(Error error)
{
    std::vector<std::string> words;
    for (std::size_t end = 0; end < error.expected.size();) {
        const std::size_t begin = error.expected.find_first_not_of(", ", end);
        end = std::min(error.expected.find_first_of(", ", begin), error.expected.size());
        if (begin < end)
            words.push_back(error.expected.substr(begin, end - begin));
    }
    const bool isName = error.message.starts_with("There is no ") &&
                        error.message.find("nearest") == std::string::npos;
    const std::string nearest = isName ? nearestWord(error.found, words) : std::string();
    if (!nearest.empty())
        error.message += "; the nearest is " + nearest;
    return error;
}

} // namespace kernscope
