// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/command_json.h"

#include "core/report/bundle_report.h"
#include "core/report/json_table.h"
#include "core/report/program_table.h"

namespace kernscope::report {

Json decodeJson(const Weight &weight, const DecodedFile &written)
{
    Json json = document("decode");
    json["name"] = weight.name;
    json["address"] = weight.address();
    json["form"] = formText(weight.form);
    json["output"] = written.output;
    json["dtype"] = written.type;
    json["shape"] = written.shape;
    json["elements"] = written.elements;
    json["bytes"] = written.bytes;
    return json;
}

Json decodeJson(const Bundle &bundle, const TensorExport &written, std::string_view output)
{
    Json json = document("decode");
    json["output"] = output.empty() ? Json(nullptr) : Json(output);
    json["elements"] = written.elements;
    json["bytes"] = written.bytes;
    json["tensors"] = Json::array();
    for (const ExportedTensor &tensor : written.tensors) {
        const Weight &weight = bundle.weights()[tensor.weight];
        json["tensors"].push_back({{"name", tensor.name},
                                   {"weight", weight.address()},
                                   {"address", weight.address()},
                                   {"form", formText(weight.form)},
                                   {"dtype", elementTypeName(tensor.type)},
                                   {"shape", std::vector<std::uint64_t>(weight.shape)},
                                   {"bytes", tensor.bytes}});
    }
    return json;
}

Json selftestJson(const std::vector<SelftestStep> &steps)
{
    Json json = document("selftest");
    json["steps"] = listJson(steps, [&](const auto &step) -> Json {
        return {{"name", step.name}, {"passed", step.passed}, {"detail", step.detail}};
    });
    json["passed"] = std::ranges::all_of(steps, &SelftestStep::passed);
    return json;
}

Json calibrateJson(const target::Target *target, std::span<const roofline::CalibrationRow> rows,
                   std::span<const roofline::PublishedFigure> figures,
                   std::span<const PlacedLayer> estimated)
{
    Json json = document("calibrate");
    json["schema"] = 2; // speed-ups are speed-ups, where schema 1 had their reciprocals
    json["target"] = target ? Json(target->name) : Json(nullptr);
    json["within_goal"] = roofline::kCalibrationGoal;
    json["rows"] = jsonArray(calibrationTable(), rows);
    json["figures"] = jsonArray(publishedFigureTable(), figures);
    json["estimates"] = jsonArray(estimateTable(), estimated);
    return json;
}

void addChoices(Json &document, const Bundle &bundle, double tolerance,
                const roofline::ProgramTime &program, std::vector<Json> choices)
{
    document["bundle"] = bundle.name();
    document["tolerance"] = tolerance;
    document["program"] = programJson(program);
    document["choices"] = std::move(choices);
}

Json activationTablesJson(std::vector<Json> tables, std::string_view arithmetic,
                          std::string_view tail)
{
    Json json = document("activation");
    json["tables"] = std::move(tables);
    json["arithmetic"] = arithmetic;
    json["tail"] = tail;
    json["contested"] = readingsJson(format::readingsOf("activation_segments"));
    return json;
}

void addPatchRun(Json &document, std::string_view mode, std::string_view output, double tolerance)
{
    document["mode"] = mode;
    if (!output.empty())
        document["output"] = output;
    document["tolerance"] = tolerance;
}

void keepWeights(Json &document, std::string_view where, const std::vector<bool> &selected)
{
    Json kept = Json::array();
    Json &all = document["weights"];
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (selected[i])
            kept.push_back(std::move(all[i]));
    }
    document["weights"] = std::move(kept);
    document["where"] = where;
}

void addReportFile(Json &document, std::string_view path)
{
    document["report"] = path;
}

void addFindings(Json &document, const Bundle &bundle, const std::vector<Finding> &findings)
{
    document["findings"] = jsonArray(findingTable(), findingRows(bundle, findings));
}

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
    json["targets"] = listJson(targets, [&](const auto *target) { return targetJson(*target); });
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
