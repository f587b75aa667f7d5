// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "core/report/json.h"

#include <cstdint>
#include <vector>

/// Answers of the arithmetic of chapter 36, as `collective` gives them.
namespace kernscope::report {

/// `{"extents","die_axis","engines_per_die","devices"}`
Json meshJson(const decision::Mesh &mesh, std::uint64_t devices);
/// `{"tensor","valid","shard","checks":[{"name","found","passes"}]}`
Json shardingJson(const std::vector<std::uint64_t> &tensor, const decision::Sharding &sharding);
/// `{"reduction_type","operation","data_type","word"}`
Json atomicJson(std::uint32_t reductionType, unsigned operation, std::uint32_t dataType,
                std::uint32_t word);

} // namespace kernscope::report
