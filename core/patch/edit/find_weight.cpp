// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/find_weight.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// Longer names are compared by their first characters only, and no more than so many of them.
constexpr std::size_t kMostCharacters = 128;
constexpr std::size_t kMostNames = 4096;

/// Insertions, deletions and replacements that lead from one text to the other.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    a = a.substr(0, kMostCharacters);
    b = b.substr(0, kMostCharacters);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string_view withoutSuffixes(std::string_view name)
{
    static constexpr std::array<std::string_view, 3> kSuffixes{"_quantized", "_palettized",
                                                               "_sparsified"};
    for (bool taken = true; taken;) {
        taken = false;
        for (const std::string_view suffix : kSuffixes) {
            if (name.size() > suffix.size() && name.ends_with(suffix)) {
                name.remove_suffix(suffix.size());
                taken = true;
            }
        }
    }
    return name;
}

template <class Matches>
std::vector<std::size_t> all(const Bundle &bundle, const Matches &matches)
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (matches(bundle.weights()[i]))
            found.push_back(i);
    }
    return found;
}

Error unknown(const Bundle &bundle, std::string_view name)
{
    std::vector<std::pair<std::size_t, std::string_view>> near;
    const std::size_t count = std::min(bundle.weights().size(), kMostNames);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view other = bundle.weights()[i].name;
        // A name that was cut short is nearer than one with other letters.
        const bool begins = !name.empty() && other.starts_with(name);
        near.emplace_back(begins ? 0 : editDistance(name, withoutSuffixes(other)), other);
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    Error error;
    error.code = "patch.weight";
    for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i)
        error.expected += fmt::format("{}{}", i == 0 ? "" : ", ", near[i].second);
    error.found = std::string(name);
    error.message = "The bundle has no weight of that name";
    return error;
}

Error ambiguous(const Bundle &bundle, const std::vector<std::size_t> &found, std::string_view name)
{
    Error error;
    error.code = "patch.weight";
    for (const std::size_t i : found) {
        const Weight &weight = bundle.weights()[i];
        error.expected += fmt::format("{}{}/{}", error.expected.empty() ? "" : ", ",
                                      weight.function, weight.name);
    }
    error.found = std::string(name);
    error.message = "Several weights could be meant";
    return error;
}

} // namespace

Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name)
{
    const auto exact = all(bundle, [&](const Weight &w) { return w.name == name; });
    const auto qualified = all(bundle, [&](const Weight &w) {
        return name.size() == w.function.size() + 1 + w.name.size() &&
               name.starts_with(w.function) && name[w.function.size()] == '/' &&
               name.ends_with(w.name);
    });
    const auto base = all(bundle, [&](const Weight &w) { return withoutSuffixes(w.name) == name; });
    const auto made = all(bundle, [&](const Weight &w) { return w.opName == name; });
    for (const auto &found : {exact, qualified, base, made}) {
        if (found.size() > 1)
            return tl::unexpected(ambiguous(bundle, found, name));
        if (found.size() == 1)
            return found.front();
    }
    return tl::unexpected(unknown(bundle, name));
}

} // namespace kernscope::patch
