// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_where.h"

#include "core/base/csv.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"

#include <cctype>
#include <cmath>

namespace kernscope {

namespace {

constexpr std::array<std::string_view, 6> kWhereTexts{"name", "function", "form",
                                                      "op",   "type",     "source"};
constexpr std::array<std::string_view, 5> kWhereNumbers{"bytes", "elements", "ratio", "zeros",
                                                        "axes"};

/// The letters that a filter takes for the same: A to Z for a to z.
char lowerLetter(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string lowerLetters(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), lowerLetter);
    return lower;
}

/// Asked of every weight at every key: only where the first letter stands are others looked at, and
/// that is found by memchr, many letters at a time.
bool hasLetters(std::string_view text, std::string_view lower)
{
    if (lower.empty())
        return true;
    if (text.size() < lower.size())
        return false;
    const char small = lower.front();
    const char large = small >= 'a' && small <= 'z' ? static_cast<char>(small - 'a' + 'A') : small;
    const std::string_view starts = text.substr(0, text.size() - lower.size() + 1);
    std::size_t atSmall = starts.find(small);
    std::size_t atLarge = large == small ? starts.npos : starts.find(large);
    while (atSmall != starts.npos || atLarge != starts.npos) {
        const std::size_t at = std::min(atSmall, atLarge); // npos is the largest number
        std::size_t same = 1;
        while (same < lower.size() && lowerLetter(text[at + same]) == lower[same])
            ++same;
        if (same == lower.size())
            return true;
        if (at == atSmall)
            atSmall = starts.find(small, at + 1);
        else
            atLarge = starts.find(large, at + 1);
    }
    return false;
}

template <class List, class Item>
bool among(const List &list, const Item &item)
{
    return std::ranges::find(list, item) != list.end();
}

/// "1.5M", "58%", "4Ki", "20KB": thousands and kibibytes as people write them.
std::optional<double> scaledNumber(std::string_view text)
{
    struct Suffix {
        std::string_view letters;
        double factor;
    };
    static constexpr std::array<Suffix, 8> kSuffixes{{{"Ki", 1024.0},
                                                      {"Mi", 1048576.0},
                                                      {"Gi", 1073741824.0},
                                                      {"k", 1e3},
                                                      {"K", 1e3},
                                                      {"M", 1e6},
                                                      {"G", 1e9},
                                                      {"%", 0.01}}};
    double factor = 1;
    if (text.size() > 2 && text.ends_with('B'))
        text.remove_suffix(1); // of kB, KiB, MB
    for (const Suffix &suffix : kSuffixes) {
        if (text.ends_with(suffix.letters)) {
            text.remove_suffix(suffix.letters.size());
            factor = suffix.factor;
            break;
        }
    }
    const auto number = parseNumber(text);
    if (!number || !std::isfinite(*number))
        return std::nullopt;
    return *number * factor;
}

Error badTerm(std::string_view term)
{
    return valueError("where.term", "WHERE",
                      "letters, KEY:TEXT (name, function, form, op, type, source), KEY>NUMBER "
                      "(bytes, elements, ratio, zeros, axes; also < >= <= =) or streams:CHIP, "
                      "folds:CHIP, dense:CHIP, rejected:CHIP",
                      term, "The term cannot be read.");
}

/// Whether a text of the weight that the key names (no key: any that people know) has the letters.
/// Asked of every weight at every key: nothing is copied, and a form is written out last.
bool textHasLetters(const Weight &weight, std::string_view key, std::string_view lower)
{
    const bool any = key.empty();
    if ((any || key == "name") && hasLetters(weight.name, lower))
        return true;
    if ((any || key == "function") && hasLetters(weight.function, lower))
        return true;
    if (any || key == "op") {
        for (const Consumer &consumer : weight.consumers) {
            if (hasLetters(consumer.op, lower) || hasLetters(consumer.name, lower))
                return true;
        }
    }
    if (key == "type")
        return hasLetters(elementTypeName(weight.type), lower);
    if (key == "source")
        return hasLetters(weight.sourceOp, lower);
    if (!any && key != "form")
        return false;
    const std::string form = formText(weight.form); // the contract's word, or that for people
    return hasLetters(form, lower) || hasLetters(formWords(form), lower);
}

std::optional<double> numberOf(const Weight &weight, const WhereFacts &facts, std::string_view key)
{
    const auto stored = knownStoredBytes(weight);
    if (key == "bytes")
        return stored ? std::optional(static_cast<double>(stored->value)) : std::nullopt;
    if (key == "elements")
        return static_cast<double>(weight.elements.value);
    if (key == "ratio")
        return weight.elements.value == 0 || !stored ? std::nullopt : std::optional(weight.ratio());
    if (key == "axes")
        return static_cast<double>(weight.shape.size());
    return facts.zeros;
}

constexpr std::size_t kMostLookedAt = 4096; ///< weights whose values are offered
constexpr std::array kOutcomeKeys{decision::Outcome::Streams, decision::Outcome::Folds,
                                  decision::Outcome::Dense, decision::Outcome::Rejected};

bool beginsWith(std::string_view text, std::string_view begin)
{
    return text.size() >= begin.size() &&
           std::equal(begin.begin(), begin.end(), text.begin(), [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) ==
                      std::tolower(static_cast<unsigned char>(b));
           });
}

