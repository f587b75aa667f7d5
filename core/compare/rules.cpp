// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/utf8.h"
#include "core/compare/limits.h"

// The parser tells of faults by its result, never by an exception.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

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

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The end of a string of one line that begins at `at`, or of a literal one of several lines.
std::size_t endOfString(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    if (text.substr(at).starts_with("'''")) {
        at = std::min(text.find("'''", at + 3), text.size() - 3) + 3;
        return std::min(text.find_first_not_of('\'', at), text.size()); // up to two belong to it
    }
    for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
        at += quote == '"' && text[at] == '\\' && at + 1 < text.size() ? 1U : 0U;
    return std::min(at + 1, text.size());
}

/// The first letter beyond ASCII that is neither in a comment nor in a string, or the end. toml++ 3
/// asks of letters elsewhere, and behind a backslash of a """ string, whether they are blank, which
/// is undefined behaviour for some of them.
std::size_t strayLetter(std::string_view text)
{
    bool strings = true; // none behind a """ is looked for
    std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    while (at < text.size()) {
        strings = strings && !text.substr(at).starts_with("\"\"\"");
        if (static_cast<unsigned char>(text[at]) >= 0x80)
            return at;
        if (strings && (text[at] == '"' || text[at] == '\''))
            at = endOfString(text, at);
        else if (strings && text[at] == '#')
            at = std::min(text.find('\n', at), text.size());
        else
            ++at;
    }
    return at;
}

class RulesReader
{
public:
    explicit RulesReader(const std::string &file) : m_file(file) {}

    Result<DiffLimits> read(std::string_view text)
    {
        if (const std::size_t at = strayLetter(text); at < text.size())
            return fault(placeIn(text, at), "ASCII outside of strings and comments",
                         std::string(text.substr(
                             at, std::max<std::size_t>(1, utf8SequenceLength(text, at)))),
                         "Other letters stand in quotation marks or behind a #, not elsewhere");
        // First with other letters in their places: where a quotation mark begins no string, toml++
        // reads on to the end of the value, letters of any kind.
        std::string plain(text);
        std::replace_if(
            plain.begin() + (text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0),
            plain.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, 'x');
        toml::parse_result parsed = toml::parse(plain, m_file);
        if (parsed)
            parsed = toml::parse(text, m_file);
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
    static toml::source_region placeIn(std::string_view text, std::size_t at)
    {
        const std::string_view before = text.substr(0, at);
        const std::size_t line = before.rfind('\n') + 1; // npos + 1: the first line
        toml::source_region where;
        where.begin.line =
            static_cast<toml::source_index>(1 + std::count(before.begin(), before.end(), '\n'));
        where.begin.column = static_cast<toml::source_index>(1 + at - line);
        return where;
    }

    tl::unexpected<Error> fault(const toml::source_region &where, std::string expected,
                                std::string_view found, std::string_view message) const
    {
        return ErrorBuilder("diff.rules")
            .file(m_file)
            .field(fmt::format("line {}, column {}", where.begin.line, where.begin.column))
            .expected(std::move(expected))
            .found(std::string(found))
            .message(std::string(message))
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
            rule.pattern = node.value_exact<std::string>().value_or(std::string());
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
