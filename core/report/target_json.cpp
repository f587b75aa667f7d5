// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chip_json.h"
#include "core/report/chip_table.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

namespace kernscope::report {

Json figureJson(const target::ChosenFigure &figure)
{
    Json json;
    json["value"] = optionalJson(figure.value);
    json["source"] = figure.source;
    json["confidence"] = format::confidenceName(figure.confidence);
    json["contested"] = figure.contested;
    return json;
}

Json targetJson(const target::Target &target)
{
    return jsonObject(chipTable(), &target);
}

Json chosenTargetJson(const target::Target &target, const target::TargetChoice &choice,
                      const target::NamedTarget *named)
{
    Json json;
    json["name"] = target.name;
    json["silicon"] = target.silicon;
    if (const auto cores = target::cores(target, choice))
        json["cores"] = figureJson(*cores);
    if (const auto version = target::descriptorVersion(target, choice))
        json["descriptor_version"] = figureJson(*version);
    json["others"] = Json::array();
    if (!named)
        return json;
    if (!named->source.empty())
        json["named_by"] = named->source;
    for (const auto &other : named->others) {
        Json row;
        row["name"] = other.target->name;
        row["source"] = other.source;
        json["others"].push_back(std::move(row));
    }
    return json;
}

} // namespace kernscope::report
