// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/text_parser.h"
#include "core/base/utf8.h"
#include "core/container/mil/limits.h"

#include <fmt/format.h>

namespace kernscope::mil {

TextParser::TextParser(std::string_view text, std::string_view fileName, std::size_t nodes)
    : m_lexer(text), m_text(text), m_faults(fileName), m_nodes(nodes)
{
    m_token = m_lexer.next();
}

void TextParser::advance()
{
    if (m_token.is('{'))
        ++m_braces;
    else if (m_token.is('}'))
        --m_braces;
    if (m_token.is(TextToken::Kind::String)) {
        const std::size_t bad = findInvalidUtf8(m_lexer.text(m_token));
        if (bad != std::string_view::npos)
            remark("mil.encoding", Severity::Warning, {m_token.begin + bad, 1}, "UTF-8",
                   "A string holds bytes that are not UTF-8.");
    }
    m_previousEnd = m_token.end;
    m_token = m_lexer.next();
}

bool TextParser::accept(char symbol)
{
    if (!m_token.is(symbol))
        return false;
    advance();
    return true;
}

bool TextParser::expect(char symbol)
{
    return accept(symbol) || unexpected(fmt::format("\"{}\"", symbol));
}

bool TextParser::expect(TextToken::Kind kind, std::string_view what)
{
    if (!m_token.is(kind))
        return unexpected(what);
    advance();
    return true;
}

bool TextParser::expectIdentifier(std::string &name, std::string_view what)
{
    if (!m_token.is(TextToken::Kind::Identifier))
        return unexpected(what);
    name = m_lexer.text(m_token);
    advance();
    return true;
}

bool TextParser::atWord(std::string_view word) const
{
    return m_token.is(TextToken::Kind::Identifier) && m_lexer.text(m_token) == word;
}

std::string_view TextParser::textFrom(std::size_t begin) const
{
    return m_text.substr(begin, m_previousEnd - begin);
}

/// The token at hand is not what the grammar asks for; says so by what it is.
bool TextParser::unexpected(std::string_view expected)
{
    switch (m_token.kind) {
    case TextToken::Kind::End:
        return fail("mil.cut", m_token, expected, "The text ends before the program does.");
    case TextToken::Kind::OpenString:
        if (m_token.end < m_text.size() && m_text[m_token.end] == '\0')
            return fail("mil.encoding", m_token, "text without NUL bytes",
                        "A string holds a NUL byte.");
        return fail("mil.string", m_token, "a closing quote on the same line",
                    "A string is never closed.");
    case TextToken::Kind::NulByte:
        return fail("mil.encoding", m_token, "text without NUL bytes", "The text holds NUL bytes.");
    default:
        return fail("mil.syntax", m_token, expected, "The text is not what a program needs here.");
    }
}

bool TextParser::fail(std::string_view code, const TextToken &token, std::string_view expected,
                      std::string_view message)
{
    const bool atEnd = token.is(TextToken::Kind::End);
    if (token.end == m_text.size()) { // what is wrong with the last token is that it is the last
        if (m_cut)
            return false;
        m_cut = true;
        if (code == "mil.syntax" || code == "mil.number") {
            code = "mil.cut";
            message = "The text ends before the program does.";
        }
    }
    m_faults.add(Severity::Error,
                 m_faults.make(code, token.begin, token.length())
                     .expected(expected)
                     .found(atEnd ? "the end of the text" : excerpt(m_lexer.text(token)))
                     .message(message));
    return false;
}

/// A fault that the statement survives.
void TextParser::remark(std::string_view code, Severity severity, SourceSpan span,
                        std::string_view expected, std::string_view message)
{
    m_faults.add(severity, m_faults.make(code, span.offset, span.length)
                               .expected(expected)
                               .found(excerpt(m_text.substr(span.offset, span.length)))
                               .message(message));
}

bool TextParser::tooDeep()
{
    if (m_depth <= kMaxDepth)
        return false;
    fail("mil.depth", m_token, fmt::format("at most {} levels", kMaxDepth),
         "Types, values or blocks are nested too deeply.");
    return true;
}

bool TextParser::spend(std::size_t nodes)
{
    m_nodes += nodes;
    if (m_nodes <= kMaxNodes)
        return true;
    if (!m_exhausted) {
        m_exhausted = true;
        fail("mil.limit", m_token, fmt::format("at most {} values and types", kMaxNodes),
             "The program is too large to be held in memory; the rest is not read.");
    }
    return false;
}

/// Skips a bracketed group of any kinds of brackets without a look at what is inside; iterative,
/// so that nesting costs nothing.
bool TextParser::skipBalanced()
{
    std::size_t open = 0;
    do {
        if (m_token.is('(') || m_token.is('[') || m_token.is('{'))
            ++open;
        else if (m_token.is(')') || m_token.is(']') || m_token.is('}'))
            --open;
        else if (m_token.is(TextToken::Kind::End) || m_token.is(TextToken::Kind::OpenString) ||
                 m_token.is(TextToken::Kind::NulByte))
            return unexpected("a closing bracket");
        advance();
    } while (open > 0);
    return true;
}

/// Skips `<…>` with everything inside; iterative as well.
bool TextParser::skipAngles()
{
    std::size_t open = 0;
    do {
        if (m_token.is('<')) {
            ++open;
        } else if (m_token.is('>')) {
            --open;
        } else if (m_token.is('(') || m_token.is('[') || m_token.is('{')) {
            if (!skipBalanced())
                return false;
            continue;
        } else if (m_token.is(TextToken::Kind::End) || m_token.is(TextToken::Kind::OpenString) ||
                   m_token.is(TextToken::Kind::NulByte) || m_token.is(';')) {
            return unexpected("\">\"");
        }
        advance();
    } while (open > 0);
    return true;
}

} // namespace kernscope::mil
