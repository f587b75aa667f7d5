// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <filesystem>

namespace kernscope::patch {

/// Whether a folder is a bundle, by its name or by what makes a folder one.
bool isBundleFolder(const std::filesystem::path &folder);

struct BackupPlace {
    std::filesystem::path root; ///< what belongs to the backups: nothing above it is looked at
    std::filesystem::path path;
};
/// Where backup `number` of a file goes: beside the outermost bundle folder that it lies in, as
/// NAME.bak/PATH, or beside the file itself, as NAME.bak, where it lies in none. From the second
/// on it is NAME.bak.2 and so on.
BackupPlace backupPlace(const std::filesystem::path &file, int number = 1);

/// Copies files to the first backup places that are free for all of them, and says where they are.
/// What is there already stays, links are not followed, and a file is not copied again where a
/// backup has the same bytes. Errors: "io.write", "io.open", "io.read".
Result<std::vector<std::filesystem::path>> backUp(const std::vector<std::filesystem::path> &files);

} // namespace kernscope::patch
