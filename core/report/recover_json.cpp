// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/written_table.h"

namespace kernscope::report {

namespace {

std::string_view actionName(RecoverAction action)
{
    switch (action) {
    case RecoverAction::Undo: return "undo";
    case RecoverAction::Finish: return "finish";
    case RecoverAction::Discard: break;
    }
    return "discard";
}

} // namespace

Json recoverJson(std::string_view path, RecoverAction action, bool dryRun,
                 const RecoverReport &report)
{
    Json json = document("recover");
    json["path"] = path;
    json["action"] = actionName(action);
    json["dry_run"] = dryRun;
    json["saves"] = Json::array();
    for (const RecoveredSave &done : report.saves)
        json["saves"].push_back({{"journal", done.save.journal.string()},
                                 {"state", interruptedStateName(done.save.state)},
                                 {"save_ranges", jsonArray(writtenRangeTable(), done.save.ranges)},
                                 {"ranges", jsonArray(writtenRangeTable(), done.ranges)},
                                 {"bytes_written", numberJson(done.bytesWritten.value)}});
    json["verified"] = report.verified;
    return json;
}

} // namespace kernscope::report
