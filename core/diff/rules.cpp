// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/container/mil/utf8.h"
#include "core/diff/limits.h"

// The parser tells of faults by its result, never by an exception.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

/// toml++ 3 runs into undefined behaviour when it asks whether some letters from
/// U+00A1 to U+FDFF are blank, which it asks of letters of broken texts as well. Letters of U+0080
/// to U+FFFF are therefore given to it 0xF0000 further on, where nothing is blank: in a plane for
/// private use. Each stays one letter, so that lines and columns are those of the text.
namespace kernscope::diff {

/// The first letter of that plane, which cannot be told from a moved one; the size: none.
std::size_t letterOfMovedPlane(std::string_view text);

/// `text` for toml++. What is no UTF-8, and a byte order mark in front, stays as it is.
std::string movedLetters(std::string_view text);

/// What toml++ gives back, as it stood in the text.
std::string movedBack(std::string_view text);

} // namespace kernscope::diff

namespace kernscope {

namespace {

struct LimitKey {
    std::string_view key;
    ValueLimit member;
    bool mayBeNegative;
};
constexpr std::array<LimitKey, 5> kLimitKeys{{{"max-abs", &ValueLimits::maxAbs, false},
                                              {"max-rel", &ValueLimits::maxRel, false},
                                              {"max-ulp", &ValueLimits::maxUlp, false},
                                              {"min-cosine", &ValueLimits::minCosine, true},
                                              {"min-snr", &ValueLimits::minSnr, true}}};

class RulesReader
{
public:
    explicit RulesReader(const std::string &file) : m_file(file) {}

