// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy_header.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/numeric/npy_types.h"

#include <optional>
#include <string>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxRank = 64;

std::string printed(std::string_view text)
{
    std::string out;
    for (const char c : text.substr(0, 40))
        out += c >= ' ' && c <= '~' ? c : '?';
    return text.size() > 40 ? out + "…" : out;
}

/// Reads the Python literal of a header: a dictionary of the three keys, in any order.
class HeaderParser
{
public:
    HeaderParser(std::string_view text, std::size_t at, std::string_view file)
        : m_text(text), m_base(at), m_file(file)
    {
    }

    Result<NpyHeader> parse()
    {
        NpyHeader header;
        if (!take('{'))
            return fault("npy.header", "a dictionary", rest());
        bool descr = false, order = false, shape = false;
        while (!take('}')) {
            const auto key = quoted();
            if (!key || !take(':'))
                return fault("npy.header", "a key and a colon", rest());
            const bool known = (*key == "descr" && !std::exchange(descr, true)) ||
                               (*key == "fortran_order" && !std::exchange(order, true)) ||
                               (*key == "shape" && !std::exchange(shape, true));
            if (!known)
                return fault("npy.header", "descr, fortran_order and shape, once each", *key);
            if (auto value = parseValue(*key, header); !value)
                return tl::unexpected(std::move(value.error()));
            if (!take(',') && peek() != '}')
                return fault("npy.header", "a comma or the end of the dictionary", rest());
        }
        if (!descr || !order || !shape)
            return fault("npy.header", "descr, fortran_order and shape, once each", "fewer keys");
        if (skipSpace(); m_at != m_text.size())
            return fault("npy.header", "the end of the header", rest());
        return header;
    }

private:
    Result<void> parseValue(std::string_view key, NpyHeader &header)
    {
        if (key == "descr")
            return parseType(header);
        if (key == "shape")
            return parseShape(header.shape);
        if (takeWord("True"))
            header.fortranOrder = true;
        else if (!takeWord("False"))
            return fault("npy.header", "True or False", rest());
        return {};
    }

    Result<void> parseType(NpyHeader &header)
    {
        const auto text = quoted();
        if (!text)
            return fault("npy.type", "one plain element type", rest());
        std::string_view type = *text;
        if (!type.empty() && std::string_view("<>|=").find(type.front()) != type.npos) {
            header.bigEndian = type.front() == '>';
            type.remove_prefix(1);
        }
        const auto bytes = type.size() == 2 ? static_cast<std::size_t>(type[1] - '0') : 0;
        if (bytes != 0 && numpyElementType(type[0], bytes)) {
            header.kind = type[0];
            header.itemBytes = bytes;
            return {};
        }
        return fault("npy.type", "f2, f4, f8, i1 to i8, u1 to u8 or b1", *text);
    }

    Result<void> parseShape(Shape &shape)
    {
        if (!take('('))
            return fault("npy.header", "a tuple of extents", rest());
        while (!take(')')) {
            const auto extent = number();
            if (!extent || shape.size() == kMaxRank)
                return fault("npy.header", fmt::format("at most {} extents", kMaxRank), rest());
            shape.push_back(*extent);
            if (!take(',') && peek() != ')')
                return fault("npy.header", "a comma or a closing parenthesis", rest());
        }
        return {};
    }

    void skipSpace()
    {
        while (m_at < m_text.size() &&
               std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    char peek()
    {
        skipSpace();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c)
    {
        if (peek() != c || m_at == m_text.size())
            return false;
        ++m_at;
        return true;
    }
    bool takeWord(std::string_view word)
    {
        skipSpace();
        if (m_text.substr(m_at, word.size()) != word)
            return false;
        m_at += word.size();
        return true;
    }
    std::optional<std::string> quoted()
    {
        const char quote = peek();
        if (quote != '\'' && quote != '"')
            return std::nullopt;
        const auto end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string text(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return text;
    }
    std::optional<std::uint64_t> number()
    {
        skipSpace();
        const std::size_t start = m_at;
        std::optional<std::uint64_t> value = 0;
        for (; m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9'; ++m_at) {
            value = checkedMultiply(*value, 10);
            if (value)
                value = checkedAdd(*value, static_cast<std::uint64_t>(m_text[m_at] - '0'));
            if (!value)
                return std::nullopt;
        }
        if (m_at == start)
            return std::nullopt;
        if (m_at < m_text.size() && m_text[m_at] == 'L') // Python 2 wrote long integers so
            ++m_at;
        return value;
    }
    std::string_view rest() const { return m_text.substr(m_at); }

    tl::unexpected<Error> fault(std::string_view code, std::string expected,
                                std::string_view found) const
    {
        return ErrorBuilder(code)
            .file(m_file)
            .at(FileOffset(m_base + m_at))
            .field("header")
            .expected(std::move(expected))
            .found(found.empty() ? "the end of the header" : printed(found))
            .message(code == "npy.type" ? "The element type of the array cannot be read"
                                        : "The header of the array cannot be read")
            .unexpected();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_base;
    std::string_view m_file;
};

tl::unexpected<Error> fault(std::string_view code, std::string_view file, std::size_t offset,
                            std::string expected, std::string found, std::string message)
{
    return ErrorBuilder(code)
        .file(file)
        .at(FileOffset(offset))
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message))
        .unexpected();
}

} // namespace

Result<NpyHeader> readNpyHeader(std::string_view text, std::string_view file)
{
    if (text.substr(0, kMagic.size()) != kMagic) {
        return fault("npy.magic", file, 0, "\\x93NUMPY", printed(text.substr(0, kMagic.size())),
                     "This is not a NumPy array file");
    }
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (text.size() < 12) {
        return fault("npy.header", file, 6, "at least 12 bytes",
                     fmt::format("{} bytes", text.size()), "The header of the array is cut");
    }
    const unsigned version = byte(6);
    if (version < 1 || version > 3) {
        return fault("npy.magic", file, 6, "format version 1, 2 or 3", fmt::format("{}", version),
                     "This version of the array format is not known");
    }
    const std::size_t start = version == 1 ? 10 : 12;
    std::size_t length = byte(8) | static_cast<std::size_t>(byte(9)) << 8;
    if (version > 1)
        length |= static_cast<std::size_t>(byte(10)) << 16 | static_cast<std::size_t>(byte(11))
                                                                 << 24;
    if (length > text.size() - start) {
        return fault("npy.header", file, 8, fmt::format("at most {} bytes", text.size() - start),
                     fmt::format("{} bytes", length), "The header of the array is cut");
    }
    auto header = HeaderParser(text.substr(start, length), start, file).parse();
    if (header)
        header->dataAt = start + length;
    return header;
}

} // namespace kernscope
