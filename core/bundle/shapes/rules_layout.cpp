// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"

#include <algorithm>

namespace kernscope::shapes {

namespace {

/// Extents that `shape` asks for: 0 takes that of x, counted from the last axis (1 where x has no
/// such axis; only iOS 17 allows another number of axes than x has), -1 what is left over.
RuleResult reshaped(const std::string &name, const Dims &x, const Dims &shape)
{
    Dims result = shape;
    std::size_t rest = shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0)
            result[i] = x.size() + i < shape.size() ? 1 : x[x.size() + i - shape.size()];
        else if (shape[i] == -1 && rest == shape.size())
            rest = i;
        else if (shape[i] < 0)
            return unknown("its shape has more than one open extent");
    }
    const std::int64_t elements = productOf(x, 0, x.size());
    if (rest == shape.size()) {
        const std::int64_t count = productOf(result, 0, result.size());
        if (elements >= 0 && count >= 0 && elements != count)
            return conflict(name, std::to_string(count) + " elements", dimsText(x));
        return made(std::move(result));
    }
    result[rest] = 1;
    const std::int64_t others = productOf(result, 0, result.size());
    if (elements >= 0 && others > 0 && elements % others != 0)
        return conflict(name, "a multiple of " + std::to_string(others) + " elements", dimsText(x));
    result[rest] = over(elements, others);
    return made(std::move(result));
}

/// Axes of an operand counted from the front, ascending; nothing where one is not known.
std::optional<std::vector<std::size_t>> axesOf(const OperationView &view, std::size_t rank)
{
    const auto numbers = view.numbers("axes");
    if (!numbers)
        return std::nullopt;
    std::vector<std::size_t> axes;
    for (const std::int64_t each : *numbers) {
        const auto axis = axisOf(each, rank);
        if (!axis)
            return std::nullopt;
        axes.push_back(*axis);
    }
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
}

} // namespace

RuleResult reshapeRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), shape = view.operand(names[1]);
    if (!shape.numbers || !x.dims) {
        // Their number is known as soon as that of the shape's elements is.
        if (shape.dims && shape.dims->size() == 1 && shape.dims->front() >= 0 &&
            shape.dims->front() <= 16) {
            RuleResult outcome =
                made(Dims(static_cast<std::size_t>(shape.dims->front()), kUnknown));
            outcome.unknown = "the numbers of " + names[1] + " are not known";
            return outcome;
        }
        return unknown("the numbers of " + names[1] + " are not known");
    }
    Dims wanted = *shape.numbers;
    const auto open = std::count(wanted.begin(), wanted.end(), kUnknownNumber);
    if (open > 0) {
        // An unknown one is what is left over, where it is the only one.
        const bool only = open == 1 && std::count(wanted.begin(), wanted.end(), -1) == 0;
        std::replace(wanted.begin(), wanted.end(), kUnknownNumber, kUnknown);
        if (!only || !allKnown(*x.dims)) {
            RuleResult outcome = made(std::move(wanted));
            outcome.unknown = "the numbers of " + names[1] + " are not known";
            return outcome;
        }
    }
    return reshaped(names[0], *x.dims, wanted);
}

RuleResult flattenRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto number = view.number("axis", 1);
    if (!x.dims || !number)
        return unknown("axis is not known");
    const auto rank = static_cast<std::int64_t>(x.dims->size());
    const std::int64_t axis = *number < 0 ? *number + rank : *number;
    if (axis < 0 || axis > rank)
        return conflict("axis", "an axis of " + dimsText(*x.dims), std::to_string(*number));
    const auto at = static_cast<std::size_t>(axis);
    return made({productOf(*x.dims, 0, at), productOf(*x.dims, at, x.dims->size())});
}

RuleResult transposeRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto order = view.numbers("perm");
    if (!x.dims || !order)
        return unknown("perm is not known");
    if (order->size() != x.dims->size())
        return conflict("perm", std::to_string(x.dims->size()) + " axes",
                        std::to_string(order->size()));
    Dims result;
    for (const std::int64_t each : *order) {
        const auto axis = axisOf(each, x.dims->size());
        if (!axis)
            return conflict("perm", "axes of " + dimsText(*x.dims), std::to_string(each));
        result.push_back((*x.dims)[*axis]);
    }
    return made(std::move(result));
}

RuleResult expandDimsRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto count = view.numbers("axes");
    if (!x.dims || !count)
        return unknown("axes are not known");
    const auto axes = axesOf(view, x.dims->size() + count->size());
    if (!axes || axes->size() != count->size())
        return conflict("axes", "axes of the result", dimsText(*count));
    Dims result = *x.dims;
    for (const std::size_t axis : *axes)
        result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return made(std::move(result));
}

RuleResult squeezeRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    if (!x.dims)
        return unknown("the shape of " + names.front() + " is not known");
    Dims result = *x.dims;
    if (!view.has("axes")) {
        if (!allKnown(result))
            return unknown("which extents are 1 is not known");
        std::erase(result, 1);
        return made(std::move(result));
    }
    const auto axes = axesOf(view, result.size());
    if (!axes)
        return unknown("axes are not known");
    for (auto axis = axes->rbegin(); axis != axes->rend(); ++axis) {
        if (result[*axis] > 1)
            return conflict(names.front(), "1 on axis " + std::to_string(*axis), dimsText(*x.dims));
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(*axis));
    }
    return made(std::move(result));
}

