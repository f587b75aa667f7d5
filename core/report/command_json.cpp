// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/command_json.h"

#include "core/format/contested.h"
#include "core/report/calibration_table.h"
#include "core/report/chip_json.h"
#include "core/report/engine_json.h"
#include "core/report/finding_table.h"
#include "core/report/json_table.h"

#include <algorithm>

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
    json["output"] = output;
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
    json["steps"] = Json::array();
    for (const SelftestStep &step : steps)
        json["steps"].push_back(
            {{"name", step.name}, {"passed", step.passed}, {"detail", step.detail}});
    json["passed"] = std::all_of(steps.begin(), steps.end(),
                                 [](const SelftestStep &step) { return step.passed; });
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

} // namespace kernscope::report
