// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/collective_json.h"

#include "core/report/engine_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

Json meshJson(const decision::Mesh &mesh, std::uint64_t devices)
{
    return {{"extents", mesh.extents},
            {"die_axis", mesh.dieAxis},
            {"engines_per_die", mesh.enginesPerDie},
            {"devices", devices}};
}

Json deviceOfIndexJson(std::uint64_t index, const std::vector<std::uint64_t> &device)
{
    return {{"index", index}, {"device", device}};
}

Json indexOfDeviceJson(const std::vector<std::uint64_t> &device, std::uint64_t index)
{
    return {{"device", device}, {"index", index}};
}

void addMembers(Json &device, const std::vector<std::uint64_t> &members, bool runs)
{
    device["members"] = members;
    device["runs"] = runs;
}

Json shardingJson(const std::vector<std::uint64_t> &tensor, const decision::Sharding &sharding)
{
    Json json;
    json["tensor"] = tensor;
    json["valid"] = sharding.valid();
    json["shard"] = sharding.valid() ? Json(sharding.shard) : Json(nullptr);
    json["checks"] = Json::array();
    for (const decision::ShardCheck &check : sharding.checks)
        json["checks"].push_back(
            {{"name", check.name}, {"found", check.found}, {"passes", check.passes}});
    return json;
}

Json atomicJson(std::uint32_t reductionType, unsigned operation, std::uint32_t dataType,
                std::uint32_t word)
{
    return {{"reduction_type", reductionType},
            {"operation", operation},
            {"data_type", dataType},
            {"word", fmt::format("{:#x}", word)}};
}

Json collectiveAnswerJson(const target::Target &target, const Json &worked)
{
    Json json = document("collective");
    json["target"] = target.name;
    json["confidence"] = "decoded, not measured";
    json["collective"] = collectiveJson(target);
    json.update(worked);
    return json;
}

} // namespace kernscope::report
