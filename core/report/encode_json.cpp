// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/encode_json.h"

#include "core/bundle/bundle.h"
#include "core/report/json_values.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

void addEncodedWeight(Json &json, const Bundle &bundle, const EncodedBundle &encoded,
                      const EncodedOne &one)
{
    const Weight &after = encoded.made->weights()[one.after];
    json["name"] = after.name;
    json["address"] = after.address();
    json["form"] = formText(after.form);
    json["asked"] = one.asked;
    json["before"] = weightJson(bundle, one.before, std::nullopt, {});
    json["after"] = weightJson(*encoded.made, one.after, std::nullopt, {});
    json["error"] = accuracyJson(one.error);
    json["error"]["inputs_relative"] = optionalJson(one.inputRelative);
}

} // namespace

std::string askedText(const EncodedBundle &encoded)
{
    std::vector<std::string> asked;
    for (const EncodedOne &one : encoded.weights) {
        if (std::find(asked.begin(), asked.end(), one.asked) == asked.end())
            asked.push_back(one.asked);
    }
    return fmt::format("{}", fmt::join(asked, "; "));
}

Json encodeJson(const Bundle &bundle, const EncodedBundle &encoded, codec::EncodeMethod method,
                std::string_view output, bool verified)
{
    Json json = document("encode");
    json["asked"] = askedText(encoded);
    json["method"] = codec::encodeMethodName(method);
    if (encoded.weights.size() == 1) // the weight that was asked for, as ever
        addEncodedWeight(json, bundle, encoded, encoded.weights.front());
    json["weights"] = Json::array();
    for (const EncodedOne &one : encoded.weights)
        addEncodedWeight(json["weights"].emplace_back(), bundle, encoded, one);
    json["kept"] = Json::array();
    for (const RefusedWeight &kept : encoded.kept)
        json["kept"].push_back({{"weight", bundle.weights()[kept.weight].findableName()},
                                {"why", kept.error.message}});
    json["refused"] = Json::array();
    for (const RefusedWeight &refused : encoded.refused)
        json["refused"].push_back(bundle.weights()[refused.weight].findableName());
    json["bytes_before"] = bundle.totalBytes().value;
    json["bytes_after"] = encoded.made->totalBytes().value;
    json["output"] = output;
    json["opset"] = encoded.raised.empty() ? Json(nullptr) : raisedJson(encoded.raised.front());
    json["opsets"] = Json::array();
    for (const RaisedBundle &raised : encoded.raised)
        json["opsets"].push_back(raisedJson(raised));
    json["verified"] = verified;
    return json;
}

Json accuracyJson(const codec::AccuracyError &error)
{
    Json json;
    json["weight_max_abs"] = error.weightMaxAbs;
    json["weight_rmse"] = error.weightRmse;
    json["weight_relative"] = error.weightRelative;
    json["output_max_abs"] = error.outputMaxAbs;
    json["output_rmse"] = error.outputRmse;
    json["output_relative"] = error.outputRelative;
    json["dense_relative"] = error.denseRelative;
    json["outputs"] = error.outputs;
    json["non_finite"] = error.nonFinite;
    json["contested"] = error.contested;
    json["estimate"] = true;
    return json;
}

Json raisedJson(const RaisedBundle &raised)
{
    Json opset;
    opset["before"] = raised.before;
    opset["after"] = raised.after;
    opset["changes"] = Json::array();
    for (const OpsetChange &change : raised.changes)
        opset["changes"].push_back({{"operation", change.operation},
                                    {"function", change.function},
                                    {"count", change.count},
                                    {"opset", fmt::format("ios{}", change.opset)},
                                    {"change", change.change},
                                    {"rewritten", change.rewritten}});
    return opset;
}

} // namespace kernscope::report
