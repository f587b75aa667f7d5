// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_report.h"
#include "core/report/json_table.h"
#include "core/report/places_table.h"

namespace kernscope::report {

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
    json["entries"] = jsonArray(entryTable(), entryRows(match));
    return json;
}

} // namespace kernscope::report
