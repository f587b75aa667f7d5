// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace kernscope {

/// What went wrong and where. Untranslated; the window turns `code` into a sentence.
struct Error {
    std::string code; ///< dotted and stable: "blob.sentinel", "mil.syntax", "io.open"
    std::string file; ///< relative to the bundle; empty where there is none
    std::optional<FileOffset> offset; ///< where in that file
    std::optional<ByteCount> length;  ///< how many bytes are meant, if more than the place
    std::string field;                ///< name of the field or operand, such as "data offset"
    std::string expected;
    std::string found;
    std::string message; ///< one English sentence without the place
};

template <class T>
using Result = tl::expected<T, Error>;

/// The value that a Result has, moved out of it; of Result<void> none.
template <class T, class Fault>
T taken(tl::expected<T, Fault> &result)
{
    if constexpr (!std::is_void_v<T>)
        return *std::move(result);
}

/// The value of a Result; where it has none, the function returns its error:
///     auto file = TRY(openFile(path));
/// A statement of its own, or what a variable begins with or is set to; never an argument.
#define TRY(...)                                                                                   \
    (__extension__({                                                                               \
        auto kernscopeTried = (__VA_ARGS__);                                                       \
        if (!kernscopeTried)                                                                       \
            return tl::unexpected(std::move(kernscopeTried.error()));                              \
        ::kernscope::taken(kernscopeTried);                                                        \
    }))

/// A value outside what its field may hold; the place in a file is left to the caller.
Error valueError(std::string_view code, std::string_view field, std::string_view expected,
                 std::string_view found, std::string_view message);
/// The same as what a function that may fail returns.
tl::unexpected<Error> refused(std::string_view code, std::string_view field,
                              std::string_view expected, std::string_view found,
                              std::string_view message);
/// "task.cancelled": it was stopped; `message` says what that left behind.
Error cancelledError(std::string message);

enum class Severity { Error, Warning, Note };

/// "error", "warning" or "note" (the notations of the command line's contract).
std::string_view severityName(Severity severity);

/// A fault that did not stop the reading: what is sound is still shown.
struct Diagnostic {
    Severity severity = Severity::Error;
    Error error;
};
using Diagnostics = std::vector<Diagnostic>;

/// Whether one of them is an error; warnings and notes are none.
bool hasErrors(const Diagnostics &diagnostics);
std::size_t countOf(const Diagnostics &diagnostics, Severity severity);

/// Names the nearest of the words that were expected, where a name was not known.
Error withNearest(Error error);

/// "weights/weight.bin+0x40: message (expected …, found …)" for people.
std::string describe(const Error &error);

} // namespace kernscope
