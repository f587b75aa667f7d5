// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/einsum.h"

#include "core/assessment/consumer_kinds.h"

#include <algorithm>
#include <map>

namespace kernscope {

namespace {

using Extents = std::map<char, std::uint64_t>;

bool has(std::string_view letters, char letter)
{
    return letters.find(letter) != std::string_view::npos;
}

bool repeats(std::string letters)
{
    std::sort(letters.begin(), letters.end());
    return std::adjacent_find(letters.begin(), letters.end()) != letters.end();
}

/// Adds the extents of an operand or the output. One of 1 gives way, as it is broadcast.
void addExtents(const std::string &letters, const std::optional<Shape> &shape, Extents &extents)
{
    if (!shape || shape->size() != letters.size())
        return;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        auto &extent = extents.try_emplace(letters[i], 1).first->second;
        extent = std::max(extent, (*shape)[i]);
    }
}

std::optional<std::uint64_t> extentProduct(std::string_view letters, const Extents &extents)
{
    std::optional<std::uint64_t> result = 1;
    for (const char letter : letters) {
        const auto found = extents.find(letter);
        result = result && found != extents.end() ? checkedMultiply(*result, found->second)
                                                  : std::nullopt;
    }
    return result;
}

} // namespace

std::optional<Equation> equationOf(std::string_view text)
{
    std::string letters(text);
    std::erase(letters, ' ');
    const std::size_t arrow = letters.find("->");
    if (arrow == std::string::npos)
        return std::nullopt;
    Equation equation;
    equation.output = letters.substr(arrow + 2);
    letters.resize(arrow);
    for (std::size_t at = 0; at <= letters.size();) {
        const std::size_t comma = std::min(letters.find(',', at), letters.size());
        equation.operands.push_back(letters.substr(at, comma - at));
        at = comma + 1;
    }
    return equation;
}

std::optional<EquationRoles> equationRoles(const Equation &equation, std::size_t weight)
{
    if (equation.operands.size() != 2 || weight > 1)
        return std::nullopt;
    const std::string &own = equation.operands[weight], &other = equation.operands[1 - weight];
    if (repeats(own) || repeats(other) || repeats(equation.output))
        return std::nullopt;
    EquationRoles roles;
    for (const char letter : own) {
        const bool shared = has(other, letter), made = has(equation.output, letter);
        if (!shared && !made)
            return std::nullopt;
        (shared && made ? roles.batches : shared ? roles.summed : roles.outputs) += letter;
    }
    for (const char letter : other) {
        if (has(own, letter))
            continue;
        if (!has(equation.output, letter))
            return std::nullopt;
        roles.pixels += letter;
    }
    return roles.summed.empty() ? std::nullopt : std::optional(std::move(roles));
}

std::optional<EinsumProduct> einsumProduct(const Weight &weight, const Consumer &consumer)
{
    const ConsumerGeometry &geometry = consumer.geometry;
    const auto equation = equationOf(geometry.equation);
    const auto roles = equation ? equationRoles(*equation, geometry.operand) : std::nullopt;
    if (!roles)
        return std::nullopt;
    Extents extents;
    if (!isReshaped(consumer))
        addExtents(equation->operands[geometry.operand], weight.shape, extents);
    addExtents(equation->operands[1 - geometry.operand], geometry.input, extents);
    addExtents(equation->output, geometry.output, extents);
    const auto outputs = extentProduct(roles->outputs, extents),
               inputs = extentProduct(roles->summed, extents);
    if (!outputs || !inputs)
        return std::nullopt;
    EinsumProduct made{*inputs, *outputs, extentProduct(roles->batches + roles->pixels, extents)};
    // The arithmetic is not known where an operand's shape is not.
    if (!consumer.layerFlops)
        made.pixels.reset();
    return made;
}

} // namespace kernscope
