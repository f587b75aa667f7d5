// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/edit_table.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

namespace kernscope::report {

namespace {

/// What is written, file by file: as saved, or as the edits alone would have it.
Json rangesJson(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
                const std::optional<SaveReport> &saved)
{
    Json list = Json::array();
    const auto add = [&list](const std::string &file, std::uint64_t offset, std::uint64_t bytes) {
        list.push_back(
            {{"file", file}, {"offset", numberJson(offset)}, {"bytes", numberJson(bytes)}});
    };
    if (saved) {
        for (const WrittenRange &written : saved->ranges)
            add(written.file, written.range.offset.value, written.range.bytes.value);
        return list;
    }
    for (const AppliedEdit &edit : edits) {
        for (const FileEdit &bytes : edit.bytes)
            add(bundle.files()[bytes.file].path, bytes.offset.value, bytes.after.size());
    }
    return list;
}

Json savedJson(const SaveReport &saved)
{
    Json json;
    json["bytes_written"] = numberJson(saved.bytesWritten.value);
    json["verified"] = saved.verified;
    return json;
}

} // namespace

Json patchJson(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
               const std::optional<SaveReport> &saved)
{
    Json json = document("patch");
    json["bundle"] = bundle.name();
    json["edits"] = jsonArray(editTable(), editRows(bundle, edits));
    json["ranges"] = rangesJson(bundle, edits, saved);
    json["verified"] = saved ? Json(saved->verified) : Json(nullptr);
    json["saved"] = saved ? savedJson(*saved) : Json(nullptr);
    return json;
}

} // namespace kernscope::report
