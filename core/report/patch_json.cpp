// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/report/edit_table.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/written_table.h"

namespace kernscope::report {

namespace {

Json savedJson(const SaveReport &saved)
{
    Json json;
    json["bytes_written"] = numberJson(saved.bytesWritten.value);
    json["verified"] = saved.verified;
    json["backups"] = Json::array();
    for (const std::filesystem::path &backup : saved.backups)
        json["backups"].push_back(backup.string());
    return json;
}

} // namespace

Json patchJson(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
               const std::optional<SaveReport> &saved)
{
    Json json = document("patch");
    json["bundle"] = bundle.name();
    json["edits"] = jsonArray(editTable(), editRows(bundle, edits));
    // What is written, file by file: as saved, or as the edits alone would have it.
    json["ranges"] =
        jsonArray(writtenRangeTable(), saved ? saved->ranges : plannedRanges(bundle, edits));
    json["verified"] = saved ? Json(saved->verified) : Json(nullptr);
    json["saved"] = saved ? savedJson(*saved) : Json(nullptr);
    return json;
}

} // namespace kernscope::report
