// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/value_graph.h"

namespace kernscope {

/// True for cast, reshape, transpose, expand_dims and squeeze.
bool passesThrough(std::string_view type);

/// The ops that read an output of the op numbered `operation`, in program order, seen through
/// cast, reshape, transpose, expand_dims and squeeze and through the inputs of loop bodies. Other
/// constexpr ops are no consumers.
std::vector<Consumer> findConsumers(const ValueGraph &graph, std::size_t operation);

/// One consumer: how the op numbered `operation` uses a value of type `weight` as its `param`; of
/// an operand that is a list the value is the one at `place` of it.
Consumer describeConsumer(const ValueGraph &graph, std::size_t operation, std::string_view param,
                          const mil::ValueType *weight, std::size_t place = 0);

/// Multiplications and additions that a consumer spends on the weight
/// (resources/formats/programs.md): 0 for ops and operands that are not counted, nothing where an
/// extent is unknown.
std::optional<std::uint64_t> consumerFlops(const Consumer &consumer, const mil::ValueType *weight);

/// The shapes of the operands that an einsum multiplies, in the equation's order; nothing where one
/// is unknown or has other extents than numbers.
std::optional<std::vector<Shape>> einsumShapes(const ValueGraph &graph,
                                               const mil::Operation &operation);
/// Multiplications and additions of an einsum: twice the product of the extents of all letters of
/// the equation ("nchw,nwhu->nchu"). Nothing where equation and shapes do not match.
std::optional<std::uint64_t> einsumFlops(std::string_view equation,
                                         const std::vector<Shape> &operands);
/// Multiplications and additions of a scaled_dot_product_attention in the product that `param` is
/// part of: of "query" and "key" their scores, 2 x batch x L x S x E; of "value" the sums by the
/// scores, 2 x batch x L x S x EV; 0 of any other operand. Nothing where the shapes do not match.
std::optional<std::uint64_t> attentionFlops(std::string_view param, const Shape &query,
                                            const Shape &key, const Shape &value);
/// Consumer::layerFlops of every other operation. A recurrent layer multiplies each of its weights
/// once a step and batch: 2 x elements x (elements of x / its last extent).
std::optional<std::uint64_t> layerFlops(const Consumer &consumer, const mil::ValueType *weight);

} // namespace kernscope
