// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/weights/axis_map.h"

#include "core/base/quantity.h"
#include "core/container/mil/literal_integers.h"
#include "core/form/operand_place.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace kernscope {

namespace {

/// The integers of a constant operand, negative axes counted from the end of `rank`.
std::optional<std::vector<std::size_t>> axesOf(const ValueGraph &graph,
                                               const mil::Operation &operation,
                                               std::string_view name, std::size_t rank)
{
    const mil::ProgramValue *value = operation.operand(name);
    const mil::ProgramValue *constant = value ? graph.constant(*value) : nullptr;
    const mil::Literal *literal = constant ? constant->literal() : nullptr;
    if (!literal || literal->count > rank)
        return std::nullopt;
    std::vector<std::size_t> axes;
    for (const std::int64_t axis : literalIntegers(*literal)) {
        const auto extent = static_cast<std::int64_t>(rank);
        if (axis < -extent || axis >= extent)
            return std::nullopt;
        axes.push_back(static_cast<std::size_t>(axis < 0 ? axis + extent : axis));
    }
    return axes;
}

std::optional<Shape> shapeIn(const mil::ValueType *type)
{
    return type && type->isTensor() ? type->shape() : std::nullopt;
}

AxisMap transposed(const std::vector<std::size_t> &order, const AxisMap &before)
{
    AxisMap after;
    for (const std::size_t axis : order)
        after.push_back(before[axis]);
    return after.size() == before.size() ? after : AxisMap();
}

AxisMap expanded(std::vector<std::size_t> axes, const AxisMap &before)
{
    std::sort(axes.begin(), axes.end());
    AxisMap after = before;
    for (const std::size_t axis : axes) {
        if (axis > after.size())
            return {};
        after.insert(after.begin() + static_cast<std::ptrdiff_t>(axis), kNoIndex);
    }
    return after;
}

/// Without `axes`, or without all axes of extent 1.
AxisMap squeezed(const std::optional<std::vector<std::size_t>> &axes, const Shape &from,
                 const AxisMap &before)
{
    AxisMap after;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const bool left =
            axes ? std::find(axes->begin(), axes->end(), i) == axes->end() : from[i] != 1;
        if (left)
            after.push_back(before[i]);
    }
    return after;
}

} // namespace

AxisMap sameAxes(std::size_t rank)
{
    AxisMap axes(rank);
    for (std::size_t i = 0; i < rank; ++i)
        axes[i] = i;
    return axes;
}

AxisMap axesOfReshape(const Shape &from, const Shape &to, const AxisMap &before)
{
    AxisMap after(to.size(), kNoIndex);
    std::size_t i = 0, o = 0;
    while (i < from.size() && o < to.size()) {
        // A run of axes on either side with the same product.
        const std::size_t firstIn = i, firstOut = o;
        std::uint64_t in = from[i++], out = to[o++];
        while (in != out) {
            std::uint64_t &less = in < out ? in : out;
            const bool takesIn = in < out;
            if (takesIn ? i == from.size() : o == to.size())
                return {}; // not the same number of elements
            const auto product = checkedMultiply(less, takesIn ? from[i++] : to[o++]);
            if (!product)
                return {};
            less = *product;
        }
        std::size_t stored = kNoIndex;
        for (std::size_t axis = firstIn; axis < i && stored == kNoIndex; ++axis)
            stored = from[axis] > 1 ? before[axis] : kNoIndex;
        for (std::size_t axis = firstOut; axis < o; ++axis)
            after[axis] = to[axis] > 1 ? stored : kNoIndex;
    }
    return after;
}

AxisMap axesThrough(const ValueGraph &graph, const mil::Operation &operation,
                    const mil::ValueType *from, const mil::ValueType *to, const AxisMap &before)
{
    const auto in = shapeIn(from), out = shapeIn(to);
    const std::size_t rank = to && to->isTensor() ? to->dims.size() : 1;
    const AxisMap none(std::max<std::size_t>(rank, 1), kNoIndex);
    if (operation.type == "cast")
        return before;
    if (!in || in->size() != before.size())
        return none;
    AxisMap after;
    if (operation.type == "transpose") {
        if (const auto order = axesOf(graph, operation, "perm", in->size()))
            after = transposed(*order, before);
    } else if (operation.type == "expand_dims") {
        if (const auto axes = out ? axesOf(graph, operation, "axes", out->size()) : std::nullopt)
            after = expanded(*axes, before);
    } else if (operation.type == "squeeze") {
        const auto axes = axesOf(graph, operation, "axes", in->size());
        if (axes || operation.operand("axes") == nullptr)
            after = squeezed(axes, *in, before);
    } else if (operation.type == "reshape" && out) {
        after = axesOfReshape(*in, *out, before);
    }
    return out && out->size() == after.size() ? after : none;
}

} // namespace kernscope
