// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/encode_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

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
                                    {"change", change.change}});
    return opset;
}

} // namespace kernscope::report
