// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"

#include <algorithm>
#include <cmath>

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
    std::ranges::sort(axes);
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
}

/// begin:end:stride of one axis, with the masks that leave an end open.
struct Range {
    std::optional<std::int64_t> begin, end;
    std::int64_t stride = 1;
    bool fromStart = false, toEnd = false;
};

/// Steps from one place to another.
std::int64_t stepsOver(std::int64_t length, std::int64_t step)
{
    return length <= 0 ? 0 : (length - 1) / step + 1;
}

/// Elements of a range as NumPy counts them.
std::int64_t countOf(const Range &range, std::int64_t extent)
{
    const bool up = range.stride > 0;
    const std::int64_t step = up ? range.stride : -range.stride;
    if (step == 0)
        return kUnknown;
    if (extent < 0) {
        // Two places counted from the end are as far apart whatever the extent: unless it is so
        // small that they are cut back, which a program that runs does not do.
        const bool fromEnd = !range.fromStart && !range.toEnd && range.begin && range.end &&
                             *range.begin < 0 && *range.end < 0;
        return up && fromEnd ? stepsOver(*range.end - *range.begin, step) : kUnknown;
    }
    if ((!range.fromStart && !range.begin) || (!range.toEnd && !range.end))
        return kUnknown;
    const std::int64_t low = up ? 0 : -1, high = up ? extent : extent - 1;
    const auto placed = [&](std::int64_t at) {
        return std::clamp(at < 0 ? at + extent : at, low, high);
    };
    const std::int64_t begin = range.fromStart ? (up ? 0 : high) : placed(*range.begin);
    const std::int64_t end = range.toEnd ? (up ? extent : -1) : placed(*range.end);
    return stepsOver(up ? end - begin : begin - end, step);
}

std::optional<std::int64_t> numberAt(const std::optional<Dims> &numbers, std::size_t index)
{
    if (!numbers || index >= numbers->size() || (*numbers)[index] == kUnknownNumber)
        return std::nullopt;
    return (*numbers)[index];
}

/// Whole places of `extent` times a factor; kUnknown where single precision gives another number
/// than double precision.
std::int64_t scaled(std::int64_t extent, double factor)
{
    if (extent < 0 || !(factor > 0) || factor > 1e6 || extent > (1LL << 31))
        return kUnknown;
    const double exact = std::floor(static_cast<double>(extent) * factor);
    const float rounded = std::floor(static_cast<float>(extent) * static_cast<float>(factor));
    return exact == static_cast<double>(rounded) ? static_cast<std::int64_t>(exact) : kUnknown;
}

RuleResult reshapeRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), shape = view.operand(names[1]);
    const std::string reason = "the numbers of " + names[1] + " are not known";
    if (!shape.numbers || !x.dims) {
        // Their number is known as soon as that of the shape's elements is.
        if (shape.dims && shape.dims->size() == 1 && shape.dims->front() >= 0 &&
            shape.dims->front() <= 16) {
            return made(Dims(static_cast<std::size_t>(shape.dims->front()), kUnknown), reason);
        }
        return unknown(reason);
    }
    Dims wanted = *shape.numbers;
    const auto open = std::ranges::count(wanted, kUnknownNumber);
    if (open > 0) {
        // An unknown one is what is left over, where it is the only one.
        const bool only = open == 1 && std::ranges::count(wanted, -1) == 0;
        std::ranges::replace(wanted, kUnknownNumber, kUnknown);
        if (!only || !allKnown(*x.dims)) {
            return made(std::move(wanted), reason);
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
    const bool sound = std::ranges::all_of(*edges, [](auto edge) { return edge >= 0; });
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

// Slices, windows, gathered and selected elements, pictures of another size.

RuleResult sliceByIndexRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    if (!x.dims)
        return unknown("the shape of " + names.front() + " is not known");
    const std::size_t rank = x.dims->size();
    const auto begin = view.operand("begin").numbers, end = view.operand("end").numbers;
    const auto stride = view.numbers("stride", rank, 1);
    const auto beginMask = view.numbers("begin_mask", rank, 0);
    const auto endMask = view.numbers("end_mask", rank, 0);
    const auto squeezeMask = view.numbers("squeeze_mask", rank, 0);
    if (!stride || !beginMask || !endMask || !squeezeMask)
        return unknown("its masks or strides are not known");
    RuleResult outcome = made({});
    for (std::size_t i = 0; i < rank; ++i) {
        if ((*squeezeMask)[i] != 0)
            continue;
        const Range range{numberAt(begin, i), numberAt(end, i), (*stride)[i], (*beginMask)[i] != 0,
                          (*endMask)[i] != 0};
        outcome.outputs.front().dims->push_back(countOf(range, (*x.dims)[i]));
        if (outcome.outputs.front().dims->back() < 0)
            outcome.unknown = "the numbers of begin or end are not known";
    }
    return outcome;
}

RuleResult sliceBySizeRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto begin = view.operand("begin").numbers, size = view.operand("size").numbers;
    if (!x.dims || !size || size->size() != x.dims->size())
        return unknown("the numbers of size are not known");
    RuleResult outcome = made({});
    for (std::size_t i = 0; i < size->size(); ++i) {
        const auto from = numberAt(begin, i), wanted = numberAt(size, i);
        const std::int64_t extent = (*x.dims)[i];
        std::int64_t count = wanted.value_or(kUnknown);
        if (wanted == -1)
            count = from && extent >= 0 ? (*from < 0 ? -*from : extent - *from) : kUnknown;
        outcome.outputs.front().dims->push_back(std::max(count, kUnknown));
        if (count < 0)
            outcome.unknown = "the numbers of begin or size are not known";
    }
    return outcome;
}

