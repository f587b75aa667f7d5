// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/limits.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kernscope::cli {

struct Context;

struct DiffArguments {
    std::vector<std::string> paths; ///< two and more; the first is compared with every other
    DiffOptions options;
    DiffLimits limits;
    std::vector<std::string> pairs; ///< "A=B", "A=", "=B": pairs by hand
    bool checkForms = false;
    std::size_t worst = 0; ///< channels and elements to name of every weight that differs
    std::string steps;     ///< "FIRST:LAST": of the elements only those so far apart
    bool channels = false; ///< name every channel instead
    bool histograms = false;
    bool ranges = false;    ///< list the ranges of bytes that differ
    bool codebooks = false; ///< set codebooks against each other, entry by entry

    bool places() const { return worst > 0 || channels || histograms; }
    std::string rules;  ///< file of rules; empty: none
    std::string format; ///< "text", "json", …; empty: by the output's name, else text
    std::string output; ///< file to write the report to; empty: standard output
    /// "worst" or "a"; empty: the worst weights first in reports for people, the order of A in
    /// those for programs.
    std::string order;
};

/// The command `diff`. Returns the exit code: 1 where anything differs, or exceeds its limit.
int runDiff(DiffArguments arguments, Context &context);

/// The format of the report: --format, or what the name of --output ends in; empty where neither is
/// given. Errors: "cli.usage".
Result<std::string> reportFormat(const DiffArguments &arguments);

} // namespace kernscope::cli
