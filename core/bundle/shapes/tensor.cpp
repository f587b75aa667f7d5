// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/tensor.h"

#include <algorithm>

namespace kernscope::shapes {

bool allKnown(const Dims &dims)
{
    return std::ranges::all_of(dims, [](std::int64_t extent) { return extent >= 0; });
}

std::int64_t plus(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    return a == kUnknown || __builtin_add_overflow(a, b, &sum) ? kUnknown : sum;
}

std::int64_t times(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? kUnknown : product;
}

std::int64_t over(std::int64_t a, std::int64_t b)
{
    return a < 0 || b <= 0 ? kUnknown : a / b;
}

std::int64_t productOf(const Dims &dims, std::size_t first, std::size_t last)
{
    std::int64_t product = 1;
    for (std::size_t i = first; i < last && i < dims.size(); ++i)
        product = times(product, dims[i]);
    return product;
}

std::string dimsText(const Dims &dims)
{
    std::string text = "[";
    for (std::size_t i = 0; i < dims.size() && text.size() < 1000; ++i) {
        text += i == 0 ? "" : ", ";
        text += dims[i] < 0 ? "?" : std::to_string(dims[i]);
    }
    return text + "]";
}

RuleResult made(Dims dims, std::string unknown)
{
    RuleResult outcome;
    outcome.unknown = std::move(unknown);
    outcome.outputs.push_back({std::move(dims), {}});
    return outcome;
}

RuleResult unknown(std::string reason)
{
    RuleResult outcome;
    outcome.unknown = std::move(reason);
    return outcome;
}

RuleResult conflict(std::string operand, std::string expected, std::string found)
{
    RuleResult outcome;
    outcome.operand = std::move(operand);
    outcome.expected = std::move(expected);
    outcome.found = std::move(found);
    outcome.unknown = "its operands do not fit each other";
    return outcome;
}

std::optional<Dims> broadcast(const Dims &a, const Dims &b)
{
    const std::size_t rank = std::max(a.size(), b.size());
    Dims result(rank, 1);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
        const std::int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
        if (x >= 0 && y >= 0 && x != y && x != 1 && y != 1)
            return std::nullopt;
        // An extent that is not known is 1 or that of the other side, where that is not 1.
        result[i] = x == y ? x : x == 1 ? y : y == 1 ? x : std::max(x, y);
    }
    return result;
}

std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank)
{
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count)
        return std::nullopt;
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

} // namespace kernscope::shapes