/// The axis becomes the number of windows and their size.
RuleResult slidingWindowsRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto number = view.number("axis"), size = view.number("size");
    const auto stride = view.number("stride", 1);
    const auto axis = x.dims && number ? axisOf(*number, x.dims->size()) : std::nullopt;
    if (!axis || !size || !stride || *size <= 0 || *stride <= 0)
        return unknown("axis, size or stride are not known");
    Dims result = *x.dims;
    std::int64_t &extent = result[*axis];
    if (extent >= 0 && extent < *size)
        return conflict(names.front(), "at least " + std::to_string(*size), dimsText(*x.dims));
    extent = extent < 0 ? kUnknown : (extent - *size) / *stride + 1;
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, *size);
    return made(std::move(result));
}

RuleResult gatherRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), indices = view.operand(names[1]);
    const auto number = view.number("axis", 0), batch = view.number("batch_dims", 0);
    const auto axis = x.dims && number ? axisOf(*number, x.dims->size()) : std::nullopt;
    if (!axis || !indices.dims || !batch)
        return unknown("axis or the shape of " + names[1] + " are not known");
    if (*batch < 0 || *batch > static_cast<std::int64_t>(std::min(*axis, indices.dims->size())))
        return conflict("batch_dims", "at most " + std::to_string(*axis), std::to_string(*batch));
    Dims result(x.dims->begin(), x.dims->begin() + static_cast<std::ptrdiff_t>(*axis));
    result.insert(result.end(), indices.dims->begin() + *batch, indices.dims->end());
    result.insert(result.end(), x.dims->begin() + static_cast<std::ptrdiff_t>(*axis) + 1,
                  x.dims->end());
    return made(std::move(result));
}

RuleResult gatherNdRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), indices = view.operand(names[1]);
    const auto batch = view.number("batch_dims", 0);
    if (!x.dims || !indices.dims || indices.dims->empty() || indices.dims->back() < 0 || !batch)
        return unknown("batch_dims or the shape of " + names[1] + " are not known");
    const std::int64_t taken = plus(*batch, indices.dims->back());
    if (*batch < 0 || taken < 0 || taken > static_cast<std::int64_t>(x.dims->size()))
        return conflict(names[1], "indices of " + dimsText(*x.dims), dimsText(*indices.dims));
    Dims result(indices.dims->begin(), indices.dims->end() - 1);
    result.insert(result.end(), x.dims->begin() + taken, x.dims->end());
    return made(std::move(result));
}

RuleResult topkRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto number = view.number("axis", -1), count = view.number("k", 1);
    const auto axis = x.dims && number ? axisOf(*number, x.dims->size()) : std::nullopt;
    if (!axis || !count)
        return unknown("axis or k are not known");
    Dims result = *x.dims;
    // -1 takes them all (iOS 16).
    if (*count >= 0)
        result[*axis] = *count;
    RuleResult outcome = made(result);
    outcome.outputs.push_back({std::move(result), {}});
    return outcome;
}

