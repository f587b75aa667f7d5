// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/applied_json.h"

#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/written_table.h"

#include <vector>

namespace kernscope::report {

Json appliedJson(const AppliedNames &names, const AppliedPatch &applied)
{
    Json json = document("patch");
    json["bundle"] = names.bundle;
    json["mode"] = names.dryRun ? "dry-run" : "output";
    if (!names.output.empty())
        json["output"] = names.output;
    json["edits"] = Json::array();
    std::vector<WrittenRange> ranges;
    for (const ByteRange &range : applied.changed.ranges)
        ranges.push_back({names.file, range});
    json["ranges"] = jsonArray(writtenRangeTable(), ranges);
    json["ranges_cut"] = applied.changed.cut;
    json["applied"] = {{"patch", names.patch},
                       {"format", patch::binaryFormatName(applied.result.format)},
                       {"file", names.file},
                       {"steps", numberJson(applied.result.steps)},
                       {"bytes_before", numberJson(applied.bytesBefore)},
                       {"bytes_after", numberJson(applied.result.bytes)},
                       {"source_checked", applied.result.sourceChecked},
                       {"target_checked", applied.result.targetChecked}};
    json["verified"] = optionalJson(applied.verified);
    json["saved"] = applied.verified ? Json{{"bytes_written", numberJson(applied.result.bytes)},
                                            {"verified", *applied.verified}}
                                     : Json(nullptr);
    return json;
}

} // namespace kernscope::report
