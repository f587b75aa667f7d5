// SPDX-License-Identifier: GPL-3.0-or-later
// Slices, windows, gathered and selected elements, pictures of another size.
#include "core/bundle/shapes/rules.h"

#include <algorithm>
#include <cmath>

namespace kernscope::shapes {

namespace {

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

} // namespace

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
    RuleResult outcome = made(std::move(result));
    if (!known)
        outcome.unknown = "its factors are not known";
    return outcome;
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

} // namespace kernscope::shapes
