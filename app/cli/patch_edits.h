// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"
#include "core/patch/edit/edit.h"
#include "core/patch/edit/script_origin.h"

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace kernscope::cli {

/// The options that give edits, and their texts.
struct EditOptions {
    struct One {
        const CLI::Option *option = nullptr;
        std::vector<std::string> texts;
        bool script = false;
        Edit::Kind kind = Edit::Kind::Set;
    };
    std::vector<One> all;
};

/// Adds --set, --set-stored, … and --script. `options` must live as long as the command.
void addEditOptions(CLI::App &command, EditOptions &options);

/// A script that says what it was made for.
struct OriginOfScript {
    std::string path;
    patch::ScriptOrigin origin;
};
struct EditsGiven {
    std::vector<Edit> edits;
    std::vector<OriginOfScript> origins;
};

/// The edits in the order of the command line, those of a script in its place. Errors:
/// "patch.syntax", "io.open".
Result<EditsGiven> editsInOrder(const CLI::App &command, const EditOptions &options);

/// Edits from an array "-" carry the values that standard input has. Errors: those of openFile,
/// findWeight and readNpy, "patch.shape", "patch.array" (numbers that fp32 does not hold).
Result<void> carryInput(const Bundle &bundle, std::vector<Edit> &edits);

} // namespace kernscope::cli