/// The texts that the weights of the bundle have for a key, the commonest first.
std::vector<std::string> valuesOf(std::span<const Weight> weights, std::string_view key)
{
    std::map<std::string, std::size_t> counts;
    std::size_t looked = 0;
    for (const Weight &weight : weights) {
        if (++looked > kMostLookedAt)
            break;
        if (key == "form")
            ++counts[formWords(weight.form)];
        else if (key == "type")
            ++counts[std::string(elementTypeName(weight.type))];
        else if (key == "function")
            ++counts[weight.function];
        else if (key == "source")
            ++counts[weight.sourceOp];
        else if (key == "op") {
            for (const Consumer &consumer : weight.consumers)
                ++counts[consumer.op];
        }
    }
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto &[text, count] : counts) {
        // A space would end the term.
        if (!text.empty() && text.find(' ') == std::string::npos)
            order.emplace_back(count, text);
    }
    std::ranges::stable_sort(order, [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<std::string> values;
    for (auto &[count, text] : order)
        values.push_back(std::move(text));
    return values;
}

std::vector<std::string> chipNames()
{
    std::vector<std::string> names;
    for (const target::Target &target : target::targets())
        names.push_back(target.name);
    return names;
}

std::vector<std::string> allKeys()
{
    std::vector<std::string> keys;
    for (const std::string_view key : kWhereTexts)
        keys.push_back(std::string(key) + ':');
    for (const std::string_view key : kWhereNumbers)
        keys.push_back(std::string(key) + '>');
    for (const decision::Outcome outcome : kOutcomeKeys)
        keys.push_back(std::string(decision::outcomeName(outcome)) + ':');
    return keys;
}

} // namespace

Result<WeightWhere::Term> WeightWhere::parseTerm(std::string_view text)
{
    Term term;
    std::string_view rest = text;
    if (rest.size() > 1 && rest.front() == '-') {
        term.negated = true;
        rest.remove_prefix(1);
    }
    const std::size_t at = rest.find_first_of(":<>=");
    if (at == std::string_view::npos) {
        term.letters = lowerLetters(rest);
        return term;
    }
    term.key = lowerLetters(rest.substr(0, at));
    const char sign = rest[at];
    std::string_view value = rest.substr(at + 1);
    if (sign == ':') {
        if (value.empty())
            return tl::unexpected(badTerm(text));
        if (const auto outcome = decision::outcomeFromName(term.key)) {
            const auto named = TRY(target::findTarget(value));
            term.kind = Kind::Outcome;
            term.outcome = *outcome;
            term.target = named.target;
            return term;
        }
        term.letters = lowerLetters(value);
        return among(kWhereTexts, term.key) ? Result<Term>(term) : tl::unexpected(badTerm(text));
    }
    const bool equal = sign != '=' && value.starts_with('=');
    if (equal)
        value.remove_prefix(1);
    term.kind = Kind::Number;
    term.compare = sign == '='   ? Compare::Equal
                   : sign == '>' ? (equal ? Compare::AtLeast : Compare::More)
                                 : (equal ? Compare::AtMost : Compare::Less);
    const auto number = scaledNumber(value);
    if (!number || !among(kWhereNumbers, term.key))
        return tl::unexpected(badTerm(text));
    term.number = *number;
    return term;
}

