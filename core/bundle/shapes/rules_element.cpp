// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"

#include <algorithm>

namespace kernscope::shapes {

namespace {

/// Axes of `x` as a row of flags; nothing where one is unknown or does not exist.
std::optional<std::vector<bool>> reducedAxes(const OperationView &view, std::size_t rank)
{
    if (!view.has("axes"))
        return std::vector<bool>(rank, true);
    const auto axes = view.numbers("axes");
    std::vector<bool> flags(rank, false);
    for (const std::int64_t each : axes.value_or(Dims())) {
        const auto axis = axisOf(each, rank);
        if (!axis)
            return std::nullopt;
        flags[*axis] = true;
    }
    return axes ? std::optional(std::move(flags)) : std::nullopt;
}

} // namespace

/// Every output has the shape of the operand that the row names; of several names, output by
/// output.
RuleResult sameRule(const OperationView &view, const Operands &names)
{
    RuleResult outcome;
    for (const std::string &name : names) {
        const auto values = view.operands(name);
        outcome.outputs.insert(outcome.outputs.end(), values.begin(), values.end());
        if (values.empty())
            outcome.outputs.push_back(view.operand(name));
    }
    for (Tensor &each : outcome.outputs)
        each.numbers.reset();
    return outcome;
}

RuleResult broadcastRule(const OperationView &view, const Operands &names)
{
    Dims result;
    for (const std::string &name : names) {
        const Tensor each = view.operand(name);
        if (!each.dims)
            return unknown("the shape of " + name + " is not known");
        const auto wider = broadcast(result, *each.dims);
        if (!wider)
            return conflict(name, "extents that fit " + dimsText(result), dimsText(*each.dims));
        result = *wider;
    }
    return made(std::move(result));
}

RuleResult reduceRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto keep = view.number("keep_dims", 0);
    const auto axes = x.dims ? reducedAxes(view, x.dims->size()) : std::nullopt;
    if (!axes || !keep)
        return unknown("axes or keep_dims are not known");
    Dims result;
    for (std::size_t i = 0; i < x.dims->size(); ++i) {
        if (!(*axes)[i])
            result.push_back((*x.dims)[i]);
        else if (*keep != 0)
            result.push_back(1);
    }
    return made(std::move(result));
}

RuleResult argumentRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto keep = view.number("keep_dims", 0);
    const auto number = view.number("axis", -1);
    const auto axis = x.dims && number ? axisOf(*number, x.dims->size()) : std::nullopt;
    if (!axis || !keep)
        return unknown("axis or keep_dims are not known");
    Dims result = *x.dims;
    if (*keep != 0)
        result[*axis] = 1;
    else
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(*axis));
    return made(std::move(result));
}

} // namespace kernscope::shapes
