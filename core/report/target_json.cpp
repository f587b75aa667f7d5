// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chip_json.h"
#include "core/report/json_values.h"

namespace kernscope::report {

namespace {

Json claimsJson(const target::Target &target)
{
    Json facts = Json::object();
    for (const char *fact : {"cores", "descriptor_version", "hardware_version", "family",
                             "family_index", "cpusubtype"}) {
        for (const target::Claim &claim : target::claims(target, fact)) {
            Json row;
            row["value"] = claim.value;
            row["default"] = claim.byDefault;
            row["source"] = claim.source;
            row["confidence"] = format::confidenceName(claim.confidence);
            if (!claim.note.empty())
                row["note"] = claim.note;
            facts[fact].push_back(std::move(row));
        }
    }
    return facts;
}

} // namespace

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
    Json json;
    json["name"] = target.name;
    json["kind"] = target.kind;
    json["since"] = target.since;
    json["aliases"] = target.aliases;
    json["silicon"] = target.silicon;
    json["family"] = target.family.empty() ? Json(nullptr) : Json(target.family);
    json["family_index"] = optionalJson(target.familyIndex);
    json["hardware_version"] = optionalJson(target.hardwareVersion);
    json["cpusubtype"] = optionalJson(target.cpuSubtype);
    json["descriptor_version"] = optionalJson(target.descriptorVersion);
    json["cores"] = optionalJson(target.cores);
    if (const auto *bucket = target.cores ? target::deviceBucket(*target.cores) : nullptr) {
        json["device_bucket"] = bucket->bucket;
        json["device_peak_units"] = optionalJson(bucket->peak);
    }
    json["source"] = target.source;
    json["confidence"] = format::confidenceName(target.confidence);
    json["claims"] = claimsJson(target);
    if (!target.note.empty())
        json["note"] = target.note;
    return json;
}

Json chosenTargetJson(const target::Target &target, const target::Choice &choice,
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