/// Row: boxes [n, boxes, 4], scores [n, boxes, classes]; since iOS 17, which has no threshold of
/// scores, with the last two axes exchanged and without the number of boxes.
RuleResult suppressionRule(const OperationView &view, const Operands &names)
{
    const Tensor boxes = view.operand(names[0]), scores = view.operand(names[1]);
    const auto most = view.number("max_boxes");
    if (!boxes.dims || !scores.dims || !most)
        return unknown("max_boxes or the shape of " + names[1] + " are not known");
    if (boxes.dims->size() != 3 || scores.dims->size() != 3)
        return conflict(names[0], "three axes", dimsText(*boxes.dims));
    const std::int64_t n = scores.dims->front();
    const bool boxesLast = !view.has("score_threshold");
    RuleResult outcome = made(boxesLast ? Dims{n, 4, *most} : Dims{n, *most, 4});
    outcome.outputs.push_back(
        {boxesLast ? Dims{n, (*scores.dims)[1], *most} : Dims{n, *most, scores.dims->back()}, {}});
    outcome.outputs.push_back({Dims{n, *most}, {}});
    outcome.outputs.push_back({Dims{n}, {}});
    return outcome;
}

/// Row: x and the factors of its last two axes.
RuleResult upsampleRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]);
    if (!x.dims || x.dims->size() < 2)
        return unknown("the shape of " + names[0] + " is not known");
    Dims result = *x.dims;
    bool known = true;
    for (std::size_t i = 1; i < 3; ++i) {
        const auto factor = view.has(names[i]) ? view.real(names[i]) : 1.0;
        std::int64_t &extent = result[result.size() - 3 + i];
        const bool given = extent >= 0;
        extent = factor ? scaled(extent, *factor) : kUnknown;
        known = known && (!given || extent >= 0);
    }
    return made(std::move(result), known ? "" : "its factors are not known");
}

/// Row: x and the extents of its last two axes; `resize` has them in one operand, whose last
/// `resized_dims` elements are those of the last axes (0: as in x).
RuleResult resizeRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]);
    if (!x.dims || x.dims->size() < 2)
        return unknown("the shape of " + names[0] + " is not known");
    Dims result = *x.dims;
    if (names.size() == 2) {
        const auto target = view.operand(names[1]).numbers;
        const auto axes = view.number("resized_dims");
        const auto rank = static_cast<std::int64_t>(result.size());
        if (!target || !axes || *axes < 0 || *axes > rank ||
            *axes > static_cast<std::int64_t>(target->size()))
            return unknown("the numbers of " + names[1] + " are not known");
        const auto count = static_cast<std::size_t>(*axes);
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t wanted = (*target)[target->size() - count + i];
            std::int64_t &extent = result[result.size() - count + i];
            extent = wanted == 0 ? extent : std::max(wanted, kUnknown);
        }
        return made(std::move(result));
    }
    for (std::size_t i = 1; i < 3; ++i) {
        const auto extent = view.number(names[i], 1);
        if (!extent || *extent < 0)
            return unknown("the number of " + names[i] + " is not known");
        result[result.size() - 3 + i] = *extent;
    }
    return made(std::move(result));
}

/// Row: x [n, channels, height, width], coordinates [n, height, width, 2].
RuleResult resampleRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), places = view.operand(names[1]);
    if (!x.dims || !places.dims)
        return unknown("the shape of " + names[x.dims ? 1 : 0] + " is not known");
    if (x.dims->size() != 4 || places.dims->size() != 4)
        return conflict(names[0], "four axes", dimsText(*x.dims));
    return made({(*x.dims)[0], (*x.dims)[1], (*places.dims)[1], (*places.dims)[2]});
}

constexpr NamedRule kLayoutRules[] = {
    {"reshape", reshapeRule},
    {"flatten", flattenRule},
    {"transpose", transposeRule},
    {"expand_dims", expandDimsRule},
    {"squeeze", squeezeRule},
    {"concat", concatRule},
    {"stack", stackRule},
    {"split", splitRule},
    {"pad", padRule},
    {"tile", tileRule},
    {"block", blockRule},
    {"batch", batchRule},
    {"slice_by_index", sliceByIndexRule},
    {"slice_by_size", sliceBySizeRule},
    {"sliding_windows", slidingWindowsRule},
    {"gather", gatherRule},
    {"gather_nd", gatherNdRule},
    {"topk", topkRule},
    {"suppression", suppressionRule},
    {"upsample", upsampleRule},
    {"resize", resizeRule},
    {"resample", resampleRule},
};

} // namespace

std::span<const NamedRule> layoutRules()
{
    return kLayoutRules;
}

} // namespace kernscope::shapes
