// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/command_documents.h"

#include "core/assessment/calibrate.h"
#include "core/bundle/bundle.h"
#include "core/format/contested.h"
#include "core/report/engine_json.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/shapes_json.h"
#include "core/report/target_table.h"

#include <utility>

namespace kernscope::report {

namespace {

/// Everything that is known of one chip, beside what its row of the list says.
void addTargetDetails(Json &json, const target::Target &target)
{
    json["hal"] = jsonArray(targetFactTable(), halRows(target));
    json["family_floors"] = jsonArray(floorTable(), floorRows(target));
    json["facts"] = jsonArray(placedFactTable(), placedFacts(target));
    json["collective"] = collectiveJson(target);
    json["contested"] = readingsJson(format::readingsAbout(target.name));
}

} // namespace

Json chipDocument(std::string_view command, const target::Target *target,
                  const target::TargetChoice &choice, const target::NamedTarget *named)
{
    Json json = document(command);
    json["target"] = target != nullptr ? chosenTargetJson(*target, choice, named) : Json(nullptr);
    return json;
}

void addBoundShapes(Json &document, const std::optional<shapes::Summary> &shapes, bool described)
{
    if (!shapes)
        return;
    document["shapes"] = shapesJson(*shapes);
    document["shapes"]["from"] = described ? "description" : "--shape";
}

void addPredictionError(Json &document, const target::Target &target)
{
    document["prediction_error"] = optionalJson(roofline::predictionError(target));
}

void addUnplaced(Json &document, const Bundle &bundle, const std::vector<UnplacedWeight> &unplaced)
{
    document["unplaced"] = jsonArray(unplacedTable(), unplaced);
    document["bundle"] = bundle.name();
}

void addOperations(Json &document, std::vector<Json> operations)
{
    document["operations"] = std::move(operations);
}

void addRooflineOf(Json &document, const Bundle &bundle, const roofline::Roofs &roofs,
                   const roofline::NetworkAssessment &network, std::uint64_t batch)
{
    document["bundle"] = bundle.name();
    addRoofline(document, bundle, roofs, network.placements, batch, network.program);
    for (std::size_t i = 0; i < network.placements.size(); ++i) {
        const Weight &weight = bundle.weights()[network.placements[i].layer.weight];
        document["layers"][i]["weight"] = weight.name;
        document["layers"][i]["address"] = weight.address();
    }
    addUnassessed(document, bundle);
}

Json targetsDocument(std::span<const target::Target *const> targets, bool details)
{
    Json json = document("targets");
    json["targets"] = Json::array();
    for (const target::Target *target : targets)
        json["targets"].push_back(targetJson(*target));
    if (details && !targets.empty())
        addTargetDetails(json["targets"][0], *targets.front());
    return json;
}

Json hwxDocument(const hwx::Container &container, std::span<const std::byte> bytes,
                 const std::string &file, const HwxJsonOptions &options)
{
    Json json = document("hwx");
    json["hwx"] = hwxJson(container, bytes, file, options);
    return json;
}

Json hwxSurveyDocument(const HwxSurvey &survey)
{
    Json json = document("hwx");
    json["survey"] = hwxSurveyJson(survey);
    return json;
}

Json hwxLoadDocument(const hwx::Container &container, const hwx::LoadPlan &plan, bool strip,
                     const std::vector<hwx::Slot> &places,
                     const std::vector<hwx::LoadedSlot> &loaded)
{
    Json json = document("hwx");
    json["load"] = hwxLoadedJson(container, plan, strip, hwxLoadJson(places, loaded));
    return json;
}

} // namespace kernscope::report