Result<WeightWhere> WeightWhere::parse(std::string_view text)
{
    WeightWhere where;
    while (!text.empty()) {
        const std::size_t begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos)
            break;
        text.remove_prefix(begin);
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        auto term = TRY(parseTerm(text.substr(0, end)));
        where.m_terms.push_back(std::move(term));
        text.remove_prefix(end);
    }
    return where;
}

bool WeightWhere::needsZeros() const
{
    return std::ranges::any_of(
        m_terms, [](const Term &term) { return term.kind == Kind::Number && term.key == "zeros"; });
}

std::vector<const target::Target *> WeightWhere::targets() const
{
    std::vector<const target::Target *> found;
    for (const Term &term : m_terms) {
        if (term.target && !among(found, term.target))
            found.push_back(term.target);
    }
    return found;
}

std::optional<bool> WeightWhere::holds(const Term &term, const Weight &weight,
                                       const WhereFacts &facts)
{
    switch (term.kind) {
    case Kind::Letters: return textHasLetters(weight, term.key, term.letters);
    case Kind::Outcome: {
        const auto outcome = facts.outcome ? facts.outcome(*term.target) : std::nullopt;
        if (!outcome)
            return std::nullopt;
        return *outcome == term.outcome;
    }
    case Kind::Number: break;
    }
    const auto number = numberOf(weight, facts, term.key);
    if (!number)
        return std::nullopt;
    switch (term.compare) {
    case Compare::More: return *number > term.number;
    case Compare::AtLeast: return *number >= term.number;
    case Compare::Less: return *number < term.number;
    case Compare::AtMost: return *number <= term.number;
    case Compare::Equal: break;
    }
    return std::abs(*number - term.number) <= 1e-9 * std::abs(term.number);
}

bool WeightWhere::passes(const Weight &weight, const WhereFacts &facts) const
{
    return std::ranges::all_of(m_terms, [&](const Term &term) {
        const auto found = holds(term, weight, facts);
        return found && *found != term.negated;
    });
}

std::vector<bool> selectWeights(const Bundle &bundle, const WeightWhere &where,
                                const std::vector<std::optional<double>> &zeros)
{
    std::optional<DecisionTable> table;
    if (!where.targets().empty())
        table.emplace(bundle, where.targets());
    std::vector<bool> selected;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        WhereFacts facts;
        if (i < zeros.size())
            facts.zeros = zeros[i];
        facts.outcome = [&table, i](const target::Target &target) {
            const std::size_t column = table->columnOf(target);
            return column == kNoIndex ? std::nullopt
                                      : std::optional(table->verdict(i, column).outcome);
        };
        selected.push_back(where.passes(bundle.weights()[i], facts));
    }
    return selected;
}

std::vector<std::string> whereCompletions(std::string_view word, std::span<const Weight> weights,
                                          std::size_t most)
{
    const std::string before = word.starts_with('-') ? "-" : "";
    word.remove_prefix(before.size());
    std::vector<std::string> found;
    const auto add = [&](const std::string &whole) {
        if (found.size() < most && whole.size() > word.size() && beginsWith(whole, word))
            found.push_back(before + whole);
    };
    if (word.empty())
        return found;
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
        for (const std::string &key : allKeys())
            add(key);
        return found;
    }
    const std::string key(word.substr(0, colon));
    const bool chips = decision::outcomeFromName(key).has_value();
    for (const std::string &value : chips ? chipNames() : valuesOf(weights, key))
        add(std::string(word.substr(0, colon + 1)) + value);
    return found;
}

} // namespace kernscope
