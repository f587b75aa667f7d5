// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/collective_json.h"

#include "core/report/engine_json.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

void addMesh(Json &answer, const decision::Mesh &mesh, std::uint64_t devices)
{
    answer["mesh"] = {{"extents", mesh.extents},
                      {"die_axis", mesh.dieAxis},
                      {"engines_per_die", mesh.enginesPerDie},
                      {"devices", devices}};
}

void addDeviceOfIndex(Json &answer, std::uint64_t index, const std::vector<std::uint64_t> &device)
{
    answer["index"] = {{"index", index}, {"device", device}};
}

void addIndexOfDevice(Json &answer, const std::vector<std::uint64_t> &device, std::uint64_t index)
{
    answer["device"] = {{"device", device}, {"index", index}};
}

void addMembers(Json &answer, const std::vector<std::uint64_t> &members, bool runs)
{
    answer["device"]["members"] = members;
    answer["device"]["runs"] = runs;
}

void addSharding(Json &answer, const std::vector<std::uint64_t> &tensor,
                 const decision::Sharding &sharding)
{
    Json json;
    json["tensor"] = tensor;
    json["valid"] = sharding.valid();
    json["shard"] = sharding.valid() ? Json(sharding.shard) : Json(nullptr);
    json["checks"] = Json::array();
    for (const decision::ShardCheck &check : sharding.checks)
        json["checks"].push_back(
            {{"name", check.name}, {"found", check.found}, {"passes", check.passes}});
    answer["sharding"] = std::move(json);
}

void addAtomic(Json &answer, std::uint32_t reductionType, unsigned operation,
               std::uint32_t dataType, std::uint32_t word)
{
    answer["atomic"] = {{"reduction_type", reductionType},
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
    if (!worked.is_null())
        json.update(worked);
    return json;
}

} // namespace kernscope::report