RuleResult concatRule(const OperationView &view, const Operands &names)
{
    const auto values = view.operands(names.front());
    const auto number = view.number("axis");
    if (values.empty() || !number)
        return unknown("axis is not known");
    Dims result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i].dims)
            return unknown("the shape of an operand is not known");
        const Dims &each = *values[i].dims;
        const auto axis = axisOf(*number, each.size());
        if (!axis || (i > 0 && each.size() != result.size()))
            return conflict(names.front(),
                            i == 0 ? "an axis " + std::to_string(*number)
                                   : std::to_string(result.size()) + " axes",
                            dimsText(each));
        for (std::size_t at = 0; i > 0 && at < each.size(); ++at) {
            if (at == *axis)
                result[at] = plus(result[at], each[at] < 0 ? kUnknown : each[at]);
            else if (result[at] >= 0 && each[at] >= 0 && result[at] != each[at])
                return conflict(names.front(), dimsText(result), dimsText(each));
            else
                result[at] = std::max(result[at], each[at]);
            if (at == *axis && each[at] < 0)
                result[at] = kUnknown;
        }
        if (i == 0)
            result = each;
    }
    return made(std::move(result));
}

RuleResult stackRule(const OperationView &view, const Operands &names)
{
    const auto values = view.operands(names.front());
    const auto number = view.number("axis");
    if (values.empty() || !values.front().dims || !number)
        return unknown("axis or the shape of an operand are not known");
    Dims result = *values.front().dims;
    const auto axis = axisOf(*number, result.size() + 1);
    if (!axis)
        return conflict("axis", "an axis of the result", std::to_string(*number));
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(*axis),
                  static_cast<std::int64_t>(values.size()));
    return made(std::move(result));
}

/// As many outputs as the operation has, of given sizes or of equal ones.
RuleResult splitRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto number = view.number("axis");
    const auto axis = x.dims && number ? axisOf(*number, x.dims->size()) : std::nullopt;
    if (!axis)
        return unknown("axis or the shape of " + names.front() + " are not known");
    const std::size_t count = view.operation().outputs.size();
    auto sizes = view.numbers("split_sizes");
    if (!view.has("split_sizes"))
        sizes = Dims(count, over((*x.dims)[*axis], static_cast<std::int64_t>(count)));
    if (!sizes || sizes->size() != count)
        return unknown("split_sizes are not known");
    RuleResult outcome;
    for (const std::int64_t size : *sizes) {
        Tensor part{x.dims, {}};
        (*part.dims)[*axis] = size < 0 ? kUnknown : size;
        outcome.outputs.push_back(std::move(part));
    }
    return outcome;
}

/// The last axes are padded, before and after each.
RuleResult padRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front()), pad = view.operand("pad");
    if (!x.dims || !pad.numbers)
        return unknown("pad is not known");
    const std::size_t axes = pad.numbers->size() / 2;
    if (pad.numbers->size() % 2 != 0 || axes > x.dims->size())
        return conflict("pad", "two numbers an axis", std::to_string(pad.numbers->size()));
    Dims result = *x.dims;
    for (std::size_t i = 0; i < axes; ++i) {
        std::int64_t &extent = result[result.size() - axes + i];
        for (const std::int64_t more : {(*pad.numbers)[2 * i], (*pad.numbers)[2 * i + 1]})
            extent = more < 0 ? kUnknown : plus(extent, more);
    }
    return made(std::move(result));
}

RuleResult tileRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), reps = view.operand(names[1]);
    if (!x.dims || !reps.numbers || reps.numbers->size() != x.dims->size())
        return unknown("the numbers of " + names[1] + " are not known");
    Dims result = *x.dims;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = times(result[i], std::max(kUnknown, (*reps.numbers)[i]));
    return made(std::move(result));
}

/// Row: x [n, channels, height, width], the operand with the block's size, then "wide" where
/// channels become places of the picture and "deep" where these become channels.
RuleResult blockRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]);
    const auto block = view.number(names[1]);
    if (!x.dims || !block)
        return unknown("the shape of x or " + names[1] + " are not known");
    if (x.dims->size() != 4 || *block <= 0)
        return conflict(names[0], "four axes", dimsText(*x.dims));
    const bool wide = names[2] == "wide";
    const std::int64_t area = times(*block, *block);
    Dims result = *x.dims;
    result[1] = wide ? over(result[1], area) : times(result[1], area);
    for (std::size_t i = 2; i < 4; ++i)
        result[i] = wide ? times(result[i], *block) : over(result[i], *block);
    return made(std::move(result));
}

/// Row: x, the block's shape, and what is padded ("space_to_batch") or cropped ("batch_to_space").
RuleResult batchRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]);
    const auto block = view.numbers(names[1]), edges = view.numbers(names[2]);
    if (!x.dims || !block || !edges)
        return unknown("the shape of x, " + names[1] + " or " + names[2] + " are not known");
    const bool sound =
        std::all_of(edges->begin(), edges->end(), [](auto edge) { return edge >= 0; });
    if (!sound || x.dims->size() != block->size() + 2 || edges->size() != 2 * block->size())
        return conflict(names[0], std::to_string(block->size() + 2) + " axes", dimsText(*x.dims));
    const bool crops = names[2] == "crops";
    const std::int64_t area = productOf(*block, 0, block->size());
    Dims result = *x.dims;
    result[0] = crops ? over(result[0], area) : times(result[0], area);
    for (std::size_t i = 0; i < block->size(); ++i) {
        const std::int64_t edge = plus((*edges)[2 * i], (*edges)[2 * i + 1]);
        std::int64_t &extent = result[i + 2];
        extent =
            crops ? plus(times(extent, (*block)[i]), -edge) : over(plus(extent, edge), (*block)[i]);
        extent = std::max(extent, kUnknown);
    }
    return made(std::move(result));
}

} // namespace kernscope::shapes
