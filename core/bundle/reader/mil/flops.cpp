// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/consumers.h"
#include "core/bundle/weight.h"

#include <algorithm>

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

/// Steps times batch of a recurrent layer: its x is [steps, batch, inputs].
Count recurrentSteps(const std::optional<Shape> &input)
{
    if (!input || input->empty() || input->back() == 0)
        return std::nullopt;
    return product(Shape(input->begin(), input->end() - 1));
}

bool isRecurrent(const Consumer &consumer)
{
    return (consumer.op == "lstm" || consumer.op == "gru" || consumer.op == "rnn") &&
           consumer.param.starts_with("weight_");
}

/// Adds the letters of one operand; false where they do not name its extents.
bool readLetters(std::string_view letters, const Shape &shape, std::map<char, std::uint64_t> &sizes)
{
    if (letters.size() != shape.size())
        return false;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const bool letter =
            (letters[i] >= 'a' && letters[i] <= 'z') || (letters[i] >= 'A' && letters[i] <= 'Z');
        const auto [at, isNew] = sizes.try_emplace(letters[i], shape[i]);
        // An extent of 1 is broadcast over the other operand's.
        if (!letter || (!isNew && at->second != shape[i] && at->second != 1 && shape[i] != 1))
            return false;
        at->second = std::max(at->second, shape[i]);
    }
    return true;
}

} // namespace

std::optional<std::uint64_t> einsumFlops(std::string_view equation,
                                         const std::vector<Shape> &operands)
{
    std::string text(equation);
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    std::string_view left = std::string_view(text).substr(0, arrow);
    std::map<char, std::uint64_t> sizes;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::size_t comma = left.find(',');
        if ((comma == std::string_view::npos) != (i + 1 == operands.size()) ||
            !readLetters(left.substr(0, comma), operands[i], sizes))
            return std::nullopt;
        left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
    }
    Count flops = operands.size() < 2 ? std::nullopt : Count(2);
    for (const auto &[letter, size] : sizes)
        flops = times(flops, size);
    return flops;
}

std::optional<std::uint64_t> attentionFlops(std::string_view param, const Shape &query,
                                            const Shape &key, const Shape &value)
{
    const std::size_t rank = query.size();
    if (rank < 2 || key.size() != rank || value.size() != rank ||
        query[rank - 1] != key[rank - 1] || key[rank - 2] != value[rank - 2])
        return std::nullopt;
    if (param != "query" && param != "key" && param != "value")
        return 0;
    Count flops = times(2, query[rank - 2]);
    flops = times(flops, key[rank - 2]);
    flops = times(flops, param == "value" ? value[rank - 1] : key[rank - 1]);
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        const std::uint64_t most = std::max({query[i], key[i], value[i]});
        for (const std::uint64_t each : {query[i], key[i], value[i]}) {
            if (each != most && each != 1) // an extent of 1 is broadcast
                return std::nullopt;
        }
        flops = times(flops, most);
    }
    return flops;
}

std::optional<std::uint64_t> layerFlops(const Consumer &consumer, const mil::ValueType *weight)
{
    if (!isRecurrent(consumer))
        return consumer.flops;
    const auto shape = weight && weight->isTensor() ? weight->shape() : std::nullopt;
    return times(times(2, product(shape)), recurrentSteps(consumer.geometry.input));
}

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
