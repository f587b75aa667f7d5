// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/name_expression.h"

#include "core/base/csv.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

using Step = NameExpression::Step;
using Kind = Step::Kind;
using StepList = std::vector<Step>;
using Set = std::bitset<256>;

constexpr std::size_t kMostText = 1024, kMostWritten = 2048, kMostRank = 64;

Set setOf(const char *ranges)
{
    Set set;
    for (; *ranges != '\0'; ranges += 2) {
        for (int each = ranges[0]; each <= ranges[1]; ++each)
            set.set(static_cast<std::size_t>(each));
    }
    return set;
}

const Set &wordSet()
{
    static const Set set = setOf("azAZ09__");
    return set;
}

bool isWordAt(std::string_view text, std::size_t at)
{
    return at < text.size() && wordSet()[static_cast<unsigned char>(text[at])];
}

Step fork(std::size_t next, std::size_t other)
{
    return {Kind::Fork, static_cast<std::ptrdiff_t>(next), static_cast<std::ptrdiff_t>(other)};
}

/// Steps refer to each other by their distance: lists of them are put together as they are.
class Parser
{
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    StepList all()
    {
        if (m_text.size() > kMostText)
            fail(fmt::format("more than {} characters", kMostText));
        StepList made = branches();
        if (m_at < m_text.size())
            fail("a bracket that ends nothing");
        made.push_back({});
        return made;
    }

    std::string fault; ///< the first one

private:
    /// Nothing is read behind it.
    void fail(std::string why)
    {
        if (fault.empty())
            fault = std::move(why);
        m_at = m_text.size();
    }

    bool take(std::string_view what)
    {
        const bool there = m_text.substr(m_at).starts_with(what);
        m_at += there ? what.size() : 0;
        return there;
    }
    bool isNext(std::string_view any) const
    {
        return m_at < m_text.size() && any.find(m_text[m_at]) != any.npos;
    }

    void add(StepList &made, const StepList &more)
    {
        if (made.size() + more.size() > kMostWritten)
            fail(fmt::format("repetitions of more than {} characters", kMostWritten));
        else
            made.insert(made.end(), more.begin(), more.end());
    }

    StepList branches()
    {
        StepList made = branch();
        while (take("|")) {
            const StepList other = branch();
            made.insert(made.begin(), fork(1, made.size() + 2));
            made.push_back(fork(other.size() + 1, other.size() + 1));
            add(made, other);
        }
        return made;
    }

    StepList branch()
    {
        StepList made;
        while (m_at < m_text.size() && !isNext("|)"))
            add(made, repeated(atom()));
        return made;
    }

    /// Digits; `otherwise` where there are none.
    std::size_t number(std::size_t otherwise)
    {
        const std::size_t end =
            std::min(m_text.find_first_not_of("0123456789", m_at), m_text.size());
        const auto value = parseInteger(m_text.substr(m_at, end - m_at));
        const bool given = end > m_at;
        m_at = end;
        if (given && (!value || static_cast<std::uint64_t>(*value) > kMostWritten))
            fail(fmt::format("repetitions of more than {} characters", kMostWritten));
        return given && value ? static_cast<std::size_t>(*value) : otherwise;
    }

    StepList repeated(const StepList &one)
    {
        std::size_t least = 0, most = 1;
        bool endless = false;
        if (take("{}")) {
            fail("a repetition without sound numbers");
        } else if (take("{")) {
            least = most = number(0);
            endless = take(",") && !isNext("0123456789");
            most = endless ? least : number(most);
            if (!take("}") || most < least)
                fail("a repetition without sound numbers");
        } else if (take("*")) {
            endless = true;
            most = 0;
        } else if (take("+")) {
            endless = true;
            least = most = 1;
        } else if (!take("?")) {
            return one;
        }
        take("?"); // as few as fit: the same texts
        if (isNext("*+?{"))
            fail("a repetition of a repetition");
        StepList made;
        for (std::size_t i = 0; i < least && fault.empty(); ++i)
            add(made, one);
        for (std::size_t i = least; i < most && fault.empty(); ++i) {
            made.push_back(fork(1, (one.size() + 1) * (most - i)));
            add(made, one);
        }
        if (endless) {
            made.push_back(fork(1, one.size() + 2));
            add(made, one);
            const auto back = -static_cast<std::ptrdiff_t>(one.size() + 1);
            made.push_back({Kind::Fork, back, back});
        }
        return made;
    }

    StepList atom()
    {
        const char first = m_text[m_at++];
        switch (first) {
        case '(': return group();
        case '[': return {{Kind::Set, 1, 1, oneOf()}};
        case '.': return {{Kind::Set, 1, 1, ~setOf("\n\n")}};
        case '^': return {{Kind::Begin}};
        case '$': return {{Kind::End}};
        case '*':
        case '+':
        case '?':
        case '{': fail("a repetition of nothing"); return {};
        case '\\': break;
        default: return {{Kind::Set, 1, 1, only(first)}};
        }
        for (const auto &[letter, kind] : {std::pair("b", Kind::Edge), std::pair("B", Kind::NoEdge),
                                           std::pair("A", Kind::Begin), std::pair("Z", Kind::End)})
            if (take(letter))
                return {{kind}};
        if (take("."))
            return {{Kind::Set, 1, 1, setOf("..__")}};
        return {{Kind::Set, 1, 1, escaped()}};
    }

