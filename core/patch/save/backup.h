// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <filesystem>

namespace kernscope::patch {

/// Whether a folder is a bundle, by its name or by what makes a folder one.
bool isBundleFolder(const std::filesystem::path &folder);

/// Where the backup of a file goes: beside the outermost bundle folder that it lies in, as
/// NAME.bak/PATH, or beside the file itself, as NAME.bak, where it lies in none.
std::filesystem::path backupPlace(const std::filesystem::path &file);

/// Copies `file` to its backup place, unless there is a backup already: the first one stays.
/// Errors: "io.write".
Result<void> backUp(const std::filesystem::path &file);

} // namespace kernscope::patch