    Result<DiffLimits> read(std::string_view text)
    {
        if (const std::size_t at = diff::letterOfMovedPlane(text); at < text.size())
            return fault(lineOf(text, at), "letters of other planes", "a letter of plane 15",
                         "Letters for private use are not read");
        const toml::parse_result parsed = toml::parse(diff::movedLetters(text), m_file);
        if (!parsed)
            return fault(parsed.error().source(), "TOML", {},
                         std::string(parsed.error().description()));
        DiffLimits limits;
        for (const auto &[key, node] : parsed.table()) {
            const auto read =
                key.str() == "weight" ? addRules(limits, node) : setTop(limits, key.str(), node);
            if (!read)
                return tl::unexpected(read.error());
        }
        return limits;
    }

private:
    static toml::source_region lineOf(std::string_view text, std::size_t at)
    {
        toml::source_region where;
        where.begin.line = static_cast<toml::source_index>(
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        where.begin.column = 1;
        return where;
    }

    /// The texts are toml++'s, or have what it read in them.
    tl::unexpected<Error> fault(const toml::source_region &where, std::string expected,
                                std::string_view found, std::string_view message) const
    {
        return ErrorBuilder("diff.rules")
            .file(m_file)
            .field(fmt::format("line {}, column {}", where.begin.line, where.begin.column))
            .expected(std::move(expected))
            .found(diff::movedBack(found))
            .message(diff::movedBack(message))
            .unexpected();
    }

    Result<void> setBool(std::string_view key, const toml::node &node, bool &to) const
    {
        const auto value = node.value_exact<bool>();
        if (!value)
            return fault(node.source(), "true or false", {},
                         fmt::format("The key \"{}\" takes another value", key));
        to = *value;
        return {};
    }

    /// False where the key is none of a limit.
    Result<bool> setLimit(ValueLimits &limits, std::string_view key, const toml::node &node) const
    {
        for (const LimitKey &known : kLimitKeys) {
            if (known.key != key)
                continue;
            const auto value = node.is_number() ? node.value<double>() : std::nullopt;
            if (!value || !std::isfinite(*value) || (*value < 0 && !known.mayBeNegative))
                return fault(node.source(), known.mayBeNegative ? "a number" : "a number from 0 on",
                             value ? fmt::format("{}", *value) : std::string(),
                             fmt::format("The key \"{}\" takes another value", key));
            limits.*known.member = value;
            return true;
        }
        return false;
    }

    Result<void> setTop(DiffLimits &limits, std::string_view key, const toml::node &node) const
    {
        if (key == "allow-missing")
            return setBool(key, node, limits.allowMissing);
        if (key == "same-program")
            return setBool(key, node, limits.sameProgram);
        const auto known = setLimit(limits.values, key, node);
        if (!known)
            return tl::unexpected(known.error());
        if (*known)
            return {};
        return fault(node.source(),
                     "max-abs, max-rel, max-ulp, min-cosine, min-snr, allow-missing, "
                     "same-program or [[weight]]",
                     std::string(key), "There is no such key");
    }

    Result<void> setOfRule(LimitRule &rule, std::string_view key, const toml::node &node) const
    {
        if (key == "match") {
            rule.pattern = diff::movedBack(node.value_exact<std::string>().value_or(std::string()));
            if (rule.pattern.empty())
                return fault(node.source(), "a pattern in quotation marks", {},
                             "The key \"match\" takes another value");
            return {};
        }
        if (key == "ignore")
            return setBool(key, node, rule.ignore);
        if (key == "allow-missing") {
            bool value = false;
            auto read = setBool(key, node, value);
            rule.allowMissing = value;
            return read;
        }
        const auto known = setLimit(rule.limits, key, node);
        if (!known)
            return tl::unexpected(known.error());
        if (*known)
            return {};
        return fault(node.source(),
                     "match, max-abs, max-rel, max-ulp, min-cosine, min-snr, allow-missing or "
                     "ignore",
                     std::string(key), "There is no such key of a weight");
    }

    Result<void> addRules(DiffLimits &limits, const toml::node &node) const
    {
        const toml::array *tables = node.as_array();
        if (tables == nullptr || !tables->is_homogeneous<toml::table>())
            return fault(node.source(), "tables [[weight]]", {},
                         "The limits of some weights are tables of an array");
        for (const toml::node &each : *tables) {
            LimitRule rule;
            for (const auto &[key, value] : *each.as_table()) {
                if (auto read = setOfRule(rule, key.str(), value); !read)
                    return read;
            }
            if (rule.pattern.empty())
                return fault(each.source(), "match = \"PATTERN\"", {},
                             "Every [[weight]] says which weights it is for");
            limits.rules.push_back(std::move(rule));
        }
        return {};
    }

    const std::string &m_file;
};

} // namespace

Result<DiffLimits> parseRules(std::string_view text, const std::string &file)
{
    return RulesReader(file).read(text);
}

} // namespace kernscope

namespace kernscope::diff {

namespace {

constexpr std::uint32_t kMoved = 0xF0000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::uint32_t bits(char byte, unsigned mask)
{
    return static_cast<unsigned char>(byte) & mask;
}

/// The code point of a well-formed sequence of 2 to 4 bytes.
std::uint32_t codePoint(std::string_view letter)
{
    std::uint32_t code = bits(letter[0], 0xFFU >> (letter.size() + 1));
    for (const char byte : letter.substr(1))
        code = code << 6 | bits(byte, 0x3F);
    return code;
}

/// As UTF-8, in `length` bytes, 2 to 4.
void append(std::string &text, std::uint32_t code, std::size_t length)
{
    constexpr unsigned kFirst[] = {0, 0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(kFirst[length] | code >> 6 * (length - 1));
    for (std::size_t rest = length - 1; rest-- > 0;)
        text += static_cast<char>(0x80 | (code >> 6 * rest & 0x3F));
}

bool isMoved(std::uint32_t code)
{
    return code >= kMoved && code <= kMoved + 0xFFFF;
}

/// Hands each letter beyond ASCII and its place to `take`, and the other bytes to `keep`.
template <class Take, class Keep>
void forEachLetter(std::string_view text, Take take, Keep keep)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = mil::utf8SequenceLength(text, at);
        if (length > 1)
            take(text.substr(at, length), at);
        else
            keep(text[at]);
        at += std::max<std::size_t>(length, 1);
    }
}

} // namespace

std::size_t letterOfMovedPlane(std::string_view text)
{
    std::size_t found = text.size();
    forEachLetter(
        text,
        [&](std::string_view letter, std::size_t at) {
            if (found == text.size() && isMoved(codePoint(letter)))
                found = at;
        },
        [](char) {});
    return found;
}

std::string movedLetters(std::string_view text)
{
    std::string moved;
    if (text.starts_with(kByteOrderMark)) {
        moved = kByteOrderMark;
        text.remove_prefix(kByteOrderMark.size());
    }
    forEachLetter(
        text,
        [&](std::string_view letter, std::size_t) {
            if (letter.size() < 4)
                append(moved, kMoved + codePoint(letter), 4);
            else
                moved += letter;
        },
        [&](char byte) { moved += byte; });
    return moved;
}

std::string movedBack(std::string_view text)
{
    std::string back;
    forEachLetter(
        text,
        [&](std::string_view letter, std::size_t) {
            const std::uint32_t code = codePoint(letter);
            if (isMoved(code))
                append(back, code - kMoved, code - kMoved < 0x800 ? 2 : 3);
            else
                back += letter;
        },
        [&](char byte) { back += byte; });
    return back;
}

} // namespace kernscope::diff
