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
/// `{"index","device"}`: the coordinates of the engine of that index.
Json deviceOfIndexJson(std::uint64_t index, const std::vector<std::uint64_t> &device);
/// `{"device","index"}`, to which addMembers() adds which devices a layer has and whether it runs
/// there.
Json indexOfDeviceJson(const std::vector<std::uint64_t> &device, std::uint64_t index);
void addMembers(Json &device, const std::vector<std::uint64_t> &members, bool runs);
/// `{"tensor","valid","shard","checks":[{"name","found","passes"}]}`
Json shardingJson(const std::vector<std::uint64_t> &tensor, const decision::Sharding &sharding);
/// `{"reduction_type","operation","data_type","word"}`
Json atomicJson(std::uint32_t reductionType, unsigned operation, std::uint32_t dataType,
                std::uint32_t word);

/// Everything of `collective`: the layer on a chip, and what was worked out, by key.
Json collectiveAnswerJson(const target::Target &target, const Json &worked);

} // namespace kernscope::report
