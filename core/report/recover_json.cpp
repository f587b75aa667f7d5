// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_values.h"

namespace kernscope::report {

namespace {

Json writtenJson(const std::vector<WrittenRange> &ranges)
{
    Json list = Json::array();
    for (const WrittenRange &written : ranges)
        list.push_back({{"file", written.file},
                        {"offset", numberJson(written.range.offset.value)},
                        {"bytes", numberJson(written.range.bytes.value)}});
    return list;
}

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
                                 {"save_ranges", writtenJson(done.save.ranges)},
                                 {"ranges", writtenJson(done.ranges)},
                                 {"bytes_written", numberJson(done.bytesWritten.value)}});
    json["verified"] = report.verified;
    return json;
}

} // namespace kernscope::report
