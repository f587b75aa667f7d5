// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "core/report/json.h"

#include <cstdint>
#include <vector>

/// Answers of the arithmetic of chapter 36, as `collective` gives them.
namespace kernscope::report {

/// `mesh`: `{"extents","die_axis","engines_per_die","devices"}`
void addMesh(Json &answer, const decision::Mesh &mesh, std::uint64_t devices);
/// `index`: `{"index","device"}`, the coordinates of the engine of that index.
void addDeviceOfIndex(Json &answer, std::uint64_t index, const std::vector<std::uint64_t> &device);
/// `device`: `{"device","index"}`, to which addMembers() adds which devices a layer has and whether
/// it runs there.
void addIndexOfDevice(Json &answer, const std::vector<std::uint64_t> &device, std::uint64_t index);
void addMembers(Json &answer, const std::vector<std::uint64_t> &members, bool runs);
/// `sharding`: `{"tensor","valid","shard","checks":[{"name","found","passes"}]}`
void addSharding(Json &answer, const std::vector<std::uint64_t> &tensor,
                 const decision::Sharding &sharding);
/// `atomic`: `{"reduction_type","operation","data_type","word"}`
void addAtomic(Json &answer, std::uint32_t reductionType, unsigned operation,
               std::uint32_t dataType, std::uint32_t word);

/// Everything of `collective`: the layer on a chip, and what was worked out, by key; null where
/// nothing was asked.
Json collectiveAnswerJson(const target::Target &target, const Json &worked);

} // namespace kernscope::report
