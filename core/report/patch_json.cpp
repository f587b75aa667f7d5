// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Bytes of a change that are written out; of longer ones the first so many.
constexpr std::size_t kShownBytes = 64;

/// A number; "nan", "inf" and "-inf", which JSON has no numbers for, as strings.
Json valueJson(double value)
{
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

std::string hexOf(const std::vector<std::byte> &bytes)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(bytes.size(), kShownBytes); ++i)
        text += fmt::format("{:02x}", std::to_integer<unsigned>(bytes[i]));
    return text;
}

Json fileEditJson(const Bundle &bundle, const FileEdit &edit)
{
    Json json;
    json["file"] = bundle.files()[edit.file].path;
    json["offset"] = numberJson(edit.offset.value);
    json["bytes"] = numberJson(edit.after.size());
    json["before"] = hexOf(edit.before);
    json["after"] = hexOf(edit.after);
    if (edit.after.size() > kShownBytes)
        json["cut"] = true;
    return json;
}

Json editJson(const Bundle &bundle, const AppliedEdit &applied)
{
    Json json;
    json["kind"] = editKindName(applied.edit.kind);
    json["edit"] = editText(applied.edit);
    json["weight"] = applied.edit.weight;
    json["asked"] = valueJson(applied.asked);
    json["stored"] = valueJson(applied.stored);
    json["note"] = applied.note;
    json["old"] = applied.oldText;
    json["new"] = applied.newText;
    json["elements"] = numberJson(applied.elements);
    json["tables"] = applied.tables;
    json["ranges"] = Json::array();
    for (const FileEdit &edit : applied.bytes)
        json["ranges"].push_back(fileEditJson(bundle, edit));
    return json;
}

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
    json["edits"] = Json::array();
    for (const AppliedEdit &edit : edits)
        json["edits"].push_back(editJson(bundle, edit));
    json["ranges"] = rangesJson(bundle, edits, saved);
    json["verified"] = saved ? Json(saved->verified) : Json(nullptr);
    json["saved"] = saved ? savedJson(*saved) : Json(nullptr);
    return json;
}

} // namespace kernscope::report
