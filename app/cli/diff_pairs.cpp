// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_pairs.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace kernscope::cli {

namespace {

/// The weight of that name; kNoIndex for no name, nothing for a name that no weight has.
std::optional<std::size_t> weightOf(const Bundle &bundle, std::string_view name)
{
    return name.empty() ? std::optional(kNoIndex) : bundle.weightByName(name);
}

/// Names may hold "=" themselves: the one between two names that exist is meant.
std::optional<PairChoice> choiceOf(std::string_view text, const Bundle &a, const Bundle &b)
{
    for (std::size_t at = text.find('='); at != std::string_view::npos;
         at = text.find('=', at + 1)) {
        const auto weightA = weightOf(a, text.substr(0, at));
        const auto weightB = weightOf(b, text.substr(at + 1));
        if (weightA && weightB && (*weightA != kNoIndex || *weightB != kNoIndex))
            return PairChoice{*weightA, *weightB};
    }
    return std::nullopt;
}

} // namespace

Result<std::vector<std::vector<PairChoice>>> pairChoices(std::span<const std::string> texts,
                                                         std::span<const BundlePtr> bundles)
{
    std::vector<std::vector<PairChoice>> choices(bundles.size() - 1);
    for (const std::string &text : texts) {
        bool any = false;
        for (std::size_t i = 1; i < bundles.size(); ++i) {
            if (const auto choice = choiceOf(text, *bundles.front(), *bundles[i])) {
                choices[i - 1].push_back(*choice);
                any = true;
            }
        }
        if (any)
            continue;
        return ErrorBuilder("diff.pair")
            .file(bundles.front()->name())
            .field("--pair")
            .expected("A=B with a weight of the first build and one of another; A= or =B leaves "
                      "a weight alone")
            .found(text)
            .message("No two builds have weights of these names")
            .unexpected();
    }
    return choices;
}

std::optional<ElementChoice::Steps> stepsOf(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    ElementChoice::Steps steps{0, UINT64_MAX};
    const auto read = [](std::string_view digits, std::uint64_t &number) {
        const auto [end, failure] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return digits.empty() || (failure == std::errc() && end == digits.data() + digits.size());
    };
    if (!read(text.substr(0, colon), steps.first) || !read(text.substr(colon + 1), steps.last) ||
        steps.first > steps.last)
        return std::nullopt;
    return steps;
}

} // namespace kernscope::cli
