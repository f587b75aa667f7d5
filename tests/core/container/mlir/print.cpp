// SPDX-License-Identifier: GPL-3.0-or-later
#include "print.h"

#include "core/base/text.h"
#include "core/format/coreai_operations.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::mlir {

namespace {

std::string escaped(std::string_view text)
{
    std::string out;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '\\')
            out += "\\\\";
        else if (byte >= 0x20 && byte < 0x7F && letter != '"')
            out += letter;
        else
            out += fmt::format("\\{:02X}", byte);
    }
    return out;
}

/// A key or symbol: quoted where it is no identifier.
std::string keyword(std::string_view text)
{
    const auto fits = [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte < 0x80 && (std::isalnum(byte) != 0 || letter == '_' || letter == '$' ||
                               letter == '.' || letter == '-');
    };
    const bool plain = !text.empty() && std::ranges::all_of(text, fits) &&
                       std::isdigit(static_cast<unsigned char>(text.front())) == 0;
    return plain ? std::string(text) : "\"" + escaped(text) + "\"";
}

std::string base64(std::span<const std::byte> bytes)
{
    static constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t taken = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (k < taken ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            out += k <= taken ? kLetters[word >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

/// As LLVM writes a number: 9 digits for single precision, those behind left out; an exponent below
/// 10^-3.
std::string floatText(std::uint64_t bits, std::uint64_t width)
{
    double value = 0;
    int digits = 0;
    if (width == 64) {
        value = std::bit_cast<double>(bits);
        digits = 17;
    } else if (width == 32) {
        value = double(std::bit_cast<float>(std::uint32_t(bits)));
        digits = 9;
    } else if (width == 16) {
        value = double(halfToFloat(std::uint16_t(bits)));
        digits = 5;
    }
    if (digits == 0 || !std::isfinite(value))
        return hexText(bits, int((width + 3) / 4));
    constexpr int kAll = 40; // digits: no rounding reaches those that are kept
    std::string text = fmt::format("{:.{}e}", value, kAll); // "9.99999974737…e-06"
    const std::size_t e = text.find('e');
    int exponent = 0;
    std::from_chars(text.data() + e + 2, text.data() + text.size(), exponent);
    if (text[e + 1] == '-')
        exponent = -exponent;
    if (value != 0 && exponent < -3) {
        text.resize(text.find('.') + std::size_t(digits));
        text.resize(std::max(text.find_last_not_of('0') + 1, text.find('.') + 2));
        return text + "E" + std::to_string(exponent);
    }
    text = fmt::format("{:.{}f}", value, std::max(1, digits - 1 - exponent));
    text.resize(std::max(text.find_last_not_of('0') + 1, text.find('.') + 2));
    return text;
}

std::string integerText(std::uint64_t bits, std::uint64_t width, bool isUnsigned)
{
    if (isUnsigned || width == 0 || width > 64)
        return std::to_string(bits);
    const auto unused = unsigned(64 - width);
    return std::to_string(std::int64_t(bits << unused) >> unused);
}

/// Writes texts whose parts are other attributes and types, with a stack of its own.
class EntryText
{
public:
    EntryText(const Module &module, std::size_t most) : m_module(module), m_most(most) {}

    std::string write(bool type, std::uint32_t index)
    {
        push({type ? Kind::Type : Kind::Attribute, index, {}});
        while (!m_pending.empty()) {
            const Part part = std::move(m_pending.back());
            m_pending.pop_back();
            if (part.kind == Kind::Text)
                m_out += part.text;
            else
                expand(part);
            if (m_out.size() > m_most)
                return m_out.substr(0, m_most) + "…";
        }
        return std::move(m_out);
    }

private:
    enum class Kind : std::uint8_t { Text, Attribute, Bare, Type };
    struct Part {
        Kind kind = Kind::Text;
        std::uint32_t index = 0;
        std::string text;
    };

    void push(Part part) { m_pending.push_back(std::move(part)); }
    void add(std::string text) { m_parts.push_back({Kind::Text, 0, std::move(text)}); }

    /// Puts the parts of an entry in its place.
    void expand(const Part &part)
    {
        const bool type = part.kind == Kind::Type;
        const Entry &entry = type ? m_module.types[part.index] : m_module.attributes[part.index];
        const Decoded decoded = type ? m_module.type(part.index) : m_module.attribute(part.index);
        const std::string prefix =
            (type ? "!" : "#") + std::string(m_module.dialectName(entry.dialect)) + ".";
        if (!entry.custom) {
            m_out += decoded.assembly;
            return;
        }
        if (!decoded.row) {
            const auto bytes = m_module.bytesOf(decoded.range);
            m_out += prefix + "kind" + std::to_string(decoded.code) + "<0x" +
                     hexBytesText(bytes.first(std::min(bytes.size(), m_most)), "") + ">";
            return;
        }
        m_parts.clear();
        if (part.kind != Kind::Bare)
            add(prefix + decoded.row->name);
        if (!decoded.row->print.empty())
            fill(decoded);
        else if (!decoded.row->fields.empty())
            fillPlainly(decoded);
        std::move(m_parts.rbegin(), m_parts.rend(), std::back_inserter(m_pending));
    }

    /// By the row's column `print`: "{name}", "{name?text with %}" where there is a value,
    /// "{name=word|word}" by its number, "{name:bare}" without the kind's name, of a number the
    /// format of an image; "{{" and "}}".
    void fill(const Decoded &decoded)
    {
        const std::string_view print = decoded.row->print;
        for (std::size_t at = 0; at < print.size();) {
            const std::size_t brace = std::min(print.find_first_of("{}", at), print.size());
            if (brace > at)
                add(std::string(print.substr(at, brace - at)));
            if (brace == print.size())
                break;
            if (print.substr(brace, 2) == "{{" || print[brace] == '}') {
                add(std::string(1, print[brace]));
                at = brace +
                     (print.substr(brace, 2) == "{{" || print.substr(brace, 2) == "}}" ? 2 : 1);
                continue;
            }
            const std::size_t end = std::min(print.find('}', brace), print.size() - 1);
            fillOne(decoded, print.substr(brace + 1, end - brace - 1));
            at = end + 1;
        }
    }

    void fillOne(const Decoded &decoded, std::string_view what)
    {
        const std::size_t mark = std::min(what.find_first_of("?=:"), what.size());
        const std::string_view name = what.substr(0, mark);
        const auto &fields = decoded.row->fields;
        const auto column =
            std::size_t(std::ranges::find_if(
                            fields, [name](const FieldSpec &spec) { return spec.name == name; }) -
                        fields.begin());
        const std::vector<Field> all = decoded.all(column);
        const std::string_view rest = what.substr(std::min(mark + 1, what.size()));
        const char kind = mark < what.size() ? what[mark] : '\0';
        if (kind == '=') {
            add(word(rest, all.empty() ? 0 : all.front().value));
        } else if (kind == '?') {
            const std::size_t place = rest.find('%');
            if (all.empty() || place == std::string_view::npos)
                return;
            add(std::string(rest.substr(0, place)));
            list(decoded, all, false);
            add(std::string(rest.substr(place + 1)));
        } else {
            list(decoded, all, kind == ':');
        }
    }

    static std::string word(std::string_view words, std::uint64_t number)
    {
        for (std::uint64_t i = 0; i < number && !words.empty(); ++i)
            words.remove_prefix(std::min(words.find('|'), words.size() - 1) + 1);
        return words.empty() ? std::to_string(number)
                             : std::string(words.substr(0, words.find('|')));
    }

    void fillPlainly(const Decoded &decoded)
    {
        for (std::size_t i = 0; i < decoded.row->fields.size(); ++i) {
            const FieldSpec &spec = decoded.row->fields[i];
            const bool quoted = spec.letter == 'S' && !spec.list;
            add((i == 0 ? "<" : ", ") + spec.name + " = " + (spec.list ? "[" : quoted ? "\"" : ""));
            list(decoded, decoded.all(i), false);
            add(spec.list ? "]" : quoted ? "\"" : "");
        }
        add(">");
    }

    void list(const Decoded &decoded, const std::vector<Field> &fields, bool bare)
    {
        for (std::size_t i = 0; i < fields.size() && i <= m_most; ++i) {
            if (i > 0)
                add(", ");
            item(decoded, fields[i], bare);
        }
    }

    void item(const Decoded &decoded, const Field &field, bool bare)
    {
        const auto index = std::uint32_t(field.value);
        const std::uint64_t width = decoded.fields.front().value;
        switch (field.letter) {
        case 'A': m_parts.push_back({bare ? Kind::Bare : Kind::Attribute, index, {}}); break;
        case 'T': m_parts.push_back({Kind::Type, index, {}}); break;
        case 'S':
            add(decoded.row->name == "symbol_ref_v1" ? keyword(m_module.strings[index])
                                                     : escaped(m_module.strings[index]));
            break;
        case 'R': {
            const Resource &resource = m_module.resources[m_module.resourceOf(field.value)];
            add(keyword(m_module.strings[resource.key]));
            break;
        }
        case 'B': {
            const auto bytes = m_module.bytesOf(field.range);
            add(base64(bytes.first(std::min(bytes.size(), m_most))));
            break;
        }
        case 'I': add(std::to_string(field.integer())); break;
        case 'F': add(floatText(field.value, width)); break;
        case 'N':
            add(integerText(field.value, width,
                            decoded.fields.size() > 1 && decoded.fields[1].value != 0));
            break;
        default: {
            const ImageFormat *format = bare ? imageFormat(field.value) : nullptr;
            add(format ? format->vendor : std::to_string(field.value));
        }
        }
    }

    const Module &m_module;
    std::size_t m_most;
    std::string m_out;
    std::vector<Part> m_pending; ///< the next one last
    std::vector<Part> m_parts;   ///< of the entry that is being expanded, in order
};

} // namespace

std::string attributeText(const Module &module, std::uint32_t attribute, std::size_t most)
{
    return EntryText(module, most).write(false, attribute);
}

std::string typeText(const Module &module, std::uint32_t type, std::size_t most)
{
    return EntryText(module, most).write(true, type);
}

std::string keywordText(std::string_view text)
{
    return keyword(text);
}

} // namespace kernscope::mlir
