// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/find_weight.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <array>
#include <numeric>

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
    std::string nearest;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i)
        nearest += fmt::format("{}{}", i == 0 ? "" : ", ", near[i].second);
    return ErrorBuilder("patch.weight")
        .expected(std::move(nearest))
        .found(name)
        .message("The bundle has no weight of that name");
}

Error ambiguous(const Bundle &bundle, const std::vector<std::size_t> &found, std::string_view name)
{
    constexpr std::size_t kMostCandidates = 16;
    std::string candidates;
    for (std::size_t i = 0; i < std::min(found.size(), kMostCandidates); ++i)
        candidates += fmt::format("{}{}", i == 0 ? "" : ", ", bundle.weights()[found[i]].address());
    if (found.size() > kMostCandidates)
        candidates += fmt::format(" and {} more", found.size() - kMostCandidates);
    return ErrorBuilder("patch.weight")
        .expected(std::move(candidates))
        .found(name)
        .message("Several weights could be meant");
}

/// NAME, FUNCTION/NAME, MODEL/NAME or MODEL/FUNCTION/NAME; of nested pipelines the model may begin
/// with any of its steps.
bool isAddress(const Weight &weight, std::string_view name)
{
    if (!name.ends_with(weight.name))
        return false;
    if (name.size() == weight.name.size())
        return true;
    std::string_view before = name.substr(0, name.size() - weight.name.size());
    if (!before.ends_with('/'))
        return false;
    before.remove_suffix(1);
    const auto endsPath = [](std::string_view path, std::string_view end) {
        return path.ends_with(end) &&
               (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
    };
    if (endsPath(weight.model, before))
        return !before.empty();
    if (weight.function.empty() || !before.ends_with(weight.function))
        return false;
    before.remove_suffix(weight.function.size());
    if (before.empty())
        return true;
    return before.ends_with('/') && before.size() > 1 &&
           endsPath(weight.model, before.substr(0, before.size() - 1));
}

} // namespace

Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name)
{
    const auto exact = all(bundle, [&](const Weight &w) { return w.address() == name; });
    const auto qualified = all(bundle, [&](const Weight &w) { return isAddress(w, name); });
    const auto base = all(bundle, [&](const Weight &w) { return withoutSuffixes(w.name) == name; });
    const auto made = all(bundle, [&](const Weight &w) { return w.opName() == name; });
    for (const auto &found : {exact, qualified, base, made}) {
        if (found.size() > 1)
            return tl::unexpected(ambiguous(bundle, found, name));
        if (found.size() == 1)
            return found.front();
    }
    return tl::unexpected(unknown(bundle, name));
}

} // namespace kernscope::patch
