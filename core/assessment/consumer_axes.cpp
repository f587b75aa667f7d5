// SPDX-License-Identifier: GPL-3.0-or-later
// The axes of a weight that an operation takes its channels from.
#include "core/assessment/einsum.h"
#include "core/assessment/weight_facts.h"
#include "core/bundle/weight.h"

#include <algorithm>
#include <string>
#include <vector>

namespace kernscope {

namespace {

/// The longest axis of a weight whose letter passes, the first of equal ones; kNoIndex for none.
template <class Passes>
std::size_t longest(const std::string &letters, const Shape &shape, const Passes &passes)
{
    std::size_t best = kNoIndex;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        if (passes(letters[i]) && (best == kNoIndex || shape[i] > shape[best]))
            best = i;
    }
    return best;
}

/// A letter of the output that no other operand has is one of output channels; one that is not in
/// the output is summed over; one of both operands and the output counts outputs apart.
std::optional<ChannelAxes> einsumAxes(const ConsumerGeometry &geometry, const Shape &shape)
{
    const auto equation = equationOf(geometry.equation);
    if (!equation || geometry.operand >= equation->operands.size())
        return std::nullopt;
    const std::string &own = equation->operands[geometry.operand];
    if (own.size() != shape.size())
        return std::nullopt;
    const auto inOutput = [&](char letter) {
        return equation->output.find(letter) != std::string::npos;
    };
    const auto shared = [&](char letter) {
        for (std::size_t i = 0; i < equation->operands.size(); ++i) {
            if (i != geometry.operand && equation->operands[i].find(letter) != std::string::npos)
                return true;
        }
        return false;
    };
    ChannelAxes axes;
    while (axes.batches < own.size() && inOutput(own[axes.batches]) && shared(own[axes.batches]))
        ++axes.batches;
    axes.output =
        longest(own, shape, [&](char letter) { return inOutput(letter) && !shared(letter); });
    if (axes.output == kNoIndex) // one output for all that is summed over
        axes.output = longest(own, shape, inOutput);
    if (axes.output == kNoIndex)
        axes.output = 0;
    axes.input = longest(own, shape, [&](char letter) { return !inOutput(letter); });
    if (axes.input == kNoIndex)
        axes.input = axes.output;
    axes.batches = std::min(axes.batches, axes.output);
    return axes;
}

/// The weight's extents as the operation sees them; 1 where that is not known.
Shape seenShape(const Weight &weight, const std::vector<std::size_t> &map)
{
    if (map.empty())
        return weight.shape;
    Shape seen;
    for (const std::size_t axis : map)
        seen.push_back(axis < weight.shape.size() ? weight.shape[axis] : 1);
    return seen;
}

/// Of the weight as the operation sees it.
ChannelAxes seenAxes(const Consumer &consumer, const Shape &shape)
{
    const std::size_t rank = shape.size();
    const ConsumerGeometry &geometry = consumer.geometry;
    if (consumer.op == "conv_transpose")
        return {1, 0, 0, geometry.groups};
    if (consumer.op == "einsum")
        return einsumAxes(geometry, shape).value_or(ChannelAxes{0, 1});
    if (consumer.op.starts_with("gather") && geometry.axis < rank)
        return {geometry.axis, geometry.axis == 0 ? 1 : geometry.axis - 1};
    const bool attention = consumer.op == "scaled_dot_product_attention";
    bool outputsFirst = consumer.param != "value"; // of attention: rows of query and key
    if (consumer.op == "matmul")
        outputsFirst = consumer.param == "x" ? !geometry.transposeX : geometry.transposeY;
    else if (!attention)
        return {0, 1};
    return outputsFirst ? ChannelAxes{rank - 2, rank - 1, rank - 2, 1}
                        : ChannelAxes{rank - 1, rank - 2, rank - 2, 1};
}

/// The axes of the stored weight, where the operation reads it through transpose or its like.
ChannelAxes storedAxes(const ChannelAxes &seen, const std::vector<std::size_t> &map)
{
    const auto of = [&map](std::size_t axis) { return axis < map.size() ? map[axis] : kNoIndex; };
    ChannelAxes axes{0, 1, 0, seen.groups};
    if (of(seen.output) == kNoIndex)
        return axes;
    axes.output = of(seen.output);
    axes.input = of(seen.input) == kNoIndex ? axes.output : of(seen.input);
    bool leading = seen.batches <= axes.output;
    for (std::size_t i = 0; i < seen.batches; ++i)
        leading = leading && of(i) == i;
    axes.batches = leading ? seen.batches : 0;
    return axes;
}

} // namespace

ChannelAxes channelAxes(const Weight &weight, const Consumer &consumer)
{
    const auto &map = consumer.geometry.storedAxes;
    const Shape shape = seenShape(weight, map);
    if (weight.shape.size() < 2 || shape.size() < 2)
        return {};
    const ChannelAxes seen = seenAxes(consumer, shape);
    return map.empty() ? seen : storedAxes(seen, map);
}

} // namespace kernscope
