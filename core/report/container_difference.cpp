// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/container_difference.h"

#include "core/bundle/bundle.h"
#include "core/report/hwx_json.h"

#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

Json pairedWeightsJson(const ContainerDifference &difference)
{
    Json list = Json::array();
    for (const ComparedPair &pair : difference.whole.weights)
        list.push_back({{"name", difference.a->weights()[pair.a].name},
                        {"name_b", difference.b->weights()[pair.b].name},
                        {"pairing", pair.slice ? pair.slice->name() : pairingName(pair.pairing)},
                        {"layout_equal", pair.damaged ? Json(nullptr) : Json(pair.layoutEqual)},
                        {"stored_equal", pair.damaged ? Json(nullptr) : Json(pair.storedEqual)}});
    for (const std::size_t i : difference.whole.onlyA)
        list.push_back({{"name", difference.a->weights()[i].name}, {"name_b", nullptr}});
    for (const std::size_t i : difference.whole.onlyB)
        list.push_back({{"name", nullptr}, {"name_b", difference.b->weights()[i].name}});
    return list;
}

} // namespace

Json containerDifferenceJson(const ContainerDifference &difference)
{
    Json json = document("hwx");
    json["identical"] = difference.whole.identical;
    json["a"] = difference.a->files().front().path;
    json["b"] = difference.b->files().front().path;
    json["tasks_a"] = difference.tasks.tasksA;
    json["tasks_b"] = difference.tasks.tasksB;
    json["tasks"] = hwxDifferencesJson(difference.tasks.differences);
    json["weights"] = pairedWeightsJson(difference);
    json["sections"] = Json::array();
    for (const auto &[name, bytes] : difference.sections)
        json["sections"].push_back({{"name", name},
                                    {"different_bytes", bytes.total()},
                                    {"changed_bytes", bytes.changed},
                                    {"only_a_bytes", bytes.onlyA},
                                    {"only_b_bytes", bytes.onlyB}});
    return json;
}

} // namespace kernscope::report
