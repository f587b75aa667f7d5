// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

/// Interrupted saves that the inputs of a command were found with. Every command must say them,
/// whether it has diagnostics of its own or not.
namespace kernscope::cli {

struct Context;

/// Remembers the rows with a code "journal.…" among those of an opened input.
void noteJournals(const Diagnostics &diagnostics);
/// The remembered rows that are not among `printed`, which is going to be printed.
Diagnostics unsaidJournals(const Diagnostics &printed);
/// Says on standard error what no document and no list of diagnostics has said; one that is
/// an error turns the exit code of a command that is done into "bad input".
void finishJournals(Context &context);

} // namespace kernscope::cli
