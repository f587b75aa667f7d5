// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/where_completions.h"

#include "core/assessment/weight_where.h"
#include "core/bundle/weight.h"
#include "core/target/target.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace kernscope {

namespace {

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
            ++counts[formText(weight.form)];
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
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
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
    for (const std::string_view key : whereTextKeys())
        keys.push_back(std::string(key) + ':');
    for (const std::string_view key : whereNumberKeys())
        keys.push_back(std::string(key) + '>');
    for (const decision::Outcome outcome : kOutcomeKeys)
        keys.push_back(std::string(decision::outcomeName(outcome)) + ':');
    return keys;
}

} // namespace

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
