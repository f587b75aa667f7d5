// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/bundle/value_graph.h"

#include <string_view>
#include <vector>

namespace kernscope {

/// The ops that read an output of the op numbered `operation`, in program order, seen through
/// cast, reshape, transpose, expand_dims and squeeze and through the inputs of loop bodies. Other
/// constexpr ops are no consumers.
std::vector<Consumer> findConsumers(const ValueGraph &graph, std::size_t operation);

/// One consumer: how the op numbered `operation` uses a value of type `weight` as its `param`.
Consumer describeConsumer(const ValueGraph &graph, std::size_t operation, std::string_view param,
                          const mil::ValueType *weight);

/// Multiplications and additions that a consumer spends on the weight (mil-format.md, section 5):
/// 0 for ops and operands that are not counted, nothing where an extent is unknown.
std::optional<std::uint64_t> consumerFlops(const Consumer &consumer, const mil::ValueType *weight);

} // namespace kernscope
