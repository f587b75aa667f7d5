// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibrate.h"
#include "core/report/chip_json.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/placement_table.h"
#include "core/report/roof_table.h"

#include <algorithm>
#include <cmath>

namespace kernscope::report {

using namespace roofline;

Json energyJson(const std::optional<Energy> &energy)
{
    if (!energy)
        return nullptr;
    Json json;
    json["low_j"] = optionalJson(energy->lowJ);
    json["high_j"] = optionalJson(energy->highJ);
    json["basis"] = energy->basis;
    json["source"] = energy->source;
    json["conditions_hold"] = optionalJson(energy->holds);
    json["method"] = "derived";
    return json;
}

Json programJson(const ProgramTime &program)
{
    Json json;
    json["engine_time_s"] = optionalJson(program.engineTimeS);
    json["known_time_s"] = program.timed > 0 ? Json(program.knownS) : Json(nullptr);
    json["layers"] = program.layers;
    json["layers_timed"] = program.timed;
    json["layers_uncounted"] = program.uncounted; // how often they run is not known
    json["launches"] = program.launches ? numberJson(*program.launches) : Json(nullptr);
    json["dispatch_floor_s"] = optionalJson(program.dispatchFloorS);
    json["dispatch_fixed_s"] = program.callFixedS > 0 ? Json(program.callFixedS) : Json(nullptr);
    json["dispatch_source"] = program.dispatchSource;
    json["layers_refused"] = program.refused;
    json["refusals"] = program.refusals;
    json["time_s"] = optionalJson(program.timeS);
    json["bound"] = programBoundName(program.bound);
    json["energy"] = energyJson(program.energy);
    json["notes"] = program.notes;
    if (!program.function.empty())
        json["function"] = program.function;
    if (program.dispatches.empty())
        return json;
    // Of a pipeline one run makes all of them; of a model's functions one.
    json["alternatives"] = program.alternatives;
    json["dispatches"] = Json::array();
    for (const ProgramTime &each : program.dispatches)
        json["dispatches"].push_back(programJson(each));
    return json;
}

Json ceilingJson(const Ceiling &ceiling)
{
    return jsonObject(ceilingTable(), CeilingFacts{ceiling});
}

Json roundedJson(const std::optional<double> &count)
{
    constexpr double kMost = 18446744073709549568.0; ///< the largest double below 2^64
    if (!count || !(*count >= 0 && *count <= kMost))
        return nullptr;
    return numberJson(static_cast<std::uint64_t>(std::round(*count)));
}

namespace {

Json roofJson(const LayerRoof *roof)
{
    if (roof == nullptr)
        return nullptr;
    Json json{{"name", roof->ceiling.name},
              {"value", roof->ceiling.value},
              {"unit", roof->ceiling.unit},
              {"source", roof->ceiling.source},
              {"confidence",
               format::confidenceName(std::max(roof->confidence, roof->ceiling.confidence))}};
    if (!roof->note.empty())
        json["note"] = roof->note;
    return json;
}

} // namespace

Json roofsJson(const Assessment &point)
{
    return {{"compute", roofJson(point.computeRoof)},
            {"weights", roofJson(point.weightRoof)},
            {"activations", roofJson(point.activationRoof)}};
}

Json assessmentJson(const Assessment &point)
{
    Json json;
    json["form"] = point.form;
    json["outcome"] = decision::outcomeName(point.outcome);
    json["weight_bytes"] = numberJson(point.weightBytes);
    json["flops"] = roundedJson(point.flops);
    json["bytes"] = roundedJson(point.bytes);
    json["compute_s"] = optionalJson(point.computeS);
    if (point.computeRoof != nullptr && !point.computeRoof->isOfAll())
        json["compute_rate"] = roofJson(point.computeRoof);
    json["memory_s"] = optionalJson(point.memoryS);
    json["activation_bytes"] = roundedJson(point.activationBytes);
    json["roofs"] = roofsJson(point);
    json["parameters"] = Json::array();
    for (const ModelParameter *parameter : point.parameters)
        json["parameters"].push_back({{"name", parameter->name},
                                      {"value", parameter->value},
                                      {"unit", parameter->unit},
                                      {"fitted_on", parameter->fittedOn},
                                      {"source", parameter->source}});
    json["intensity"] = optionalJson(point.intensity);
    json["bound"] = boundName(point.bound);
    json["attainable_flops"] = optionalJson(point.attainable);
    json["time_s"] = optionalJson(point.timeS);
    json["rate_flops"] = optionalJson(point.rate);
    json["speedup"] = speedupJson(point.speedup);
    json["predicted_speedup"] = optionalJson(point.predictedSpeedup);
    json["predicted_speedup_unpruned"] = optionalJson(point.predictedOverUnpruned);
    json["call_s"] = optionalJson(point.callS);
    json["predicted_speedup_call"] = optionalJson(point.predictedCallSpeedup);
    json["energy"] = energyJson(point.energy);
    json["energy_measured"] = measuredJson(point.energyMeasured);
    return json;
}

void addRoofline(Json &document, const Bundle &bundle, const Roofs &roofs,
                 std::span<const Placement> placements, std::uint64_t batch,
                 const ProgramTime &program)
{
    document["batch"] = numberJson(batch);
    document["ceilings"] = jsonArray(ceilingTable(), ceilingRows(roofs));
    document["compute"] = roofs.compute ? Json(roofs.compute->name) : Json(nullptr);
    document["bandwidth"] = roofs.bandwidth ? Json(roofs.bandwidth->name) : Json(nullptr);
    document["ridge"] = roofs.ridge ? ratioJson(*roofs.ridge) : Json(nullptr);
    document["ridge_computed"] = document["ridge"];
    document["ridge_source"] = roofs.ridgeSource;
    document["ridge_confidence"] =
        roofs.ridge ? Json(format::confidenceName(roofs.ridgeConfidence)) : Json(nullptr);
    document["dispatch_floor_s"] = optionalJson(roofs.dispatchFloorS);
    document["dispatch_fixed_s"] = optionalJson(roofs.callFixedS);
    document["dispatch_source"] = roofs.dispatchSource;
    document["program_time_s"] = optionalJson(program.timeS);
    document["program"] = programJson(program);
    document["working_set_bytes"] = optionalJson(roofs.workingSetBytes);
    document["working_set_source"] = roofs.workingSetSource;
    document["working_set_step"] = roofs.step ? ceilingJson(*roofs.step) : Json(nullptr);
    // The median error of the predictions that measurements of this chip can be held against.
    document["prediction_error"] =
        optionalJson(roofs.target ? predictionError(*roofs.target) : std::nullopt);
    document["power"] =
        roofs.target ? jsonArray(powerTable(), powerFigures(*roofs.target)) : Json::array();
    document["layers"] = jsonArray(placementTable(), placedLayers(bundle, placements));
}

void addUnassessed(Json &document, const Bundle &bundle)
{
    document["unassessed"] = jsonArray(unassessedTable(), unassessedRows(bundle));
}

} // namespace kernscope::report
