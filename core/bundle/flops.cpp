// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/consumers.h"

namespace kernscope {

namespace {

using Count = std::optional<std::uint64_t>;

Count times(Count a, Count b)
{
    return a && b ? checkedMultiply(*a, *b) : std::nullopt;
}

Count product(const std::optional<Shape> &shape)
{
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    return count ? Count(count->value) : std::nullopt;
}

/// Two for each element of `over`, input channel of the group and place of the kernel.
Count convolution(const std::optional<Shape> &over, const Shape &weight)
{
    if (weight.size() < 2)
        return std::nullopt;
    return times(times(2, product(over)), product(Shape(weight.begin() + 1, weight.end())));
}

/// The extent that is summed over lies in the weight's last two axes.
Count matmulDepth(const Consumer &consumer, const Shape &weight)
{
    if (weight.empty())
        return std::nullopt;
    if (weight.size() == 1)
        return weight[0];
    const bool isX = consumer.param == "x";
    const bool transposed = isX ? consumer.geometry.transposeX : consumer.geometry.transposeY;
    return weight[weight.size() - (isX != transposed ? 1 : 2)];
}

} // namespace

std::optional<std::uint64_t> consumerFlops(const Consumer &consumer, const mil::ValueType *weight)
{
    const auto shape = weight && weight->isTensor() ? weight->shape() : std::nullopt;
    const ConsumerGeometry &geometry = consumer.geometry;
    const bool isWeight = consumer.param == "weight";
    if (consumer.op == "conv" && isWeight)
        return shape ? convolution(geometry.output, *shape) : std::nullopt;
    if (consumer.op == "conv_transpose" && isWeight)
        return shape ? convolution(geometry.input, *shape) : std::nullopt;
    if (consumer.op == "linear" && isWeight)
        return shape && !shape->empty() ? times(times(2, product(geometry.output)), shape->back())
                                        : std::nullopt;
    if (consumer.op == "matmul" && (consumer.param == "x" || consumer.param == "y"))
        return shape ? times(times(2, product(geometry.output)), matmulDepth(consumer, *shape))
                     : std::nullopt;
    return 0;
}

} // namespace kernscope
