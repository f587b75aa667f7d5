// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/text_lexer.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace kernscope::mil {

namespace {

enum Class : std::uint8_t { Other, Space, Letter, Digit, Symbolic };

constexpr std::array<Class, 256> makeClasses()
{
    std::array<Class, 256> classes{};
    for (const char c : std::string_view(" \t\r\n\v\f"))
        classes[static_cast<std::uint8_t>(c)] = Space;
    for (const char c : std::string_view("()[]{}<>=,;?:"))
        classes[static_cast<std::uint8_t>(c)] = Symbolic;
    for (unsigned c = 'a'; c <= 'z'; ++c)
        classes[c] = classes[c - 'a' + 'A'] = Letter;
    for (unsigned c = '0'; c <= '9'; ++c)
        classes[c] = Digit;
    classes['_'] = Letter;
    return classes;
}

constexpr std::array<Class, 256> kClasses = makeClasses();

Class classOf(char c)
{
    return kClasses[static_cast<std::uint8_t>(c)];
}

bool continuesIdentifier(char c)
{
    return classOf(c) == Letter || classOf(c) == Digit || c == '@';
}

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Reads up to `limit` digits of `base`; `at` moves behind them.
unsigned digits(std::string_view text, std::size_t &at, std::size_t limit, int base)
{
    unsigned value = 0;
    for (std::size_t i = 0; i < limit && at < text.size(); ++i, ++at) {
        const int digit = hexDigit(text[at]);
        if (digit < 0 || digit >= base)
            break;
        value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
    }
    return value;
}

void appendCodePoint(std::string &to, unsigned point)
{
    const auto put = [&to](unsigned byte) { to += static_cast<char>(byte); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | point >> 6);
        put(0x80 | (point & 0x3F));
    } else {
        put(0xE0 | point >> 12);
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    }
}

/// `at` stands behind the backslash and moves behind the escape.
void appendEscape(std::string &to, std::string_view text, std::size_t &at)
{
    const char c = text[at];
    if (c >= '0' && c <= '7') {
        to += static_cast<char>(digits(text, at, 3, 8) & 0xFF);
        return;
    }
    ++at;
    switch (c) {
    case 'n': to += '\n'; break;
    case 't': to += '\t'; break;
    case 'r': to += '\r'; break;
    case 'a': to += '\a'; break;
    case 'b': to += '\b'; break;
    case 'f': to += '\f'; break;
    case 'v': to += '\v'; break;
    case 'x': to += static_cast<char>(digits(text, at, 2, 16) & 0xFF); break;
    case 'u': appendCodePoint(to, digits(text, at, 4, 16)); break;
    default: to += c; break;
    }
}

} // namespace

Lexer::Lexer(std::string_view text) : m_text(text)
{
    if (m_text.starts_with("\xEF\xBB\xBF")) // a byte order mark
        m_at = 3;
}

TextToken Lexer::finish(TextToken::Kind kind, std::size_t end, char symbol)
{
    TextToken token{kind, symbol, m_at, end};
    m_at = end;
    return token;
}

void Lexer::skipSpaceAndComments()
{
    while (m_at < m_text.size()) {
        if (classOf(m_text[m_at]) == Space)
            ++m_at;
        else if (m_text[m_at] == '/' && at(m_at + 1) == '/')
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else
            return;
    }
}

TextToken Lexer::next()
{
    skipSpaceAndComments();
    if (m_at >= m_text.size())
        return finish(TextToken::Kind::End, m_at);
    const char c = m_text[m_at];
    if (classOf(c) == Letter) {
        std::size_t end = m_at + 1;
        while (end < m_text.size() && continuesIdentifier(m_text[end]))
            ++end;
        return finish(TextToken::Kind::Identifier, end);
    }
    if (classOf(c) == Symbolic)
        return finish(TextToken::Kind::Symbol, m_at + 1, c);
    if (c == '"')
        return string();
    if (startsNumber())
        return number();
    return symbol();
}

bool Lexer::startsNumber() const
{
    const char c = at(m_at);
    const char second = at(m_at + 1);
    if (classOf(c) == Digit)
        return true;
    if (c == '.')
        return classOf(second) == Digit;
    if (c != '-' && c != '+')
        return false;
    return classOf(second) == Digit || second == '.' || (second | 0x20) == 'i' ||
           (second | 0x20) == 'n';
}

TextToken Lexer::number()
{
    std::size_t end = m_at + 1;
    const char digit = at(m_at);
    const std::size_t first = digit == '-' || digit == '+' ? end : m_at;
    const bool hex = at(first) == '0' && (at(first + 1) | 0x20) == 'x';
    for (; end < m_text.size(); ++end) {
        const char c = m_text[end];
        if (classOf(c) == Digit || classOf(c) == Letter || c == '.')
            continue;
        const int before = m_text[end - 1] | 0x20;
        if ((c != '-' && c != '+') || before != (hex ? 'p' : 'e'))
            break;
    }
    return finish(TextToken::Kind::Number, end);
}

TextToken Lexer::string()
{
    for (std::size_t end = m_at + 1; end < m_text.size(); ++end) {
        switch (m_text[end]) {
        case '"': return finish(TextToken::Kind::String, end + 1);
        case '\\': ++end; break;
        case '\n': return finish(TextToken::Kind::OpenString, end);
        case '\0': return finish(TextToken::Kind::OpenString, end);
        default: break;
        }
    }
    return finish(TextToken::Kind::OpenString, m_text.size());
}

TextToken Lexer::symbol()
{
    const char c = m_text[m_at];
    if (c == '-' && at(m_at + 1) == '>')
        return finish(TextToken::Kind::Arrow, m_at + 2);
    if (m_text.substr(m_at, 3) == "...")
        return finish(TextToken::Kind::Ellipsis, m_at + 3);
    if (c != '\0')
        return finish(TextToken::Kind::Stray, m_at + 1);
    std::size_t end = m_at;
    while (end < m_text.size() && m_text[end] == '\0')
        ++end;
    return finish(TextToken::Kind::NulByte, end);
}

std::string unquoted(std::string_view token)
{
    const std::string_view inner = token.substr(1, token.size() - 2);
    if (inner.find('\\') == std::string_view::npos)
        return cleanUtf8(inner);
    std::string plain;
    plain.reserve(inner.size());
    for (std::size_t at = 0; at < inner.size();) {
        if (inner[at] == '\\' && at + 1 < inner.size())
            appendEscape(plain, inner, ++at);
        else
            plain += inner[at++];
    }
    return cleanUtf8(plain);
}

} // namespace kernscope::mil
