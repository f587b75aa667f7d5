// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/shapes_json.h"

#include <nlohmann/json.hpp>

namespace kernscope::report {

Json shapesJson(const shapes::Summary &summary)
{
    Json json;
    json["bound"] = Json::array();
    for (const shapes::ShapeBinding &each : summary.bound) {
        Json dims = Json::array();
        for (const std::int64_t extent : each.dims)
            dims.push_back(extent < 0 ? Json(nullptr) : Json(extent));
        json["bound"].push_back({{"input", each.input}, {"shape", std::move(dims)}});
    }
    json["values"] = summary.values;
    json["open"] = summary.open;
    json["inferred"] = summary.inferred;
    json["unknown"] = Json::array();
    for (const shapes::Open &each : summary.unknown)
        json["unknown"].push_back({{"function", each.function},
                                   {"operation", each.operation},
                                   {"op", each.type},
                                   {"value", each.value},
                                   {"reason", each.reason}});
    return json;
}

} // namespace kernscope::report
