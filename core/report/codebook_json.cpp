// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_report.h"
#include "core/report/json_values.h"

#include <cmath>

namespace kernscope::report {

namespace {

/// A value, or one a lane; null for what is not finite.
Json lanesJson(const std::vector<float> &lanes)
{
    Json list = Json::array();
    for (const float lane : lanes)
        list.push_back(std::isfinite(lane) ? Json(lane) : Json(nullptr));
    return list;
}

Json entryJson(const EntryMatch &entry)
{
    const auto number = [](std::uint64_t value) {
        return value == EntryMatch::kNone ? Json(nullptr) : numberJson(value);
    };
    Json json;
    json["change"] = entryChangeName(entry.change);
    json["codebook_a"] = number(entry.bookA);
    json["entry_a"] = number(entry.codeA);
    json["codebook_b"] = number(entry.bookB);
    json["entry_b"] = number(entry.codeB);
    json["a"] = entry.a.empty() ? Json(nullptr) : lanesJson(entry.a);
    json["b"] = entry.b.empty() ? Json(nullptr) : lanesJson(entry.b);
    json["uses_a"] = numberJson(entry.usesA);
    json["uses_b"] = numberJson(entry.usesB);
    json["uses_both"] = numberJson(entry.both);
    if (!entry.targets.empty()) {
        json["targets"] = Json::array();
        for (const EntryMatch::Target &target : entry.targets)
            json["targets"].push_back({{"codebook", numberJson(target.book)},
                                       {"entry", numberJson(target.code)},
                                       {"elements", numberJson(target.elements)}});
    }
    return json;
}

} // namespace

Json codebookMatchJson(const CodebookMatch &match)
{
    Json json;
    json["codebooks_a"] = numberJson(match.booksA);
    json["codebooks_b"] = numberJson(match.booksB);
    json["entries_a"] = numberJson(match.entriesA);
    json["entries_b"] = numberJson(match.entriesB);
    json["vector"] = numberJson(match.vector);
    json["counts"] = Json::object();
    for (std::size_t i = 0; i < kEntryChanges; ++i)
        json["counts"][std::string(entryChangeName(static_cast<EntryChange>(i)))] =
            numberJson(match.counts[i]);
    json["entries"] = Json::array();
    for (const EntryMatch &entry : match.entries)
        json["entries"].push_back(entryJson(entry));
    return json;
}

} // namespace kernscope::report
