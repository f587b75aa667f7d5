// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle_fwd.h"

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

// A file that says the SHA-256 of another one: main.hash of a Core AI package. It follows when the
// other one is saved, so that edits need not hash a module each.

/// Such a file whose other one is changed; nothing where there is none, or it has another length.
std::optional<std::size_t> followingFile(const Bundle &bundle);

/// The file with the hash of the other one as it is now, as an overlay of its own. Errors:
/// "io.hash", those of OverlaidFile::fork and write.
Result<std::shared_ptr<OverlaidFile>> followed(const Bundle &bundle, std::size_t file);

} // namespace kernscope::patch
