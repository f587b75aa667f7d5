// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace kernscope::cli {

struct Context;

/// `patch PATH --apply FILE`: a patch of a single file, made by `diff` or by another program.
struct ApplyArguments {
    std::string path, patch;
    std::string file; ///< of a bundle: the one that the patch is for
    std::string output;
    bool dryRun = false;
};

/// Writes a copy of the file, or of the bundle with that file, or says what it would be.
int runApply(const ApplyArguments &arguments, Context &context);

} // namespace kernscope::cli
