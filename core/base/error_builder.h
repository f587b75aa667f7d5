// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

namespace kernscope {

/// Fills an Error in one expression:
///
///     return ErrorBuilder("blob.header").file(path).at(FileOffset(0)).message("…").unexpected();
///
/// Each call takes what the member takes; what is not called stays empty. A known error under
/// another code, or with more details, keeps the other fields:
///
///     return ErrorBuilder(std::move(error)).code("patch.busy").message("…").unexpected();
class ErrorBuilder
{
public:
    explicit ErrorBuilder(std::string_view code) { m_error.code = code; }
    explicit ErrorBuilder(Error known) : m_error(std::move(known)) {}

    ErrorBuilder &code(std::string_view code)
    {
        m_error.code = code;
        return *this;
    }

    template <class Text>
    ErrorBuilder &file(Text &&path)
    {
        m_error.file = std::forward<Text>(path);
        return *this;
    }
    ErrorBuilder &at(FileOffset offset)
    {
        m_error.offset = offset;
        return *this;
    }
    ErrorBuilder &length(ByteCount bytes)
    {
        m_error.length = bytes;
        return *this;
    }
    template <class Text>
    ErrorBuilder &field(Text &&name)
    {
        m_error.field = std::forward<Text>(name);
        return *this;
    }
    template <class Text>
    ErrorBuilder &expected(Text &&what)
    {
        m_error.expected = std::forward<Text>(what);
        return *this;
    }
    template <class Text>
    ErrorBuilder &found(Text &&what)
    {
        m_error.found = std::forward<Text>(what);
        return *this;
    }
    template <class Text>
    ErrorBuilder &message(Text &&sentence)
    {
        m_error.message = std::forward<Text>(sentence);
        return *this;
    }

    /// The error; the builder is empty afterwards.
    operator Error() { return std::move(m_error); } // NOLINT(google-explicit-constructor)
    /// The same as what a function that may fail returns.
    tl::unexpected<Error> unexpected() { return tl::unexpected(std::move(m_error)); }

private:
    Error m_error;
};

/// Where in a file something is wrong, as Error has it.
struct ErrorPlace {
    std::string_view file;
    std::optional<FileOffset> offset = std::nullopt;
    std::optional<ByteCount> length = std::nullopt;
};
/// valueError() and refused() of a value in a file.
Error valueError(const ErrorPlace &place, std::string_view code, std::string_view field,
                 std::string_view expected, std::string_view found, std::string_view message);
tl::unexpected<Error> refused(const ErrorPlace &place, std::string_view code,
                              std::string_view field, std::string_view expected,
                              std::string_view found, std::string_view message);

/// For Result::map_error: the same error under another code.
inline auto withCode(std::string_view code)
{
    return [code](Error error) -> Error { return ErrorBuilder(std::move(error)).code(code); };
}

} // namespace kernscope