    StepList group()
    {
        const bool ahead = take("?="), never = !ahead && take("?!");
        if (!ahead && !never && take("?P<"))
            m_at = std::min(m_text.find('>', m_at), m_text.size() - 1) + 1;
        else if (!ahead && !never && !take("?:") && isNext("?"))
            fail("\"(" + std::string(m_text.substr(m_at, 2)) + "\"");
        if (++m_rank > kMostRank)
            fail(fmt::format("more than {} brackets within each other", kMostRank));
        StepList made = fault.empty() ? branches() : StepList();
        --m_rank;
        if (!take(")"))
            fail("a bracket without its end");
        if (ahead || never) {
            const auto behind = static_cast<std::ptrdiff_t>(made.size() + 2);
            made.insert(made.begin(), {ahead ? Kind::Look : Kind::Not, 1, behind});
            made.push_back({});
        }
        return made;
    }

    static Set only(char each) { return Set().set(static_cast<unsigned char>(each)); }

    /// Behind a backslash.
    Set escaped()
    {
        if (m_at == m_text.size()) {
            fail("a backslash in front of nothing");
            return {};
        }
        const char each = m_text[m_at++];
        switch (each) {
        case 'd': return setOf("09");
        case 'D': return ~setOf("09");
        case 'w': return wordSet();
        case 'W': return ~wordSet();
        case 's': return setOf("\t\r  ");
        case 'S': return ~setOf("\t\r  ");
        default: break;
        }
        if (each >= '1' && each <= '9')
            fail("a reference to a group");
        else if (wordSet()[static_cast<unsigned char>(each)] && each != '_')
            fail(std::string("\"\\") + each + "\"");
        return only(each);
    }

    /// Behind the first square bracket.
    Set oneOf()
    {
        Set set;
        const bool without = take("^");
        for (bool first = true; first || !isNext("]"); first = false) {
            if (m_at == m_text.size()) {
                fail("a square bracket without its end");
                return set;
            }
            const char begin = m_text[m_at];
            const Set one = take("\\") ? escaped() : only(m_text[m_at++]);
            set |= one;
            if (!isNext("-") || m_text.substr(m_at).starts_with("-]"))
                continue;
            ++m_at;
            const auto from = static_cast<unsigned char>(begin);
            const auto to = static_cast<unsigned char>(m_at < m_text.size() ? m_text[m_at] : '\0');
            if (begin == '\\' || to == '\\' || to < from) {
                fail("a range without two characters in order");
                return set;
            }
            for (std::size_t i = from; i <= to; ++i)
                set.set(i);
            ++m_at;
        }
        take("]");
        return without ? ~set : set;
    }

    std::string_view m_text;
    std::size_t m_at = 0, m_rank = 0;
};

} // namespace

tl::expected<NameExpression, std::string> NameExpression::parse(std::string_view text)
{
    Parser parser(text);
    NameExpression made;
    made.m_steps = parser.all();
    if (!parser.fault.empty())
        return tl::unexpected(std::move(parser.fault));
    return made;
}

/// Each step at each place once: what was tried there and failed fails again.
std::optional<bool> NameExpression::run(std::size_t from, std::size_t at, std::string_view text,
                                        std::uint64_t &steps) const
{
    const std::size_t width = text.size() + 1;
    std::vector<bool> seen(m_steps.size() * width);
    steps -= std::min<std::uint64_t>(steps, seen.size() / 64);
    std::vector<std::pair<std::size_t, std::size_t>> open{{from, at}};
    while (!open.empty()) {
        const std::size_t i = open.back().first, place = open.back().second;
        open.pop_back();
        if (seen[i * width + place])
            continue;
        seen[i * width + place] = true;
        if (steps == 0)
            return std::nullopt;
        --steps;
        const Step &step = m_steps[i];
        const auto to = [i](std::ptrdiff_t distance) {
            return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + distance);
        };
        bool goesOn = false;
        switch (step.kind) {
        case Kind::Accept:
            if (i + 1 < m_steps.size() || place == text.size())
                return true;
            break;
        case Kind::Set:
            if (place < text.size() && step.set[static_cast<unsigned char>(text[place])])
                open.emplace_back(i + 1, place + 1);
            break;
        case Kind::Fork:
            open.emplace_back(to(step.other), place);
            open.emplace_back(to(step.next), place);
            break;
        case Kind::Look:
        case Kind::Not: {
            const auto found = run(i + 1, place, text, steps);
            if (!found)
                return std::nullopt;
            if (*found == (step.kind == Kind::Look))
                open.emplace_back(to(step.other), place);
            break;
        }
        case Kind::Begin: goesOn = place == 0; break;
        case Kind::End: goesOn = place == text.size(); break;
        case Kind::Edge:
        case Kind::NoEdge: {
            const bool edge = (place > 0 && isWordAt(text, place - 1)) != isWordAt(text, place);
            goesOn = edge == (step.kind == Kind::Edge);
            break;
        }
        }
        if (goesOn)
            open.emplace_back(i + 1, place);
    }
    return false;
}

} // namespace kernscope
