// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes that a program works out itself: shape(x)[2] * 4 and its like. Integers only: what passes
// through a floating-point type may be rounded, and is not followed.
#include "core/bundle/shapes/rules.h"

#include <algorithm>
#include <numeric>

namespace kernscope::shapes {

namespace {

using Numbers = std::optional<Dims>;
using Follow = Numbers (*)(const OperationView &, const Tensor &output);

std::int64_t combined(std::string_view type, std::int64_t a, std::int64_t b)
{
    std::int64_t result = kUnknownNumber;
    if (a == kUnknownNumber || b == kUnknownNumber)
        return kUnknownNumber;
    if (type == "maximum")
        return std::max(a, b);
    if (type == "minimum")
        return std::min(a, b);
    if (type == "add")
        return __builtin_add_overflow(a, b, &result) ? kUnknownNumber : result;
    if (type == "sub")
        return __builtin_sub_overflow(a, b, &result) ? kUnknownNumber : result;
    if (type == "mul")
        return __builtin_mul_overflow(a, b, &result) ? kUnknownNumber : result;
    // Division rounds down; of negative numbers, which no extent is, it is not followed.
    if (a < 0 || b <= 0)
        return kUnknownNumber;
    return type == "floor_div" ? a / b : a % b;
}

/// Element by element, of equal counts or with one number on a side.
Numbers followBinary(const OperationView &view, const Tensor &)
{
    const Tensor x = view.operand("x"), y = view.operand("y");
    if (!x.numbers || !y.numbers || x.numbers->empty() || y.numbers->empty())
        return std::nullopt;
    const std::size_t count = std::max(x.numbers->size(), y.numbers->size());
    if (std::min(x.numbers->size(), y.numbers->size()) != 1 &&
        x.numbers->size() != y.numbers->size())
        return std::nullopt;
    Dims result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(combined(view.operation().type,
                                  (*x.numbers)[x.numbers->size() == 1 ? 0 : i],
                                  (*y.numbers)[y.numbers->size() == 1 ? 0 : i]));
    return result;
}

Numbers followSame(const OperationView &view, const Tensor &)
{
    return view.operand(view.operation().type == "const" ? "val" : "x").numbers;
}

/// To an integer type that holds the numbers.
Numbers followCast(const OperationView &view, const Tensor &)
{
    const std::string type = view.text("dtype", {});
    const bool wide = type == "int32" || type == "int64" || type == "uint32";
    return wide ? view.operand("x").numbers : std::nullopt;
}

Numbers followShape(const OperationView &view, const Tensor &)
{
    Numbers numbers = view.operand("x").dims;
    if (numbers)
        std::replace(numbers->begin(), numbers->end(), kUnknown, kUnknownNumber);
    return numbers;
}

/// Of a vector.
Numbers followGather(const OperationView &view, const Tensor &)
{
    const Tensor x = view.operand("x");
    const auto indices = view.numbers("indices");
    if (!x.numbers || !x.dims || x.dims->size() != 1 || !indices)
        return std::nullopt;
    Dims result;
    for (const std::int64_t index : *indices) {
        const auto at = axisOf(index, x.numbers->size());
        if (!at)
            return std::nullopt;
        result.push_back((*x.numbers)[*at]);
    }
    return result;
}

Numbers followSlice(const OperationView &view, const Tensor &output)
{
    const Tensor x = view.operand("x");
    const auto begin = view.numbers("begin", 1, 0);
    const auto stride = view.numbers("stride", 1, 1);
    const auto mask = view.numbers("begin_mask", 1, 0);
    if (!x.numbers || !x.dims || x.dims->size() != 1 || !begin || !stride || !mask)
        return std::nullopt;
    const auto count = static_cast<std::int64_t>(x.numbers->size());
    std::int64_t at = mask->front() != 0 ? (stride->front() > 0 ? 0 : count - 1) : begin->front();
    at = at < 0 ? at + count : at;
    const std::int64_t length = productOf(*output.dims, 0, output.dims->size());
    const bool few = stride->front() >= -count && stride->front() <= count;
    Dims result;
    for (std::int64_t i = 0; few && i < length; ++i, at += stride->front()) {
        if (at < 0 || at >= count)
            return std::nullopt;
        result.push_back((*x.numbers)[static_cast<std::size_t>(at)]);
    }
    return few || length == 1 ? std::optional(std::move(result)) : std::nullopt;
}

/// Of vectors and scalars, one after the other.
Numbers followJoined(const OperationView &view, const Tensor &)
{
    Dims result;
    for (const Tensor &each : view.operands("values")) {
        if (!each.dims || each.dims->size() > 1)
            return std::nullopt;
        if (each.numbers)
            result.insert(result.end(), each.numbers->begin(), each.numbers->end());
        else if (each.complete())
            result.insert(result.end(),
                          static_cast<std::size_t>(each.dims->empty() ? 1 : each.dims->front()),
                          kUnknownNumber);
        else
            return std::nullopt;
        if (result.size() > kMaxNumbers)
            return std::nullopt;
    }
    return result;
}

Numbers followReduced(const OperationView &view, const Tensor &output)
{
    const auto x = view.numbers("x");
    if (!x || x->empty() || productOf(*output.dims, 0, output.dims->size()) != 1)
        return std::nullopt;
    const std::string_view type = view.operation().type;
    const std::string_view step = type == "reduce_prod"  ? "mul"
                                  : type == "reduce_sum" ? "add"
                                  : type == "reduce_max" ? "maximum"
                                                         : "minimum";
    const auto join = [step](std::int64_t a, std::int64_t b) { return combined(step, a, b); };
    return Dims{std::accumulate(x->begin() + 1, x->end(), x->front(), join)};
}

Numbers followFill(const OperationView &view, const Tensor &output)
{
    const auto value = view.number("value");
    const std::int64_t count = productOf(*output.dims, 0, output.dims->size());
    if (!value || count < 0 || count > static_cast<std::int64_t>(kMaxNumbers))
        return std::nullopt;
    return Dims(static_cast<std::size_t>(count), *value);
}

Numbers followRange(const OperationView &view, const Tensor &output)
{
    const auto start = view.number("start"), step = view.number("step");
    const std::int64_t count = output.dims->empty() ? kUnknown : output.dims->front();
    if (!start || !step || count < 0 || count > static_cast<std::int64_t>(kMaxNumbers))
        return std::nullopt;
    Dims result;
    for (std::int64_t i = 0; i < count; ++i)
        result.push_back(combined("add", *start, combined("mul", i, *step)));
    return result;
}

const std::map<std::string_view, Follow> &follows()
{
    static const std::map<std::string_view, Follow> known{
        {"const", followSame},
        {"identity", followSame},
        {"reshape", followSame},
        {"expand_dims", followSame},
        {"squeeze", followSame},
        {"cast", followCast},
        {"shape", followShape},
        {"gather", followGather},
        {"slice_by_index", followSlice},
        {"concat", followJoined},
        {"stack", followJoined},
        {"add", followBinary},
        {"sub", followBinary},
        {"mul", followBinary},
        {"floor_div", followBinary},
        {"mod", followBinary},
        {"maximum", followBinary},
        {"minimum", followBinary},
        {"reduce_prod", followReduced},
        {"reduce_sum", followReduced},
        {"reduce_max", followReduced},
        {"reduce_min", followReduced},
        {"fill", followFill},
        {"range_1d", followRange},
    };
    return known;
}

} // namespace

void followNumbers(const OperationView &view, std::vector<Tensor> &outputs)
{
    const auto found = follows().find(view.operation().type);
    if (found == follows().end() || outputs.size() != 1 || !outputs.front().complete())
        return;
    Tensor &output = outputs.front();
    const std::int64_t count = productOf(*output.dims, 0, output.dims->size());
    if (count < 0 || count > static_cast<std::int64_t>(kMaxNumbers))
        return;
    auto numbers = found->second(view, output);
    if (numbers && static_cast<std::int64_t>(numbers->size()) == count)
        output.numbers = std::move(numbers);
}

} // namespace kernscope::shapes
