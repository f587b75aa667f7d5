// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kernscope::mil {

/// A word of program text: a view into it, nothing copied.
struct TextToken {
    enum class Kind : std::uint8_t {
        End,
        Identifier,
        Number,
        String, ///< with its quotes
        Symbol, ///< one of ( ) [ ] { } < > = , ; ? :
        Arrow,  ///< ->
        Ellipsis,
        OpenString, ///< no closing quote before the end of the line
        NulByte,    ///< a run of them
        Stray       ///< any other character
    };
    Kind kind = Kind::End;
    char symbol = 0; ///< of a Symbol
    std::size_t begin = 0;
    std::size_t end = 0;

    bool is(char c) const { return kind == Kind::Symbol && symbol == c; }
    bool is(Kind k) const { return kind == k; }
    std::size_t length() const { return end - begin; }
};

/// Cuts program text into tokens, one at a time, each byte looked at a bounded number of times.
/// White space and comments (from two slashes to the end of the line; compilers write none,
/// programs written by hand have them) lie between tokens.
class Lexer
{
public:
    explicit Lexer(std::string_view text);

    TextToken next();
    std::string_view text(const TextToken &token) const
    {
        return m_text.substr(token.begin, token.length());
    }
    std::size_t size() const { return m_text.size(); }

private:
    void skipSpaceAndComments();
    TextToken string();
    TextToken number();
    TextToken symbol();
    bool startsNumber() const;
    char at(std::size_t i) const { return i < m_text.size() ? m_text[i] : '\0'; }
    TextToken finish(TextToken::Kind kind, std::size_t end, char symbol = 0);

    std::string_view m_text;
    std::size_t m_at = 0;
};

/// What a String token writes: escapes resolved, malformed UTF-8 replaced.
std::string unquoted(std::string_view token);

} // namespace kernscope::mil
