// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/descriptor_json.h"

#include "core/report/engine_json.h"
#include "core/report/image_table.h"
#include "core/report/json_table.h"
#include "core/report/number_text.h"

#include <nlohmann/json.hpp>

namespace kernscope::report {

void addEncodedWord(Json &answer, std::uint32_t version, std::uint32_t word,
                    const std::vector<std::string> &formats,
                    const std::vector<OverflowChoice> &overflow)
{
    Json json;
    json["value"] = hexText(word);
    json["formats"] = formats;
    json["overflow"] = Json::object();
    for (const OverflowChoice &each : overflow)
        json["overflow"][each.lane] = {{"mode", each.saturates ? "saturate" : "nan"},
                                       {"offset", hexText(each.offset)},
                                       {"bits", hexText(each.bits)}};
    json["contested"] = contestedCodesJson(version);
    answer["word"] = std::move(json);
}

void addDecodedWord(Json &answer, std::uint32_t version, std::uint32_t word)
{
    Json lanes = Json::object();
    for (const descriptor::FormatLane lane : kFormatLanes)
        lanes[std::string(descriptor::formatLaneName(lane))] =
            descriptor::decodeFormatLane(version, lane, word);
    answer["word"] = {{"value", hexText(word)},
                      {"lanes", std::move(lanes)},
                      {"contested", contestedCodesJson(version)}};
}

void addOrdering(Json &answer, const descriptor::OrderingBits &bits)
{
    answer["ordering"] = {{"l2_barrier", bits.l2Barrier},
                          {"forward_barrier", bits.forwardBarrier},
                          {"signal_mask", hexText(bits.signalMask)},
                          {"wait_mask", hexText(bits.waitMask)}};
}

Json descriptorJson(const target::Target &target, std::uint32_t version, const Json &worked)
{
    Json json = document("descriptor");
    json["target"] = target.name;
    json["descriptor_version"] = version;
    json["image"] = imageJson();
    json["format_word"] = formatWordJson(version);
    json["notes"] = jsonArray(engineNoteTable(), format::engineNotes());
    if (!worked.is_null())
        json.update(worked);
    return json;
}

} // namespace kernscope::report
