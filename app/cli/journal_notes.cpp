// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/journal_notes.h"

#include "app/cli/command.h"
#include "app/cli/text_output.h"

#include <algorithm>

namespace kernscope::cli {

namespace {

/// Of the process, as Context is: commands open their inputs in many places.
struct JournalRows {
    Diagnostics found;
    std::size_t said = 0; ///< of `found`, from the front
};

JournalRows &journalRows()
{
    static JournalRows rows;
    return rows;
}

bool contains(const Diagnostics &rows, const Diagnostic &wanted)
{
    return std::any_of(rows.begin(), rows.end(), [&wanted](const Diagnostic &row) {
        return row.error.code == wanted.error.code && row.error.file.ends_with(wanted.error.file);
    });
}

} // namespace

void noteJournals(const Diagnostics &diagnostics)
{
    for (const Diagnostic &row : diagnostics) {
        if (row.error.code.starts_with("journal.") && !contains(journalRows().found, row))
            journalRows().found.push_back(row);
    }
}

Diagnostics unsaidJournals(const Diagnostics &printed)
{
    Diagnostics unsaid;
    JournalRows &rows = journalRows();
    for (std::size_t i = rows.said; i < rows.found.size(); ++i) {
        if (!contains(printed, rows.found[i]))
            unsaid.push_back(rows.found[i]);
    }
    rows.said = rows.found.size();
    return unsaid;
}

void finishJournals(Context &context)
{
    if (!context.json)
        printDiagnostics(context, {});
    if ((context.exitCode == kDone || context.exitCode == kDiffers) &&
        hasErrors(journalRows().found))
        context.exitCode = kBadInput;
}

} // namespace kernscope::cli
