// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

/// What an operation that reads a weight does with it, by its type and operand.
namespace kernscope {

inline bool isConvolution(const Consumer &consumer)
{
    return consumer.op == "conv" || consumer.op == "conv_transpose";
}

inline bool isRecurrent(const Consumer &consumer)
{
    return consumer.op == "lstm" || consumer.op == "gru" || consumer.op == "rnn";
}

inline bool isGather(const Consumer &consumer)
{
    return consumer.op.starts_with("gather");
}

/// Multiplies with the weight: as the kernel of a convolution, a matrix, or a gate of a recurrence.
inline bool hasKernel(const Consumer &consumer)
{
    if (isConvolution(consumer) || consumer.op == "linear")
        return consumer.param == "weight";
    if (isRecurrent(consumer))
        return consumer.param.starts_with("weight_");
    if (consumer.op == "einsum")
        return consumer.param == "values";
    return consumer.op == "matmul" && (consumer.param == "x" || consumer.param == "y");
}

inline bool isAttention(const Consumer &consumer)
{
    return consumer.op == "scaled_dot_product_attention" &&
           (consumer.param == "query" || consumer.param == "key" || consumer.param == "value");
}

/// Reads the weight as a layer of its own: with a kernel, as an attention does, or row by row as an
/// embedding does.
inline bool isLayer(const Consumer &consumer)
{
    return hasKernel(consumer) || isAttention(consumer) ||
           (isGather(consumer) && consumer.param == "x");
}

/// What a view shows of an operation that reads several weights: one that it multiplies with, else
/// the largest; kNoIndex of none.
std::size_t leadingWeight(const Bundle &bundle, std::span<const std::size_t> weights);

/// Why no constexpr operation may make the weight, because of its consumers; empty where one may
/// (resources/tables/weight_operands.csv).
std::string uncompressibleNote(const Weight &weight);

/// Whether the operation reads the weight in another shape, or other order, than it is stored in.
inline bool isReshaped(const Consumer &consumer)
{
    for (const std::string &operation : consumer.via) {
        if (operation != "cast")
            return true;
    }
    return false;
}

} // namespace kernscope
